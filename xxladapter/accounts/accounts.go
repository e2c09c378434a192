package accounts

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// The life of a session.
const (
	SessionIdle = 12 * time.Hour     // ends a session that is not used
	SessionLife = 7 * 24 * time.Hour // ends any session
	// touchGap is how long a use may stay unwritten.
	touchGap = 5 * time.Minute
)

// MaxTokenLife is the longest life of a personal token.
const MaxTokenLife = 366 * 24 * time.Hour

// tokenPrefix begins each personal token, so that a leaked one is recognized.
const tokenPrefix = "xwt_"

// A Store is the part of [xxladapter.Store] that keeps accounts.
type Store interface {
	xxladapter.UserStore
	xxladapter.CredentialStore
}

// Accounts signs users in. Create it with [New]. Its methods may be called from any goroutine.
type Accounts struct {
	store           Store
	logger          *slog.Logger
	hasher          *hasher
	names, networks *limiter     // of failed tries: by name and address, and by address
	someUser        atomic.Bool  // there was a user; the last one is never removed
	noUserUntil     atomic.Int64 // Unix ns until which the store is not asked again for a first one
	setup           atomic.Pointer[string]
}

// New returns the accounts in a store. A nil logger means slog.Default().
func New(store Store, logger *slog.Logger) *Accounts {
	if logger == nil {
		logger = slog.Default()
	}
	return &Accounts{
		store: store, logger: logger, hasher: newHasher(), names: newLimiter(triesByName),
		networks: newLimiter(triesByNetwork),
	}
}

// A Bearer is the user whose credential a request carries.
type Bearer struct {
	User       *xxladapter.User
	Credential *xxladapter.Credential
	Rights     access.Rights
}

// errWrong is returned for a wrong name and for a wrong password alike.
var errWrong = xxladapter.Refusef(xxladapter.CodeUnauthorized, errorrule.WrongLogin, "the name or the password is wrong")

// ErrEnded is returned for a session or a personal token that has ended or never existed.
var ErrEnded = xxladapter.Refusef(
	xxladapter.CodeUnauthorized, errorrule.SessionEnded, "the session has ended, sign in again",
)

