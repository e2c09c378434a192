// Package zitadeltest tests signing in at a provider of OpenID Connect against that of Zitadel. It is
// a module of its own, so that the provider reaches no user's module graph.
package zitadeltest
