// Package zitadeltest runs Zitadel's provider of OpenID Connect for tests, and tests signing in at
// it. It is a module of its own, so that no user's module graph contains the provider.
package zitadeltest
