// Package database is what the subjects of a SQL store need of a database, and what they have in
// common. A database gives its connections and clock in a [DB], and its statements and value forms
// in a [Dialect]. A subject reads with [DB.Query] and writes within a [Tx], builds conditions, and
// scans columns. The package knows no database, and no subject but the row of terms: transactions
// that must follow one another lock that row.
package database
