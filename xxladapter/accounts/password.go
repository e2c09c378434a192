package accounts

import (
	"context"
	"crypto/md5" // the hash of XXL-JOB before 3.2
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// argonCost holds the parameters that decide what one argon2id hash costs.
type argonCost struct {
	memory uint32 // KiB
	passes uint32
	lanes  uint8
}

// cost is OWASP's recommendation for argon2id with little memory.
var cost = argonCost{memory: 19 * 1024, passes: 2, lanes: 1}

const (
	saltSize = 16
	hashSize = 32
	// hashesAtOnce bounds the memory that concurrent logins take.
	hashesAtOnce = 2
	// hashesWaiting bounds how many more hashes wait: the last one waits as long as 15 hashes take,
	// one after another.
	hashesWaiting = 30

	// maxMemory, in KiB, and maxPasses bound what a stored hash may ask for: far above cost, and
	// still small beside what a process has. A hash beyond them counts as unreadable.
	maxMemory, maxPasses = 256 * 1024, 16
)

// The limits of a password's length. maxPassword bounds the work for a request.
const (
	minPassword = 8   // characters
	maxPassword = 256 // bytes
)

// CheckPassword refuses a new password that is too short or too long. The error does not show the
// password.
func CheckPassword(password string) error {
	switch {
	case utf8.RuneCountInString(password) < minPassword:
		return xxladapter.Invalidf(errorrule.CharactersAtLeast, "%s has %d characters, must have at least %d",
			"password", utf8.RuneCountInString(password), minPassword)
	case len(password) > maxPassword:
		return xxladapter.Invalidf(errorrule.BytesAtMost, "%s has %d bytes, must have at most %d",
			"password", len(password), maxPassword)
	}
	return nil
}

// A hasher computes hashes, a few at a time.
type hasher struct {
	callers chan struct{} // one element for each hash that is computed or waits
	places  chan struct{}
}

func newHasher() *hasher {
	return &hasher{make(chan struct{}, hashesAtOnce+hashesWaiting), make(chan struct{}, hashesAtOnce)}
}

// errBusy is returned while hashesWaiting hashes wait.
var errBusy = &xxladapter.Error{
	Code: xxladapter.CodeTooMany, Rule: errorrule.TooManyCalls, RetryAfter: time.Second,
	Message: "too many passwords are checked at the same time, try again in 1 second",
}

// key computes an argon2id hash once a place is free, or returns errBusy.
func (h *hasher) key(ctx context.Context, password string, salt []byte, c argonCost) ([]byte, error) {
	select {
	case h.callers <- struct{}{}:
		defer func() { <-h.callers }()
	default:
		return nil, errBusy
	}
	select {
	case h.places <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-h.places }()
	return argon2.IDKey([]byte(password), salt, c.passes, c.memory, c.lanes, hashSize), nil
}

// hash returns the hash of a new password in the format of PHC strings.
func (h *hasher) hash(ctx context.Context, password string) (string, error) {
	salt := make([]byte, saltSize)
	_, _ = rand.Read(salt) // never fails
	sum, err := h.key(ctx, password, salt, cost)
	if err != nil {
		return "", err
	}
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, cost.memory, cost.passes, cost.lanes,
		b64.EncodeToString(salt), b64.EncodeToString(sum)), nil
}

// matches reports whether a stored hash is that of the password. For an empty or unreadable hash it
// does the same work and returns false.
func (h *hasher) matches(ctx context.Context, stored, password string) (bool, error) {
	c, salt, sum, known := parseHash(stored)
	got, err := h.key(ctx, password, salt, c)
	return known && access.Same(string(got), string(sum)), err
}

// parseHash returns the parts of a stored hash. If stored is no argon2id hash within the limits,
// known is false, and checking a password against the parts costs what it costs against a new hash.
func parseHash(stored string) (c argonCost, salt, sum []byte, known bool) {
	var version int
	parts := strings.Split(stored, "$")
	if len(parts) == 6 && parts[1] == "argon2id" {
		_, versionErr := fmt.Sscanf(parts[2], "v=%d", &version)
		_, costErr := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &c.memory, &c.passes, &c.lanes)
		var saltErr, sumErr error
		salt, saltErr = base64.RawStdEncoding.DecodeString(parts[4])
		sum, sumErr = base64.RawStdEncoding.DecodeString(parts[5])
		if versionErr == nil && costErr == nil && saltErr == nil && sumErr == nil && version == argon2.Version &&
			c.passes > 0 && c.passes <= maxPasses && c.lanes > 0 && c.memory <= maxMemory && len(sum) == hashSize {
			return c, salt, sum, true
		}
	}
	return cost, make([]byte, saltSize), make([]byte, hashSize), false
}

// matchesUpstream reports whether a hash that XXL-JOB stored, MD5 before 3.2 and SHA-256 since, is
// that of the password.
func matchesUpstream(stored, password string) bool {
	old, now := md5.Sum([]byte(password)), sha256.Sum256([]byte(password))
	stored = strings.ToLower(strings.TrimSpace(stored))
	isOld, isNow := access.Same(hex.EncodeToString(old[:]), stored), access.Same(hex.EncodeToString(now[:]), stored)
	return isOld || isNow
}

// seedPassword is the password of the user that XXL-JOB's tables come with, so it is well known.
const seedPassword = "123456"
