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

// CheckListener refuses one secret for two settings, because a role is then no
// limit, and refuses to serve other machines without a secret: where addr,
// host:port as it is listened on, is not on the loopback interface, required
// must be set, all secrets must have eight bytes or more, and none may be
// [DefaultToken] unless allowDefault. The error is one line that names the setting.
func CheckListener(addr string, allowDefault bool, required Secret, others ...Secret) error {
	if err := checkDifferent(append([]Secret{required}, others...)); err != nil {
		return err
	}
	if !Reachable(addr) {
		return nil
	}
	if required.Token == "" {
		return fmt.Errorf("%s is empty, must be set to listen on %s, which other machines can reach", required.Setting, addr)
	}
	for _, s := range append([]Secret{required}, others...) {
		if len(s.Token) < 8 { // as many as a group's token has
			return fmt.Errorf("%s has %d characters, must have at least 8 to listen on %s", s.Setting, len(s.Token), addr)
		}
		if s.Token == DefaultToken && !allowDefault {
			return fmt.Errorf("%s is %s, which everybody knows, must be another one to listen on %s", s.Setting, s.Token, addr)
		}
	}
	return nil
}

// checkDifferent refuses one secret for two settings.
func checkDifferent(list []Secret) (err error) {
	for i := range list {
		for k := range i {
			given, same := list[i].Token != "", digestOf(list[i].Token).equal(digestOf(list[k].Token))
			if given && same && list[i].Setting != list[k].Setting {
				err = fmt.Errorf("%s is the same as %s, must be a secret of its own", list[i].Setting, list[k].Setting)
			}
		}
	}
	return err
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
