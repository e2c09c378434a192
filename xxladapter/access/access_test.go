package access

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

func TestOtherMachinesNeedASecret(t *testing.T) {
	token := func(text string) Secret { return Secret{"--access-token", text} }
	for _, tt := range []struct {
		addr         string
		allowDefault bool
		required     Secret
		others       []Secret
		err          string
	}{
		// Other machines cannot reach these.
		{"127.0.0.1:8080", false, token(""), nil, ""},
		{"127.8.9.1:8080", false, token(""), nil, ""},
		{"[::1]:8080", false, token(""), nil, ""},
		{"localhost:8080", false, token("default_token"), nil, ""},
		{"/run/xxlwheel.sock", false, token(""), nil, ""},

		// Other machines can reach these.
		{":8080", false, token(""), nil, "--access-token is empty, must be set to listen on :8080, which other machines can reach"},
		{"0.0.0.0:8080", true, token(""), nil, "--access-token is empty, must be set to listen on 0.0.0.0:8080, which other machines can reach"},
		{"[::]:8080", false, token(""), nil, "--access-token is empty, must be set to listen on [::]:8080, which other machines can reach"},
		{"10.0.0.1:8080", false, token("default_token"), nil, "--access-token is default_token, which is well known, must be another one to listen on 10.0.0.1:8080"},
		{"example.org:8080", false, token("default_token"), nil, "--access-token is default_token, which is well known, must be another one to listen on example.org:8080"},
		{"10.0.0.1:8080", true, token("default_token"), nil, ""},
		{"10.0.0.1:8080", false, token("s3cret-8"), []Secret{{"--read-token", "default_token"}}, "--read-token is default_token, which is well known, must be another one to listen on 10.0.0.1:8080"},
		{"10.0.0.1:8080", false, token("s3cret-8"), []Secret{{"--read-token", "another-one"}}, ""},
	} {
		err := CheckListener(tt.addr, tt.allowDefault, tt.required, tt.others...)
		if tt.err == "" {
			require.NoError(t, err, tt.addr)
		} else {
			require.EqualError(t, err, tt.err)
		}
	}
}

func TestWhoIsReachable(t *testing.T) {
	require.True(t, Reachable(":1"))
	require.False(t, Reachable("127.0.0.1:1"))
}

func TestRolesOfTokens(t *testing.T) {
	o := NewOperators([]string{"full", ""}, []string{"read", "both"})
	for token, want := range map[string]xxladapter.Role{
		"full": xxladapter.RoleAdmin, "read": xxladapter.RoleViewer, "both": xxladapter.RoleViewer, "": None, "ful": None, "fulll": None, "FULL": None, "other": None,
	} {
		require.Equal(t, want, o.Role(token), "%q", token)
	}
	require.Equal(t, xxladapter.RoleAdmin, NewOperators([]string{"t"}, []string{"t"}).Role("t"))
	require.Equal(t, xxladapter.RoleAdmin, NewOperators([]string{""}, nil).Role("anything"), "no token at all")
	require.Equal(t, None, NewOperators([]string{""}, []string{"read"}).Role(""), "a read token alone opens nothing to others")
	require.Equal(t, None, Operators{}.Role(""), "the zero value")
}

// A registry is a list of groups that counts how often it is read.
type registry struct {
	mu     sync.Mutex
	groups []*xxladapter.Group
	reads  int
	fail   error
	slow   chan struct{} // delays a read until closed; nil delays nothing
}

