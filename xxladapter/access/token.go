package access

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net"
)

// DefaultToken stands in every sample configuration of XXL-JOB, so that
// everybody knows it.
const DefaultToken = "default_token"

// A digest is what is kept of a token. Comparing digests takes the same time
// for every wrong token, of any length.
type digest struct {
	_   [0]func() // neither ==, which stops at the first difference, nor the key of a map
	sum [sha256.Size]byte
}

func digestOf(token string) digest { return digest{sum: sha256.Sum256([]byte(token))} }

func (d digest) equal(other digest) bool {
	return subtle.ConstantTimeCompare(d.sum[:], other.sum[:]) == 1
}

// Same reports whether token is the secret that is asked for, in a time that says
// nothing about where they differ or how long either is. No token is the same as
// an empty secret.
func Same(token, secret string) bool {
	return secret != "" && digestOf(token).equal(digestOf(secret))
}

// A Secret is a configured token and the name of the setting that it came from.
type Secret struct{ Setting, Token string }

// CheckListener refuses to serve other machines without a secret: where addr,
// host:port as it is listened on, is not on the loopback interface, required
// must be set, and neither it nor any of the others may be [DefaultToken]
// unless allowDefault. The error is one line that names the setting.
func CheckListener(addr string, allowDefault bool, required Secret, others ...Secret) error {
	if !Reachable(addr) {
		return nil
	}
	if required.Token == "" {
		return fmt.Errorf("%s is empty, must be set to listen on %s, which other machines can reach", required.Setting, addr)
	}
	for _, s := range append([]Secret{required}, others...) {
		if s.Token == DefaultToken && !allowDefault {
			return fmt.Errorf("%s is %s, which everybody knows, must be another one to listen on %s", s.Setting, s.Token, addr)
		}
	}
	return nil
}

// Reachable reports whether other machines can reach a listener on addr. What
// is not host:port is no address in a network.
func Reachable(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host != "localhost" && (ip == nil || !ip.IsLoopback())
}
