// Package accounts authenticates users: by password, by session, by personal token and through a
// provider of OpenID Connect. Package access authorizes what a user may then do.
//
// Secrets are random and kept as digests. Passwords are kept as argon2id hashes. Nothing here
// writes a secret into an error or a log line.
package accounts
