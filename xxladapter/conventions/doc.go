// Package conventions contains only tests. They read the sources and documents of the whole
// repository and check its conventions: which package may import which, how files are named, how
// comments are wrapped, what mutexes and goroutines say about themselves, how tokens are compared,
// where links lead, what the messages of commits say.
//
// A test that fails here names the place and the rule.
package conventions
