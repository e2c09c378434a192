package access

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

func TestConceal(t *testing.T) {
	const secret = "s3cret-of-eight"
	for _, tt := range []struct{ text, secret, want string }{
		{"you sent " + secret + ", twice: " + secret, secret, "you sent ***, twice: ***"},
		{"you sent 12345678", "12345678", "you sent ***"},
		{"a code of 1234567", "1234567", "a code of 1234567"}, // as short as ordinary words
		{"nothing to see", secret, "nothing to see"},
		{"nothing to see", "", "nothing to see"},
	} {
		require.Equal(t, tt.want, Conceal(tt.text, tt.secret))
	}
	require.Equal(t, "*** and ***", Conceal("first-one and other-one", "first-one", "other-one"))
}

func TestAServerIsShownWithoutItsPassword(t *testing.T) {
	for server, want := range map[string]string{
		"http://10.0.0.5:8080/xxl-job-admin":        "http://10.0.0.5:8080/xxl-job-admin",
		"http://[2001:db8::7]:8080":                 "http://[2001:db8::7]:8080",
		"10.0.0.5:8080":                             "10.0.0.5:8080",
		"http://bad host":                           "http://bad host",
		"http://bob@10.0.0.5:8080/":                 "http://bob@10.0.0.5:8080/",
		"http://bob:s3cret@10.0.0.5:8080/":          "http://bob:xxxxx@10.0.0.5:8080/",
		"http://bob:s3c%72et@10.0.0.5:8080/":        "http://bob:xxxxx@10.0.0.5:8080/",
		"http://10.0.0.5:8080/?access_token=s3cret": "http://10.0.0.5:8080/",
		// An unescaped password that the parser splits.
		"http://bob:12/s3cret@10.0.0.5:8080/": "...",
		"http://bob:12#s3cret@10.0.0.5:8080/": "...",
		"http://bob:12?s3cret@10.0.0.5:8080/": "http://bob:12",
		"http://bob:s3c%ret@10.0.0.5:8080/":   "...",
		"bob:s3cret@10.0.0.5:8080":            "...",
	} {
		require.Equal(t, want, Shown(server))
		require.NotContains(t, Shown(server), "s3c")
	}
}

// nearly returns texts that a careless comparison takes for the token.
func nearly(token string) []string {
	return []string{
		"", " ", token[:1], token[:len(token)-1], token[1:], token + token[len(token)-1:], token + " ", " " + token, token + "\x00", "\x00" + token,
		token + "\n", strings.ToUpper(token), strings.ToUpper(token[:1]) + token[1:], token + token, token[:len(token)-1] + "\xff", strings.Repeat("x", len(token)),
		"*", "%", ".*", "null", "undefined", "Bearer " + token, `"` + token + `"`,
		strings.ReplaceAll(token, "s", "\u017f"), strings.ReplaceAll(token, "k", "\u212a"), // equal to s and k under case folding
	}
}

// TestOnlyTheTokenItselfOpens checks that every comparison of tokens in this package fails closed.
func TestOnlyTheTokenItselfOpens(t *testing.T) {
	const token = "task-token"
	r := twoGroups()
	r.groups[0].AccessToken = token
	for _, got := range append(nearly(token), token) {
		right := got == token
		require.Equal(t, right, Same(got, token), "%q", got)
		require.Equal(t, right, NewOperators([]string{token}, nil).Role(got) == xxladapter.RoleAdmin, "%q", got)
		require.Equal(t, right, NewOperators([]string{"another"}, []string{"a third", token}).Role(got) == xxladapter.RoleViewer, "%q", got)
		for _, global := range []string{token, "another"} { // the one for all, then that of pay-app
			e := NewExecutors(global, r.read)
			_, ok, err := e.Caller(t.Context(), got, "pay-app")
			require.NoError(t, err)
			require.Equal(t, right, ok, "%q", got)
			c, ok, err := e.Caller(t.Context(), got, "")
			require.NoError(t, err)
			require.Equal(t, right, ok, "%q", got)
			require.Equal(t, right, c.May("pay-app"), "%q", got)
			require.Equal(t, right && global == token, c.May("mail-app"), "%q", got)
		}
	}
	require.False(t, Same("", ""), "no token is set: nothing is the right one")
	require.False(t, reflect.TypeFor[digest]().Comparable(), "the language must not compare digests")
}
