package console

import (
	"net/http"
	"strings"
)

// policy is the Content-Security-Policy of every answer. No script or style is inline, nothing
// comes from another host, and no string can become HTML or script: trusted-types 'none' leaves no
// way to make the type that the sinks for HTML require.
var policy = strings.Join([]string{
	"default-src 'none'",
	"script-src 'self'",
	"style-src 'self'",
	"img-src 'self' data:",
	"connect-src 'self'",
	"form-action 'self'",
	"base-uri 'none'",
	"frame-ancestors 'none'",
	"require-trusted-types-for 'script'",
	"trusted-types 'none'",
}, "; ")

// setPolicy sets the headers that restrict what a browser does with an answer.
func setPolicy(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
}