func (r *registry) read(ctx context.Context) ([]*xxladapter.Group, error) {
	if r.slow != nil {
		select {
		case <-r.slow:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reads++
	return r.groups, r.fail
}

func twoGroups() *registry {
	return &registry{groups: []*xxladapter.Group{
		{AppName: "pay-app", AccessToken: "pay-token", Addresses: []string{"http://10.0.0.1:9999/", "http://10.0.0.9:9999"}},
		{AppName: "mail-app", AccessToken: "mail-token", Addresses: []string{"http://10.0.0.9:9999/"}},
		{AppName: "free-app", Addresses: []string{"http://10.0.0.3:9999"}},
	}}
}

func TestWhoActsForWhichApp(t *testing.T) {
	for _, tt := range []struct {
		name               string
		global, token, app string
		ok, any            bool
		may                string // the apps that it may act for, by first letter
	}{
		{"the token for all", "all", "all", "", true, true, "pmf"},
		{"the token for all, with an app name", "all", "all", "pay-app", true, true, "pmf"},
		{"a group's own", "all", "pay-token", "", true, false, "p"},
		{"a group's own, with its name", "all", "pay-token", "pay-app", true, false, "p"},
		{"a group's own, with another name", "all", "pay-token", "mail-app", false, false, ""},
		{"a group's own, with the name of none", "all", "pay-token", "no-app", false, false, ""},
		{"wrong", "all", "al", "", false, false, ""},
		{"none", "all", "", "", false, false, ""},
		{"none, for a group without", "all", "", "free-app", false, false, ""},

		// There is no token for all executors.
		{"nobody in particular", "", "", "", true, false, "f"},
		{"nobody in particular, with a free name", "", "", "free-app", true, false, "f"},
		{"nobody in particular, with a guarded name", "", "", "pay-app", false, false, ""},
		{"anything, with a free name", "", "whatever", "free-app", true, false, "f"},
		{"a group's own beside the free ones", "", "mail-token", "", true, false, "mf"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := NewExecutors(tt.global, twoGroups().read)
			c, ok, err := e.Caller(t.Context(), tt.token, tt.app)
			require.NoError(t, err)
			require.Equal(t, tt.ok, ok)
			require.Equal(t, tt.any, c.Any())
			may := ""
			for _, app := range []string{"pay-app", "mail-app", "free-app"} {
				if c.May(app) {
					may += app[:1]
				}
			}
			if tt.ok {
				require.Equal(t, tt.may, may)
			}
		})
	}
	require.False(t, Caller{}.May(""))
	require.False(t, Caller{}.Any())
	own := Caller{apps: []string{"pay-app"}}
	for app, want := range map[string]string{"pay-app": "pay-app", "mail-app": ""} {
		got, ok := own.Within(app).Own()
		require.Equal(t, want, got)
		require.Equal(t, want != "", ok)
	}
}

func TestTheDefaultTokenOfAGroupOpensNothing(t *testing.T) {
	r := &registry{groups: []*xxladapter.Group{{AppName: "new-app", AccessToken: DefaultToken}}}
	e := NewExecutors("all", r.read)
	_, ok, err := e.Caller(t.Context(), DefaultToken, "new-app")
	require.NoError(t, err)
	require.True(t, ok)
	e.RefuseDefault()
	_, ok, err = e.Caller(t.Context(), DefaultToken, "new-app")
	require.NoError(t, err)
	require.False(t, ok)
	_, token := e.Sent(t.Context(), "http://x", "new-app")
	require.Equal(t, DefaultToken, token, "its executors want it")
}

func TestWhatIsSentToAnExecutor(t *testing.T) {
	e := NewExecutors("all", twoGroups().read)
	for _, tt := range []struct{ addr, app, sentApp, token string }{
		{"http://x/", "pay-app", "pay-app", "pay-token"},
		{"http://x/", "free-app", "free-app", "all"},
		{"http://10.0.0.1:9999", "", "pay-app", "pay-token"}, // found by its address
		{"http://10.0.0.3:9999/", "", "free-app", "all"},
		{"http://10.0.0.9:9999/", "", "", "all"}, // shared by two groups
		{"http://unknown/", "", "", "all"},
	} {
		app, token := e.Sent(t.Context(), tt.addr, tt.app)
		require.Equal(t, [2]string{tt.sentApp, tt.token}, [2]string{app, token}, "%+v", tt)
	}
}

func TestGroupsAreReadRarelyAndNewTokensAreFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := twoGroups()
		e := NewExecutors("all", r.read)
		ask := func(token string) bool {
			_, ok, err := e.Caller(t.Context(), token, "")
			require.NoError(t, err)
			return ok
		}
		require.True(t, ask("all"))
		require.Zero(t, r.reads, "the token for all needs no groups")
		for range 100 {
			require.True(t, ask("pay-token"))
			require.False(t, ask("new-token"))
		}
		require.Equal(t, 1, r.reads)
		r.groups[2].AccessToken = "new-token"
		time.Sleep(tokenGap + 1)
		require.True(t, ask("new-token"), "found after a second")
		require.Equal(t, 2, r.reads)

		r.groups[2].AccessToken = ""
		require.True(t, ask("new-token"))
		e.Forget()
		require.False(t, ask("new-token"), "a change here counts at once")
		r.groups[2].AccessToken = "new-token"
		time.Sleep(tokenLife + 1)
		r.fail = errors.New("no store")
		require.True(t, ask("pay-token"), "the store is out of reach: what was known stays")
		require.False(t, ask("new-token"))

		_, _, err := NewExecutors("", r.read).Caller(t.Context(), "", "")
		require.Error(t, err, "nothing was ever known")
	})
}

