package access

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// Executors knows the tokens of executors: one for all of them, and those that
// groups have of their own. Its methods may be called from any goroutine.
type Executors struct {
	global digest
	open   bool // there is no token for all
	plain  string
	groups func(context.Context) ([]*xxladapter.Group, error)

	noDefault atomic.Bool // see RefuseDefault

	loading sync.Mutex // held while the groups are read
	known   atomic.Pointer[groupTokens]
}

// groupTokens is what was read of the groups at one moment.
type groupTokens struct {
	at    time.Time
	apps  []appToken
	appOf map[string]string // by address without its last slash; empty where two groups share it
}

type appToken struct {
	app, token string // token is sent to executors, which want it as it is
	digest     digest
}

const (
	// tokenLife is how long a changed or removed group token may still be taken
	// for valid on another node. XXL-JOB reads its groups every 30 s.
	tokenLife = 5 * time.Second
	// tokenGap is the least time between two reads that unknown tokens cause.
	tokenGap = time.Second
)

// NewExecutors takes the token for all executors, empty for none, and where the
// groups with their tokens are read.
func NewExecutors(token string, groups func(context.Context) ([]*xxladapter.Group, error)) *Executors {
	return &Executors{global: digestOf(token), open: token == "", plain: token, groups: groups}
}

// RefuseDefault makes [DefaultToken] open nothing, also where a group has it for
// its own, as every group of a new XXL-JOB 3.5 database does. It is still sent.
func (e *Executors) RefuseDefault() { e.noDefault.Store(true) }

// A Caller is what a token says about who makes a call. The zero value may do
// nothing.
type Caller struct {
	every  bool
	except []string // with every: apps that have a token of their own
	apps   []string
}

// May reports whether the caller may act for the executors of an app.
func (c Caller) May(app string) bool {
	return slices.Contains(c.apps, app) || c.every && !slices.Contains(c.except, app)
}

// Any reports whether the caller may act for all apps.
func (c Caller) Any() bool { return c.every && len(c.except) == 0 }

// Caller finds out who bears token. appName is what the call itself says, empty
// for executors before XXL-JOB 3.5, which do not say it. ok is false where the
// token is wrong, or is not that of appName.
//
// Without a token for all executors every token is as good as that one, and acts
// for the apps that have no token of their own.
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
		if known, err = e.read(ctx, tokenGap); err != nil { // it may be a new one
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

// caller compares with the tokens of all groups.
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

// Sent is the app name and the token that a call to an executor carries: those
// of its group, where appName is empty the group that has the address, and the
// token for all where the group has none of its own.
func (e *Executors) Sent(ctx context.Context, addr, appName string) (app, token string) {
	known, err := e.read(ctx, tokenLife)
	if err != nil {
		return appName, e.plain
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

// Forget makes the next call read the groups anew, because one was changed.
func (e *Executors) Forget() { e.known.Store(nil) }

// read returns what is known of the groups, at most life old. While somebody
// reads, the others go on with what was known.
func (e *Executors) read(ctx context.Context, life time.Duration) (*groupTokens, error) {
	known := e.known.Load()
	if known != nil && (time.Since(known.at) < life || !e.loading.TryLock()) {
		return known, nil
	}
	if known == nil {
		e.loading.Lock()
	}
	defer e.loading.Unlock()
	if newer := e.known.Load(); newer != nil && newer != known {
		return newer, nil
	}
	groups, err := e.groups(ctx)
	if err != nil {
		return known, orNil(known, err)
	}
	fresh := &groupTokens{at: time.Now(), appOf: make(map[string]string)}
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
	e.known.Store(fresh)
	return fresh, nil
}

// orNil forgives a failed read where something is known: tokens stay valid
// while the store is out of reach.
func orNil(known *groupTokens, err error) error {
	if known != nil {
		return nil
	}
	return err
}