// newSecret returns 256 random bits as a text.
func newSecret() string {
	var random [32]byte
	_, _ = rand.Read(random[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(random[:])
}

func digestOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// Login checks a password and returns the secret of a new session. address is that of the caller.
// Names that do not exist take as long as those that do. After five wrong tries within a minute for
// one name from one address, or 30 from one address, the error has [xxladapter.CodeTooMany] and
// says how long to wait. A try with this error checks no password and does not count. Tries from
// elsewhere do not lock a user out.
func (a *Accounts) Login(ctx context.Context, name, password, address string) (secret string, b Bearer, err error) {
	now := time.Now()
	from := network(address)
	if wait := a.networks.take(from, now); wait > 0 {
		return "", b, tooMany(wait)
	}
	key := digestOf(from + " " + name)
	if wait := a.names.take(key, now); wait > 0 {
		a.networks.giveBack(from, now) // no password was checked
		return "", b, tooMany(wait)
	}
	ctx = xxladapter.WithActor(ctx, xxladapter.Actor{Kind: xxladapter.ActorUser, Address: address})
	user, err := a.check(ctx, name, password)
	if errors.Is(err, errWrong) {
		a.logger.Warn("login refused", "name", loggedName(user), "address", address)
		return "", b, err
	}
	a.names.giveBack(key, now)
	a.networks.giveBack(from, now)
	if err != nil {
		return "", b, err // the store is away, or too many wait: nothing was wrong
	}
	return a.begin(ctx, user, address)
}

// loggedName returns the name of a user whose login is refused. What is not a name may be a
// password in the wrong field, and is not logged.
func loggedName(u *xxladapter.User) string {
	if u == nil {
		return "(unknown)"
	}
	return u.Name
}

func tooMany(wait time.Duration) error {
	seconds := int(wait.Seconds()) + 1
	err := xxladapter.Refusef(xxladapter.CodeTooMany, errorrule.TooManyTries, "too many tries, try again in %d seconds",
		seconds)
	err.RetryAfter = time.Duration(seconds) * time.Second
	return err
}

// check returns the user with the name and the password. With errWrong it returns the user with the
// name, or nil if there is none.
func (a *Accounts) check(ctx context.Context, name, password string) (*xxladapter.User, error) {
	if name == "" || len(name) > 4*xxladapter.MaxUserName || len(password) > maxPassword {
		return nil, errWrong
	}
	users, err := a.store.Users(ctx, xxladapter.UserFilter{Name: name})
	if err != nil {
		return nil, err
	}
	// Some stores find "root " as root. Each spelling would have tries of its own.
	if len(users) > 0 && users[0].Name == name {
		return a.checkOwn(ctx, users[0], password)
	}
	upstream, err := a.store.UpstreamUsers(ctx, name)
	if err != nil {
		return nil, err
	}
	if len(upstream) == 0 || !matchesUpstream(upstream[0].Password, password) || seeded(&upstream[0]) {
		if len(upstream) > 0 && seeded(&upstream[0]) {
			a.logger.Warn(
				"a user of XXL-JOB still has the password that its tables come with, and cannot sign in", "name", name,
			)
		}
		if _, err := a.hasher.matches(ctx, "", password); err != nil { // the same work
			return nil, err
		}
		if len(upstream) > 0 {
			return &xxladapter.User{Name: name}, errWrong
		}
		return nil, errWrong
	}
	return a.takeOver(ctx, &upstream[0], password)
}

// checkOwn returns a user of the store, with errWrong if the password is not its own.
func (a *Accounts) checkOwn(ctx context.Context, u *xxladapter.User, password string) (*xxladapter.User, error) {
	right, err := a.hasher.matches(ctx, u.Password, password)
	if err != nil {
		return nil, err
	}
	if !right {
		return u, errWrong
	}
	return u, nil
}

// seeded reports whether the user has the well-known password of a new XXL-JOB database.
func seeded(u *xxladapter.UpstreamUser) bool { return matchesUpstream(u.Password, seedPassword) }

// takeOver makes an account for a user of XXL-JOB.
func (a *Accounts) takeOver(
	ctx context.Context, from *xxladapter.UpstreamUser, password string,
) (*xxladapter.User, error) {
	hash, err := a.hasher.hash(ctx, password)
	if err != nil {
		return nil, err
	}
	u := &xxladapter.User{Name: from.Name, Password: hash, Grants: upstreamGrants(from)}
	if err := a.checkFirst(ctx, u); err != nil {
		return nil, err
	}
	u.ID, err = a.store.CreateUser(actingAs(ctx, u.Name), u, false)
	if errors.Is(err, xxladapter.ErrConflict) { // perhaps by another login at the same time
		users, err := a.store.Users(ctx, xxladapter.UserFilter{Name: from.Name})
		if err != nil {
			return nil, err
		}
		if len(users) == 0 || users[0].Name != from.Name {
			// The user was removed meanwhile, or has a name that the store takes for this one.
			return u, errWrong
		}
		return a.checkOwn(ctx, users[0], password)
	}
	if err != nil {
		return nil, err
	}
	a.someUser.Store(true)
	a.logger.Info("user of XXL-JOB taken over", "name", u.Name)
	return u, nil
}

// upstreamGrants returns what a user of XXL-JOB may do: everything, or everything with the jobs of
// its groups.
func upstreamGrants(u *xxladapter.UpstreamUser) (grants []xxladapter.Grant) {
	if u.Admin {
		return []xxladapter.Grant{{Role: xxladapter.RoleAdmin}}
	}
	groups := slices.Clone(u.Groups)
	slices.Sort(groups)
	for _, group := range slices.Compact(groups) {
		if group > 0 {
			grants = append(grants, xxladapter.Grant{GroupID: group, Role: xxladapter.RoleCoder})
		}
	}
	return grants
}

// begin stores a new session of u. A change of the password ends the user's sessions, and so do the
// removal of the user and a provider that takes all roles away. If any of them came after u was
// read, it may have missed the new session: begin removes that and returns [ErrEnded].
func (a *Accounts) begin(ctx context.Context, u *xxladapter.User, address string) (secret string, b Bearer, err error) {
	secret = newSecret()
	now := time.Now()
	c := &xxladapter.Credential{
		UserID: u.ID, Kind: xxladapter.CredentialSession, Digest: digestOf(secret), Address: address,
		Created: now, Used: now, Expires: now.Add(SessionIdle),
	}
	if c.ID, err = a.store.CreateCredential(ctx, c); err != nil {
		return "", b, err
	}
	is, err := a.store.Users(ctx, xxladapter.UserFilter{ID: u.ID})
	if err != nil {
		return "", b, cmp.Or(a.drop(ctx, c), err)
	}
	byProvider := u.Password == "" && len(is) > 0 && is[0].Password == ""
	shutOut := u.Subject != "" && len(u.Grants) > 0 && len(is) > 0 && len(is[0].Grants) == 0
	if len(is) == 0 || shutOut || !byProvider && !access.Same(is[0].Password, u.Password) {
		return "", b, cmp.Or(a.drop(ctx, c), error(ErrEnded))
	}
	a.logger.Info("user signed in", "name", u.Name, "address", address)
	return secret, Bearer{u, c, access.NewRights(u.Grants...)}, nil
}

// dropLimit limits the removal of a credential.
const dropLimit = 5 * time.Second

// drop removes a credential, whether or not ctx has ended. One that is gone is no error.
func (a *Accounts) drop(ctx context.Context, c *xxladapter.Credential) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), dropLimit)
	defer cancel()
	err := a.store.RemoveCredential(ctx, c.UserID, c.ID)
	if errors.Is(err, xxladapter.ErrNotFound) {
		return nil
	}
	return err
}