// TestAChangeDuringAReadIsNotMissed adds a group after a read has seen the groups without it.
func TestAChangeDuringAReadIsNotMissed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := twoGroups()
		reads := 0
		var e *Executors
		e = NewExecutors("all", func(ctx context.Context) ([]*xxladapter.Group, error) {
			reads++
			found, err := r.read(ctx)
			if reads == 2 {
				r.groups = append(r.groups, &xxladapter.Group{AppName: "late", AccessToken: "late-token"})
				e.Forget()
			}
			return found, err
		})
		ask := func(token string) bool {
			_, ok, err := e.Caller(t.Context(), token, "")
			require.NoError(t, err)
			return ok
		}
		require.True(t, ask("pay-token"))
		time.Sleep(tokenLife)
		require.False(t, ask("late-token"), "this call began before the change")
		require.True(t, ask("late-token"))
		require.Equal(t, 3, reads)
	})
}

// TestGroupsAreReadEveryFiveSeconds checks that another node accepts a removed token for five
// seconds and no longer, and that the store is not asked for a known token meanwhile.
func TestGroupsAreReadEveryFiveSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := twoGroups()
		e := NewExecutors("all", r.read)
		ask := func() bool {
			_, ok, err := e.Caller(t.Context(), "pay-token", "")
			require.NoError(t, err)
			return ok
		}
		require.True(t, ask())
		r.groups[0].AccessToken = ""
		for range 49 {
			time.Sleep(100 * time.Millisecond)
			require.True(t, ask())
		}
		require.Equal(t, 1, r.reads)
		time.Sleep(100 * time.Millisecond)
		require.False(t, ask())
		require.Equal(t, 2, r.reads)

		open := NewExecutors("", r.read) // accepts any token, so none causes a further read
		for range 49 {
			_, ok, err := open.Caller(t.Context(), "whatever", "")
			require.NoError(t, err)
			require.True(t, ok)
			time.Sleep(100 * time.Millisecond)
		}
		require.Equal(t, 3, r.reads)
	})
}

// TestTheFirstCallersShareARead checks that the first callers all wait for one read.
func TestTheFirstCallersShareARead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := twoGroups()
		r.slow = make(chan struct{})
		e := NewExecutors("all", r.read)
		tokens := make(chan string, 10)
		for range cap(tokens) {
			go func() {
				_, token := e.Sent(t.Context(), "", "pay-app")
				tokens <- token
			}()
		}
		synctest.Wait()
		close(r.slow)
		for range cap(tokens) {
			require.Equal(t, "pay-token", <-tokens)
		}
		require.Equal(t, 1, r.reads)
	})
}

// TestANamedAppIsTheOnlyOne checks that a caller that names an app acts for that app only, even if
// others share its token.
func TestANamedAppIsTheOnlyOne(t *testing.T) {
	r := twoGroups()
	r.groups[1].AccessToken = "pay-token"
	for _, global := range []string{"all", ""} {
		e := NewExecutors(global, r.read)
		c, ok, err := e.Caller(t.Context(), "pay-token", "")
		require.NoError(t, err)
		require.True(t, ok)
		require.True(t, c.May("pay-app") && c.May("mail-app"))
		c, ok, err = e.Caller(t.Context(), "pay-token", "pay-app")
		require.NoError(t, err)
		require.True(t, ok)
		require.True(t, c.May("pay-app"))
		require.False(t, c.May("mail-app") || c.May("free-app") || c.Any())
	}
}

// TestASlowStoreHoldsUpOneCaller checks that only the caller that reads the groups waits, for
// sentWait at most, and then continues with the known token; all others get it at once.
func TestASlowStoreHoldsUpOneCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := twoGroups()
		e := NewExecutors("all", r.read)
		e.Sent(t.Context(), "", "pay-app")
		time.Sleep(tokenLife + 1)
		r.slow = make(chan struct{})
		first := make(chan string)
		began := time.Now()
		go func() {
			_, token := e.Sent(t.Context(), "", "pay-app")
			first <- token
		}()
		synctest.Wait()
		_, token := e.Sent(t.Context(), "", "pay-app") // a deadlock here fails the test
		require.Equal(t, "pay-token", token)
		require.Zero(t, time.Since(began))
		require.Equal(t, "pay-token", <-first)
		require.Equal(t, sentWait, time.Since(began))
	})
}

