package access

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// Executors knows the tokens of executors: the one for all of them, and those of single groups. Its
// methods may be called from any goroutine.
type Executors struct {
	global digest
	open   bool // there is no token for all executors
	plain  string
	groups func(context.Context) ([]*xxladapter.Group, error)

	noDefault atomic.Bool // see RefuseDefault

	// known is loaded without a lock. The goroutine that has put its element into loading replaces
	// it as a whole; Forget sets it to nil.
	loading chan struct{} // has room for one element: only one goroutine reads the groups
	known   atomic.Pointer[groupTokens]
	former  atomic.Pointer[groupTokens] // those of the last read, which Forget leaves
	changes atomic.Int64                // calls of Forget
}

// groupTokens is what one read of the groups returned.
type groupTokens struct {
	at    time.Time
	apps  []appToken
	appOf map[string]string // by address without trailing slash; empty if groups share it
}

type appToken struct {
	app, token string // token in plain text, since calls to executors carry it
	digest     digest
}

const (
	// tokenLife is how long another node may still accept a group token that was changed or
	// removed. XXL-JOB reads its groups every 30 s.
	tokenLife = 5 * time.Second
	// sentWait is how long a call to an executor waits for tokens that may be newer than the known
	// ones.
	sentWait = 500 * time.Millisecond
	// tokenGap is the shortest pause between two reads of the groups caused by unknown tokens.
	tokenGap = time.Second
)

// NewExecutors returns the rule for the token of all executors, where empty means none, and for the
// tokens of the groups that the function groups reads.
func NewExecutors(token string, groups func(context.Context) ([]*xxladapter.Group, error)) *Executors {
	return &Executors{
		global: digestOf(token), open: token == "", plain: token, groups: groups, loading: make(chan struct{}, 1),
	}
}

// RefuseDefault makes [DefaultToken] permit nothing, even if a group has it as its own, as every
// group of a new XXL-JOB 3.5 database does. Calls to executors still carry it.
func (e *Executors) RefuseDefault() { e.noDefault.Store(true) }

// Permits reports whether token is the one for all executors, which nodes of one store share.
// Without one it permits any token, except [DefaultToken] after [Executors.RefuseDefault].
func (e *Executors) Permits(token string) bool {
	if token == DefaultToken && e.noDefault.Load() {
		return false
	}
	return e.open || e.global.equal(digestOf(token))
}

// A Caller says for which apps the bearer of a token may act. The zero value may act for none.
type Caller struct {
	every  bool
	except []string // the apps that every leaves out; empty means none
	apps   []string
	within string // the only app of those; empty means all of them
}

// May reports whether the caller may act for the executors of an app.
func (c Caller) May(app string) bool {
	if c.within != "" && c.within != app {
		return false
	}
	return slices.Contains(c.apps, app) || c.every && !slices.Contains(c.except, app)
}

// Any reports whether the caller may act for all apps.
func (c Caller) Any() bool { return c.every && len(c.except) == 0 && c.within == "" }

// Within returns the caller with no right beyond those for one app.
func (c Caller) Within(app string) Caller {
	c.within = app
	return c
}

// Own returns the app whose own token the caller has sent. ok is false for the token of all
// executors, for one that several apps share if the call named none of them, and for that of an app
// which [Caller.Within] has excluded.
func (c Caller) Own() (app string, ok bool) {
	if c.every || len(c.apps) != 1 || !c.May(c.apps[0]) {
		return "", false
	}
	return c.apps[0], true
}