// Session returns the user of a session, whose life it extends. The error is [ErrEnded] if it has
// ended.
func (a *Accounts) Session(ctx context.Context, secret string) (b Bearer, err error) {
	c, u, err := a.find(ctx, secret, xxladapter.CredentialSession)
	if err != nil {
		return b, err
	}
	if now := time.Now(); now.Sub(c.Used) >= touchGap {
		c.Used, c.Expires = now, sessionEnd(c.Created, now)
		if err := a.store.UseCredential(ctx, c.ID, c.Used, c.Expires); err != nil {
			return b, err
		}
	}
	return Bearer{u, c, access.NewRights(u.Grants...)}, nil
}

// sessionEnd returns when a session that is used now expires.
func sessionEnd(created, now time.Time) time.Time {
	if end := created.Add(SessionLife); end.Before(now.Add(SessionIdle)) {
		return end
	}
	return now.Add(SessionIdle)
}

// IsToken reports whether a text has the form of a personal token.
func IsToken(text string) bool { return strings.HasPrefix(text, tokenPrefix) }

// Token returns the user of a personal token, with the rights that the token's limits leave. The
// error is [ErrEnded] if the token has expired or does not exist.
func (a *Accounts) Token(ctx context.Context, secret string) (b Bearer, err error) {
	c, u, err := a.find(ctx, secret, xxladapter.CredentialToken)
	if err != nil {
		return b, err
	}
	if now := time.Now(); now.Sub(c.Used) >= touchGap {
		c.Used = now
		if err := a.store.UseCredential(ctx, c.ID, c.Used, c.Expires); err != nil {
			return b, err
		}
	}
	return Bearer{u, c, access.NewRights(u.Grants...).Within(limits(c))}, nil
}

// limits returns the rights that a token leaves at most.
func limits(c *xxladapter.Credential) access.Rights {
	role := c.Role
	if role == "" {
		role = xxladapter.RoleAdmin
	}
	if len(c.Groups) == 0 {
		return access.RightsForAll(role)
	}
	var grants []xxladapter.Grant
	for _, group := range c.Groups {
		grants = append(grants, xxladapter.Grant{GroupID: group, Role: role})
	}
	return access.NewRights(grants...)
}

// find returns a credential that is valid now, and its user.
func (a *Accounts) find(
	ctx context.Context, secret string, kind xxladapter.CredentialKind,
) (*xxladapter.Credential, *xxladapter.User, error) {
	c, u, err := a.store.Credential(ctx, digestOf(secret))
	if errors.Is(err, xxladapter.ErrNotFound) || err == nil && (c.Kind != kind || !time.Now().Before(c.Expires)) {
		return nil, nil, ErrEnded
	}
	return c, u, err
}

// Logout ends a session.
func (a *Accounts) Logout(ctx context.Context, b Bearer) error {
	return a.drop(ctx, b.Credential)
}

// SomeUser reports whether there is a user. While there is none, it asks the store at most once a
// second.
func (a *Accounts) SomeUser(ctx context.Context) (bool, error) {
	now := time.Now()
	if a.someUser.Load() || now.UnixNano() < a.noUserUntil.Load() {
		return a.someUser.Load(), nil
	}
	users, err := a.store.Users(ctx, xxladapter.UserFilter{})
	if err != nil {
		return false, err
	}
	if len(users) == 0 {
		a.noUserUntil.Store(now.Add(time.Second).UnixNano())
		return false, nil
	}
	a.someUser.Store(true)
	return true, nil
}