// TestASlowStoreHoldsUpNobodyAfterAChange checks that calls wait for sentWait at most, and then
// carry the former token, although the known ones were forgotten.
func TestASlowStoreHoldsUpNobodyAfterAChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := twoGroups()
		e := NewExecutors("all", r.read)
		e.Sent(t.Context(), "", "pay-app")
		r.slow = make(chan struct{})
		e.Forget()
		limited, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		for range 2 {
			began := time.Now()
			_, token := e.Sent(limited, "", "pay-app")
			require.Equal(t, "pay-token", token)
			require.Equal(t, sentWait, time.Since(began))
			go func() { _, _, _ = e.Caller(limited, "pay-token", "") }() // ends with limited, and reads meanwhile
			synctest.Wait()
		}
	})
}

func TestAddressesThatAreNoExecutors(t *testing.T) {
	a := new(Addresses)
	a.Serve(&net.TCPAddr{IP: net.IPv4(10, 0, 0, 5), Port: 8080})
	for _, bad := range []string{
		// Clouds serve their machines' secrets here.
		"http://169.254.169.254/", "http://169.254.169.254:80/latest/meta-data", "http://[fe80::1]:9999/", "http://[fe80::1%25eth0]:9999",
		"http://[fd00:ec2::254]/", "http://100.100.100.200/", "http://192.0.0.192/", "http://168.63.129.16/",
		"http://[fd00:ec2::23]/", "http://[fd20:ce::254]/", "http://[fd00:c1::a9fe:a9fe]/", "http://[fd00:42::42]/",
		"http://[::ffff:169.254.169.254]/", "https://[::ffff:a9fe:a9fe]/",

		// The same addresses behind a gateway that translates them.
		"http://[64:ff9b::a9fe:a9fe]/", "http://[64:ff9b:1::6464:64c8]/", "http://[2002:a9fe:a9fe::1]/", "http://[::169.254.169.254]/",

		// Where a gateway has the IPv4 address depends on the length of its prefix.
		"http://[64:ff9b:1:a9fe:a9:fe00:808:808]/", "http://[64:ff9b:1:a9:fe:a9fe:808:808]/", "http://[64:ff9b:1:0:a9:fea9:fe08:808]/", "http://[64:ff9b:1:808:8:800:a9fe:a9fe]/",

		// Not the address of a machine.
		"http://0.0.0.0:9999/", "http://[::]:9999/", "http://224.0.0.1:9999/", "http://[ff02::1]:9999/",

		// The scheduler itself.
		"http://10.0.0.5:8080/", "http://[::ffff:10.0.0.5]:8080/xxl-job-admin",

		// Tricks with the text.
		"http://good@169.254.169.254/", "http://10.0.0.7:9999/?x=", "http://10.0.0.7:9999/#x", "http://10.0.0.7:9999/?", "http://10.0.0.7:9999#",
		"http://", "http:///run", "http://:9999/", "file:///etc/passwd", "gopher://10.0.0.7:9999/", "10.0.0.7:9999", "http://a b/", "http://[::1", "http://%zz/",
	} {
		err := a.CheckURL("registryValue", bad)
		var forUser *xxladapter.Error
		require.ErrorAs(t, err, &forUser, bad)
		require.Contains(t, err.Error(), "registryValue contains ", bad)
	}
	for _, good := range []string{
		"http://10.0.0.7:9999/", "http://10.0.0.7:9999", "https://executor.example.org/app/", "http://127.0.0.1:9999/", "http://[2001:db8::7]:9999/",
		"http://10.0.0.5:8081/", "http://host:9999", "http://[64:ff9b::a00:7]:9999/", "http://[64:ff9b:1:a00:0:700::]:9999/", "http://[64:ff9b:1:a:0:7::]:9999/", "http://[64:ff9b:1:0:a:0:700:0]:9999/", "http://[64:ff9b:1::a00:7]:9999/",
		"http://[2002:a00:7::1]:9999/", "http://[::1]:9999/",
	} {
		require.NoError(t, a.CheckURL("registryValue", good), good)
		require.False(t, a.Allows(good), "there is no allow list")
	}
}

