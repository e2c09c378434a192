package openid

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"time"

	"golang.org/x/oauth2"

	"github.com/xxlwheel/xxlwheel/xxladapter/access"
)

// AttemptLife is how long signing in at the provider may take.
const AttemptLife = 10 * time.Minute

// An Attempt binds a provider's answer to the browser that began the sign-in. The browser keeps it
// in a cookie until it returns. Any scheduler of a store can continue it.
type Attempt struct {
	State, Nonce string
	Verifier     string // of PKCE
	Begun        time.Time
}

// newAttempt returns an attempt with new secrets of at least 128 bits.
func newAttempt() Attempt {
	return Attempt{State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(), Begun: time.Now()}
}

// Text returns the attempt as the value of a cookie.
func (a Attempt) Text() string {
	data, _ := json.Marshal(a) // texts and a time
	return base64.RawURLEncoding.EncodeToString(data)
}

// ParseAttempt reads the value of a cookie. Anything else gives the zero attempt, which never
// matches.
func ParseAttempt(text string) (a Attempt) {
	data, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || json.Unmarshal(data, &a) != nil {
		return Attempt{}
	}
	return a
}

// matches reports whether a provider's answer with the state belongs to the attempt.
func (a Attempt) matches(state string, now time.Time) bool {
	return a.State != "" && a.Nonce != "" && a.Verifier != "" && now.Sub(a.Begun) < AttemptLife &&
		access.Same(state, a.State)
}