// Caller identifies the bearer of token. appName is what the call itself says; it is empty for
// executors before XXL-JOB 3.5, which do not send it. ok is false if the token is wrong or is not
// that of appName.
//
// If there is no token for all executors, any token stands for it, and acts for the apps that have
// no token of their own.
func (e *Executors) Caller(ctx context.Context, token, appName string) (c Caller, ok bool, err error) {
	if token == DefaultToken && e.noDefault.Load() {
		return Caller{}, false, nil
	}
	got := digestOf(token)
	if !e.open && e.global.equal(got) {
		return Caller{every: true}, true, nil
	}
	known, err := e.read(ctx, tokenLife)
	if err != nil {
		return c, false, err
	}
	c = known.caller(got, e.open)
	if len(c.apps) == 0 && !e.open && time.Since(known.at) > tokenGap {
		if known, err = e.read(ctx, tokenGap); err != nil { // the token may be new
			return c, false, err
		}
		c = known.caller(got, e.open)
	}
	if appName == "" {
		return c, c.every || len(c.apps) > 0, nil
	}
	if !c.May(appName) {
		return Caller{}, false, nil
	}
	if slices.Contains(c.apps, appName) {
		c = Caller{apps: []string{appName}}
	}
	return c, true, nil
}

// caller compares got with the tokens of all groups.
func (k *groupTokens) caller(got digest, open bool) Caller {
	c := Caller{every: open}
	for _, a := range k.apps {
		switch {
		case a.digest.equal(got):
			c.apps = append(c.apps, a.app)
		case open:
			c.except = append(c.except, a.app)
		}
	}
	return c
}

// Sent returns the app name and the token that a call to an executor carries. An empty appName is
// replaced by that of the group that has the address. The token is the group's own, or else the one
// for all executors.
//
// Once tokens are known, a slow store delays a call by half a second at most.
func (e *Executors) Sent(ctx context.Context, addr, appName string) (app, token string) {
	former := e.former.Load()
	if former != nil {
		limited, cancel := context.WithTimeout(ctx, sentWait)
		defer cancel()
		ctx = limited
	}
	known, err := e.read(ctx, tokenLife)
	if err != nil && former == nil {
		return appName, e.plain
	}
	if err != nil {
		known = former // Forget was called since
	}
	if appName == "" {
		appName = known.appOf[bare(addr)]
	}
	for _, a := range known.apps {
		if a.app == appName {
			return appName, a.token
		}
	}
	return appName, e.plain
}

// Forget makes the next call read the groups again, because one was changed. A read in progress may
// have missed the change and does not count.
func (e *Executors) Forget() {
	e.changes.Add(1)
	e.known.Store(nil)
}

// read returns the tokens of the groups, at most life old, or the known ones while another
// goroutine reads them or the store cannot be reached.
func (e *Executors) read(ctx context.Context, life time.Duration) (*groupTokens, error) {
	known := e.known.Load()
	switch {
	case known == nil:
		select {
		case e.loading <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	case time.Since(known.at) < life:
		return known, nil
	default:
		select {
		case e.loading <- struct{}{}:
		default:
			return known, nil
		}
	}
	defer func() { <-e.loading }()
	if newer := e.known.Load(); newer != nil && newer != known {
		return newer, nil
	}
	fresh := &groupTokens{at: time.Now(), appOf: make(map[string]string)}
	changes := e.changes.Load()
	groups, err := e.groups(ctx)
	if err != nil {
		return known, orNil(known, err)
	}
	for _, g := range groups {
		if g.AccessToken != "" {
			fresh.apps = append(fresh.apps, appToken{g.AppName, g.AccessToken, digestOf(g.AccessToken)})
		}
		for _, addr := range g.Addresses {
			if other, taken := fresh.appOf[bare(addr)]; taken && other != g.AppName {
				fresh.appOf[bare(addr)] = ""
			} else {
				fresh.appOf[bare(addr)] = g.AppName
			}
		}
	}
	e.former.Store(fresh)
	e.known.Store(fresh)
	if e.changes.Load() != changes {
		e.known.CompareAndSwap(fresh, nil)
	}
	return fresh, nil
}

// orNil ignores the error of a read if tokens are known already: tokens stay valid while the store
// cannot be reached.
func orNil(known *groupTokens, err error) error {
	if known != nil {
		return nil
	}
	return err
}