func TestTheAllowList(t *testing.T) {
	allow, err := ParsePrefixes([]string{"10.0.0.0/8", "2001:db8::7", "169.254.0.0/16", "::ffff:192.168.1.2", "::ffff:172.16.0.0/108"})
	require.NoError(t, err)
	a := &Addresses{Allow: allow}
	for text, want := range map[string]bool{
		"http://10.9.8.7:9999/": true, "http://[::ffff:10.9.8.7]:9999/": true, "http://[2001:db8::7]:1": true,
		"http://11.0.0.1:9999/": false, "http://[2001:db8::8]:1": false, "http://127.0.0.1:9999/": false,
		"http://192.168.1.2:9999/": true, "http://192.168.1.3:9999/": false, "http://172.31.0.1:9999/": true, "http://172.32.0.1:9999/": false,
		"http://169.254.169.254/": false, // never, whatever the list contains
	} {
		require.Equal(t, want, a.Allows(text), text)
		require.Equal(t, want, a.CheckURL("f", text) == nil, text)
	}
	require.NoError(t, a.CheckURL("f", "http://by-name:9999/"), "judged when it is called")
	require.False(t, a.Allows("http://by-name:9999/"))
	require.Error(t, a.CheckDial(netip.MustParseAddrPort("11.0.0.1:9999")))
	for _, bad := range []string{"10.0.0", "10.0.0.0/33", "", "::ffff:10.0.0.0/95"} {
		_, err := ParsePrefixes([]string{bad})
		require.EqualError(t, err, strconv.Quote(bad)+" is not a network such as 10.0.0.0/8")
	}
}

// TestAnAllowListOfOneNetwork checks a list of one network, in the form of IPv4 and in that of
// IPv6.
func TestAnAllowListOfOneNetwork(t *testing.T) {
	for _, network := range []string{"10.0.0.0/8", "::ffff:10.0.0.0/104"} {
		a := &Addresses{Allow: []netip.Prefix{netip.MustParsePrefix(network)}}
		for _, in := range []string{"10.1.2.3:9999", "[::ffff:10.1.2.3]:9999"} {
			require.NoError(t, a.CheckDial(netip.MustParseAddrPort(in)), network)
		}
		require.Error(t, a.CheckDial(netip.MustParseAddrPort("11.0.0.1:9999")), network)
	}
	a := &Addresses{Allow: []netip.Prefix{netip.MustParsePrefix("::/0")}}
	require.Error(t, a.CheckDial(netip.MustParseAddrPort("10.1.2.3:9999")), "a network of IPv6")
	require.NoError(t, new(Addresses).CheckDial(netip.MustParseAddrPort("11.0.0.1:9999")))
	for _, text := range []string{"http://%zz/", "http://[::1", ":", "", "10.1.2.3:9999"} {
		require.False(t, a.Allows(text), text)
	}
}

// TestTheSchedulerItselfWithoutAPort checks that a URL without a port has the default port of its
// scheme.
func TestTheSchedulerItselfWithoutAPort(t *testing.T) {
	for port, itself := range map[int]string{80: "http://10.0.0.5/", 443: "https://10.0.0.5/"} {
		a := new(Addresses)
		a.Serve(&net.TCPAddr{IP: net.IPv4(10, 0, 0, 5), Port: port})
		require.ErrorContains(t, a.CheckURL("f", itself), "is the scheduler itself")
		for _, other := range []string{"http://10.0.0.5:81/", "https://10.0.0.5:444/", "http://10.0.0.6/", "https://10.0.0.6/"} {
			require.NoError(t, a.CheckURL("f", other))
		}
	}
}

func TestAllInterfacesAreTheSchedulerItself(t *testing.T) {
	a := new(Addresses)
	a.Serve(&net.TCPAddr{IP: net.IPv6unspecified, Port: 8080})
	for _, own := range []string{"127.0.0.1", "127.0.0.2", "127.255.255.254", "[::ffff:127.1.2.3]", "[::1]"} {
		require.Error(t, a.CheckDial(netip.MustParseAddrPort(own+":8080")), own)
		require.NoError(t, a.CheckDial(netip.MustParseAddrPort(own+":8081")), own)
	}
}
