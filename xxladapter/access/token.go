package access

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"net"
)

// DefaultToken is in every sample configuration of XXL-JOB, so it is well known.
const DefaultToken = "default_token"

// A digest stands for a token in comparisons. Comparing digests takes the same time for every wrong
// token, of any length.
type digest struct {
	_   [0]func() // forbids ==, which stops at the first difference, and use as a map key
	sum [sha256.Size]byte
}

func digestOf(token string) digest { return digest{sum: sha256.Sum256([]byte(token))} }

func (d digest) equal(other digest) bool {
	return subtle.ConstantTimeCompare(d.sum[:], other.sum[:]) == 1
}

// Same reports whether token is the required secret. The time that it takes does not depend on
// where they differ. An empty secret matches no token.
func Same(token, secret string) bool {
	return secret != "" && digestOf(token).equal(digestOf(secret))
}

// A Secret is a configured token with the name of its setting.
type Secret struct{ Setting, Token string }

// CheckListener refuses the same secret in two settings, because the roles would then not be
// separate, and refuses to serve other machines without a secret. If addr, the host:port to listen
// on, is not on the loopback interface, required must be set, every secret must have at least eight
// bytes, and none may be [DefaultToken] unless allowDefault is set. The error is one line that
// names the setting.
func CheckListener(addr string, allowDefault bool, required Secret, others ...Secret) error {
	if err := checkDifferent(append([]Secret{required}, others...)); err != nil {
		return err
	}
	if !Reachable(addr) {
		return nil
	}
	if required.Token == "" {
		return fmt.Errorf(
			"%s is empty, must be set to listen on %s, which other machines can reach", required.Setting, addr,
		)
	}
	for _, s := range append([]Secret{required}, others...) {
		if len(s.Token) < 8 { // the minimum for a group's token as well
			return fmt.Errorf("%s has %d bytes, must have at least 8 to listen on %s", s.Setting, len(s.Token), addr)
		}
		if s.Token == DefaultToken && !allowDefault {
			return fmt.Errorf(
				"%s is %s, which is well known, must be another one to listen on %s", s.Setting, s.Token, addr,
			)
		}
	}
	return nil
}

// checkDifferent refuses the same secret in two settings.
func checkDifferent(list []Secret) (err error) {
	for i := range list {
		for k := range i {
			given, same := list[i].Token != "", digestOf(list[i].Token).equal(digestOf(list[k].Token))
			if given && same && list[i].Setting != list[k].Setting {
				err = fmt.Errorf("%s is the same as %s, must be a different secret", list[i].Setting, list[k].Setting)
			}
		}
	}
	return err
}

// Reachable reports whether other machines can reach a listener on addr. An addr that is not
// host:port is not a network address, and so not reachable.
func Reachable(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host != "localhost" && (ip == nil || !ip.IsLoopback())
}
