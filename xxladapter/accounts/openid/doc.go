// Package openid signs people in at a provider of OpenID Connect: authorization code with PKCE,
// state and nonce, and a claim whose values give roles. It knows no store and no session; package
// accounts has these.
package openid
