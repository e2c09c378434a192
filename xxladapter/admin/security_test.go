package admin

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/accounts"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/executorapi"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// These tests cover the faults of XXL-JOB's history, and of its 3.5 open API, that do not concern
// web pages.

// siteWith returns a site with changed options.
func siteWith(t *testing.T, change func(*Options)) *site {
	t.Helper()
	s := unservedSite(t, change)
	srv := httptest.NewServer(s.server)
	t.Cleanup(srv.Close)
	t.Cleanup(s.server.EndStreams) // for which Close would wait
	s.url, s.client = srv.URL, srv.Client()
	return s
}

// siteInBubble returns a server as [siteWith] does, behind connections in memory.
func siteInBubble(t *testing.T, change func(*Options)) *site {
	t.Helper()
	s := unservedSite(t, change)
	ln := testserver.NewPipes()
	srv, ended := &http.Server{Handler: s.server}, make(chan error)
	go func() { ended <- srv.Serve(ln) }()
	t.Cleanup(func() {
		s.server.EndStreams()
		require.NoError(t, srv.Close())
		require.ErrorIs(t, <-ended, http.ErrServerClosed)
	})
	s.url, s.client = "http://"+ln.Addr().String(), &http.Client{Transport: &http.Transport{DialContext: ln.Dial}}
	return s
}

// unservedSite returns a site that nothing serves yet: it has neither a URL nor a client.
func unservedSite(t *testing.T, change func(*Options)) *site {
	t.Helper()
	s := &site{t: t, store: memstore.New(time.Now), executors: new(fakeExecutors)}
	s.completer = &fakeCompleter{store: s.store}
	opts := Options{
		Store: s.store, Completer: s.completer, Executors: s.executors, AccessToken: testToken, Zone: time.UTC,
		Purger:     new(purgeNote),
		Logger:     slog.New(slog.DiscardHandler),
		Planned:    func(f xxladapter.Fire) { s.note(func() { s.planned = append(s.planned, f) }) },
		JobChanged: func() { s.note(func() { s.changed++ }) },
		JobRemoved: func() { s.note(func() { s.removed++ }) },
	}
	if change != nil {
		change(&opts)
	}
	if opts.Accounts == nil {
		opts.Accounts = accounts.New(s.store, opts.Logger)
	}
	var err error
	s.server, err = New(opts)
	require.NoError(t, err)
	return s
}

func TestAnEmptyOrWrongTokenOpensNothing(t *testing.T) {
	s := newSite(t)
	for _, token := range []string{"", " ", "a secre", "a secret ", "A SECRET", "null", "undefined", access.DefaultToken} {
		for _, c := range s.server.calls() {
			if c.Need.Public {
				continue
			}
			status, body := s.do(c.Method, strings.ReplaceAll(c.Path, "{id}", "1"), token, "{}")
			if token == "a secret " {
				continue // HTTP itself cuts off the blank
			}
			require.Equal(t, http.StatusUnauthorized, status, "%s %s with %q: %s", c.Method, c.Path, token, body)
		}
		for _, op := range executorapi.Operations() {
			if token == "a secret " {
				continue
			}
			got := s.call(wire.AdminPath+op, "", token, "{}")
			require.Equal(t, 500, got.Code)
			require.Equal(t, wire.MsgWrongToken, got.Msg)
			got = s.call(wire.AdminPath+op, "some-app", token, "{}")
			require.Equal(t, wire.MsgWrongAppToken, got.Msg)
		}
	}
}

func TestAReadTokenChangesNothing(t *testing.T) {
	s := siteWith(t, func(o *Options) { o.OperatorTokens, o.ReadTokens = []string{"operator"}, []string{"reader"} })
	for _, c := range s.server.calls() {
		if c.Need.Public {
			continue
		}
		path := strings.ReplaceAll(c.Path, "{id}", "1")
		status, body := s.do(c.Method, path, "reader", "{}")
		if forUsers(c) { // a token of the settings is no user, and sees no tokens of users
			require.Equal(t, http.StatusForbidden, status, path)
			continue
		}
		if (strings.HasPrefix(path, "/api/v1/users") || path == "/api/v1/takeover") && c.Method == http.MethodGet {
			require.Equal(t, http.StatusForbidden, status, path)
			continue
		}
		if c.Method == http.MethodGet {
			require.NotContains(t, []int{http.StatusUnauthorized, http.StatusForbidden}, status, path)
			continue
		}
		require.Equal(t, http.StatusForbidden, status, path)
		require.Contains(t, body, `"code":"forbidden"`)
		status, _ = s.do(c.Method, path, "operator", "{}")
		require.NotContains(t, []int{http.StatusUnauthorized, http.StatusForbidden}, status, path)
	}
	require.Equal(t, 500, s.replay(wire.AdminPath, "registry", "", "reader").Code, "a read token is no executor token")
	require.Equal(t, 500, s.replay(wire.AdminPath, "registry", "", "operator").Code)
	status, _ := s.do("GET", "/api/v1/jobs", testToken, "")
	require.Equal(t, http.StatusUnauthorized, status, "once there is an operator token, an executor token opens no operator call")
}

// guarded returns a site with two groups that have tokens of their own, each with a job and a run.
func guarded(t *testing.T, global string) (s *site, runs [2]int64) {
	s = siteWith(t, func(o *Options) {
		o.AccessToken, o.OperatorTokens = global, []string{"operator"}
	})
	for i, app := range []string{"pay-app", "mail-app"} {
		_, err := s.store.SaveGroup(t.Context(), &xxladapter.Group{AppName: app, Title: app, AccessToken: app + "-token"})
		require.NoError(t, err)
		id, err := xxladapter.CreateJob(t.Context(), s.store, &xxladapter.Job{
			GroupID: int64(i + 1), Name: app, Author: "a", Handler: "h", ScheduleType: xxladapter.ScheduleCron, ScheduleConf: "0 0 2 * * ?",
			Misfire: xxladapter.MisfireDoNothing, Route: xxladapter.RouteFirst, Block: xxladapter.BlockSerial, GlueType: xxladapter.GlueBean,
		})

		require.NoError(t, err)
		runs[i] = s.runIn(id, int64(i+1), xxladapter.ResultOK)
	}
	return s, runs
}

func TestAnExecutorActsForItsOwnAppOnly(t *testing.T) {
	for name, global := range map[string]string{"with a token for all": testToken, "without": ""} {
		t.Run(name, func(t *testing.T) {
			s, runs := guarded(t, global)
			registry := func(app string) string {
				return `{"registryGroup":"EXECUTOR","registryKey":"` + app + `","registryValue":"http://10.0.0.7:9999/"}`
			}
			addresses := func(i int) []string {
				groups, err := s.store.Groups(t.Context())
				require.NoError(t, err)
				return groups[i].Addresses
			}
			// Older generations do not send their app name, newer ones do.
			for _, app := range []string{"", "pay-app"} {
				require.Equal(t, 200, s.call("/api/registry", app, "pay-app-token", registry("pay-app")).Code)
				require.Len(t, addresses(0), 1)
				require.Equal(t, reply{Code: 500, Msg: `registryKey is "mail-app", must be the app that the access token is for`},
					s.call("/api/registry", app, "pay-app-token", registry("mail-app")))
				require.NoError(t, s.store.Register(t.Context(), "mail-app", "http://10.0.0.7:9999/"))
				require.Equal(t, 500, s.call("/api/registryRemove", app, "pay-app-token", registry("mail-app")).Code)
				require.Len(t, addresses(1), 1, "nobody takes another's address away")
				require.Equal(t, 200, s.call("/api/registryRemove", app, "pay-app-token", registry("pay-app")).Code)
				require.Empty(t, addresses(0))

				for _, op := range []string{"startJob", "stopJob", "removeJob", "triggerJob"} {
					require.Equal(t, reply{Code: 500, Msg: "job 2 does not exist"}, s.call("/api/"+op, app, "pay-app-token", `{"id":2}`), op)
				}
				require.Equal(t, reply{Code: 500, Msg: "job 2 does not exist"}, s.replay("/api/", "updateJob", app, "pay-app-token", ":12", ":2"))
				require.Equal(t, reply{Code: 500, Msg: "group 2 does not exist"}, s.replay("/api/", "addJob", app, "pay-app-token", `"jobGroup":1`, `"jobGroup":2`))
				require.Equal(t, 200, s.call("/api/startJob", app, "pay-app-token", `{"id":1}`).Code, "its own")

				s.completer.got = nil
				both, err := json.Marshal(wire.Callbacks{
					{LogID: wire.Int(runs[1]), HandleCode: 200}, {LogID: wire.Int(runs[0]), HandleCode: 200}, {LogID: 4711, HandleCode: 200},
				})
				require.NoError(t, err)
				require.Equal(t, 200, s.call("/api/callback", app, "pay-app-token", string(both)).Code)
				require.Equal(t, []wire.Callback{{LogID: wire.Int(runs[0]), HandleCode: 200}}, s.completer.got)
			}
			require.Equal(t, reply{Code: 500, Msg: wire.MsgWrongAppToken}, s.call("/api/registry", "mail-app", "pay-app-token", registry("mail-app")))
			status, _ := s.do("GET", "/api/v1/jobs", "pay-app-token", "")
			require.Equal(t, http.StatusUnauthorized, status)
			got := s.call("/api/registry", "", global, registry("pay-app"))
			require.Equal(t, global != "", got.Code == 200, "an app with a token of its own is not open to all: %s", got.Msg)
		})
	}
}

// TestTheAuditNamesTheAppOfAnExecutorThatDoesNot checks executors before XXL-JOB 3.5: they do not
// send their app name, and the token of a group tells it.
func TestTheAuditNamesTheAppOfAnExecutorThatDoesNot(t *testing.T) {
	s, _ := guarded(t, testToken)
	for token, name := range map[string]string{"pay-app-token": "pay-app", testToken: ""} {
		before, err := s.store.AuditRows(t.Context(), xxladapter.AuditFilter{})
		require.NoError(t, err)
		require.Equal(t, 200, s.call("/api/triggerJob", "", token, `{"id":1}`).Code)
		rows, err := s.store.AuditRows(t.Context(), xxladapter.AuditFilter{})
		require.NoError(t, err)
		require.Len(t, rows, len(before)+1)
		require.Equal(t, name, rows[len(before)].Actor.Name)
	}
}

func TestRegistrationNamesNoForbiddenAddress(t *testing.T) {
	own := &access.Addresses{}
	own.Serve(&net.TCPAddr{IP: net.IPv4(10, 0, 0, 5), Port: 8080})
	s := siteWith(t, func(o *Options) { o.Addresses = own })
	_, err := s.store.SaveGroup(t.Context(), &xxladapter.Group{AppName: "some-app", Title: "t"})
	require.NoError(t, err)
	for _, addr := range []string{
		"http://169.254.169.254/", "http://[fe80::1]:9999/", "http://[::ffff:169.254.169.254]/", "http://0.0.0.0:9999/",
		"http://10.0.0.5:8080/", "http://u@10.0.0.7:9999/", "http://10.0.0.7:9999/?",
	} {
		got := s.call("/api/registry", "", testToken, `{"registryGroup":"EXECUTOR","registryKey":"some-app","registryValue":"`+addr+`"}`)
		require.Equal(t, 500, got.Code, addr)
		require.Contains(t, got.Msg, "registryValue contains", addr)
		status, body := s.do("POST", "/api/v1/groups", testToken, `{"appName":"manual-app","addressType":1,"addressList":["`+addr+`"]}`)
		require.Equal(t, http.StatusBadRequest, status, "%s: %s", addr, body)
	}
	g, err := s.store.Group(t.Context(), 1)
	require.NoError(t, err)
	require.Empty(t, g.Addresses)
}

func TestTriggerAddressesMayBeAllowedByNetwork(t *testing.T) {
	s := siteWith(t, func(o *Options) {
		o.Addresses = &access.Addresses{Allow: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("169.254.0.0/16")}}
	})
	s.createJob("")
	for addr, ok := range map[string]bool{
		"http://10.1.2.3:9999/": true, "http://10.2.0.1:9999/": false, "http://169.254.169.254/": false, "http://some-host:9999/": false,
	} {
		status, body := s.do("POST", "/api/v1/jobs/1/trigger", testToken, `{"addressList":["`+addr+`"]}`)
		require.Equal(t, ok, status == http.StatusOK, "%s: %s", addr, body)
	}
	require.Len(t, s.planned, 1)
}

// TestAnExecutorOfOneAppTriggersOnItsOwnAddressesOnly checks that the networks that are allowed are
// not open to an executor that acts for one app: others of its kind may be there.
func TestAnExecutorOfOneAppTriggersOnItsOwnAddressesOnly(t *testing.T) {
	s, _ := guarded(t, testToken)
	s.server.opts.Addresses.Allow = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	require.NoError(t, s.store.Register(t.Context(), "pay-app", "http://10.0.0.7:9999/"))
	require.NoError(t, s.store.Register(t.Context(), "mail-app", "http://10.0.0.8:9999/"))
	trigger := func(app, token, addr string) reply {
		return s.call("/api/triggerJob", app, token, `{"id":1,"addressList":"`+addr+`"}`)
	}
	for _, app := range []string{"", "pay-app"} {
		for _, addr := range []string{"http://10.0.0.8:9999/", "http://10.0.0.9:9999/"} {
			require.Equal(t, reply{Code: 500, Msg: `addressList contains "` + addr + `", must be an address of group pay-app`},
				trigger(app, "pay-app-token", addr))
		}
		require.Equal(t, 200, trigger(app, "pay-app-token", "http://10.0.0.7:9999/").Code, "its own")
	}
	require.Len(t, s.planned, 2)
	require.Equal(t, 200, trigger("", testToken, "http://10.0.0.9:9999/").Code, "who acts for all apps may")
}

// TestNoPageOfAnotherSiteCalls checks that a page of another site, open in the browser of a user
// who can reach the port, cannot do anything with it.
func TestNoPageOfAnotherSiteCalls(t *testing.T) {
	s := siteWith(t, func(o *Options) { o.AccessToken = "" }) // as on loopback, where it matters most
	for _, path := range []string{"/api/v1/jobs", "/api/v1/groups", "/api/registry", "/xxl-job-admin/api/addJob"} {
		for header, value := range map[string]string{"Origin": "https://evil.example.org", "Sec-Fetch-Site": "cross-site"} {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+path, strings.NewReader(`{"appName":"some-app"}`))
			require.NoError(t, err)
			req.Header.Set(header, value)
			req.Header.Set("Content-Type", "text/plain")
			resp, err := s.client.Do(req)
			require.NoError(t, err)
			var answer struct{ Code any }
			require.NoError(t, json.NewDecoder(resp.Body).Decode(&answer))
			require.NoError(t, resp.Body.Close())
			require.Contains(t, []any{"forbidden", 500.0}, answer.Code, path)
		}
	}
	groups, err := s.store.Groups(t.Context())
	require.NoError(t, err)
	require.Empty(t, groups)
}

// TestNoNameIsPassedOffAsThisMachines checks that the Host header must name this machine. A page
// whose name resolves to this machine has the same origin, and only that header reveals it. The
// check is for callers without a token.
func TestNoNameIsPassedOffAsThisMachines(t *testing.T) {
	call := func(s *site, method, path, host string) (status int, body string) {
		req, err := http.NewRequestWithContext(t.Context(), method, s.url+path, strings.NewReader(map[string]string{"POST": `{"appName":"some-app"}`}[method]))
		require.NoError(t, err)
		req.Host = host
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Origin", "http://"+host)
		req.Header.Set("Sec-Fetch-Site", "same-origin")
		resp, err := s.client.Do(req)
		require.NoError(t, err)
		defer resp.Body.Close()
		data, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		return resp.StatusCode, string(data)
	}
	metricsPage := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("figures")) })
	s := siteWith(t, func(o *Options) {
		o.AccessToken, o.AllowHosts, o.Metrics = "", []string{"jobs.example.org"}, metricsPage
	})
	const host = "evil.example:8091"
	for _, path := range []string{"POST /api/v1/groups", "GET /api/v1/jobs", "GET /metrics", "GET /api/v1/nowhere"} {
		method, path, _ := strings.Cut(path, " ")
		status, body := call(s, method, path, host)
		require.Equal(t, http.StatusForbidden, status, path)
		require.Contains(t, body, `the Host header is`, path)
		require.Contains(t, body, `evil.example:8091`, path)
	}
	for _, path := range []string{"/api/registry", "/xxl-job-admin/api/callback"} {
		status, body := call(s, "POST", path, host)
		require.Equal(t, http.StatusOK, status)
		require.Contains(t, body, `"code":500,"msg":"invalid request, the Host header is`, path)
	}
	groups, err := s.store.Groups(t.Context())
	require.NoError(t, err)
	require.Empty(t, groups)
	for _, host := range []string{"localhost:8091", "jobs.example.org"} {
		status, body := call(s, "GET", "/api/v1/jobs", host)
		require.Equal(t, http.StatusOK, status, body)
		status, _ = call(s, "GET", "/metrics", host)
		require.Equal(t, http.StatusOK, status)
	}

	// Callers that need a token may use any name; executors without one may not.
	s = siteWith(t, func(o *Options) { o.AccessToken, o.OperatorTokens = "", []string{"an operator's token"} })
	status, _ := call(s, "GET", "/api/v1/jobs", host)
	require.Equal(t, http.StatusUnauthorized, status)
	_, body := call(s, "POST", "/api/registry", host)
	require.Contains(t, body, "the Host header is")
	s = siteWith(t, nil)
	_, body = call(s, "POST", "/api/registry", host)
	require.Contains(t, body, wire.MsgWrongToken)
}

func TestBodiesOfTheAPIAreBounded(t *testing.T) {
	s := newSite(t)
	big := `{"appName":"` + strings.Repeat("x", wire.MaxBody) + `"}`
	for _, c := range s.server.calls() {
		if c.Body == nil {
			continue
		}
		s.createJob("")
		status, body := s.do(c.Method, strings.ReplaceAll(c.Path, "{id}", "1"), testToken, big)
		require.Equal(t, http.StatusRequestEntityTooLarge, status, "%s %s", c.Method, c.Path)
		limit := map[bool]int{true: 16 << 10, false: 5 << 20}[c.Need.Public]
		require.JSONEq(t, fmt.Sprintf(`{"code":"invalid","message":"request body is over %d bytes"}`, limit), body)
	}
}

// TestMessagesAreOneLine checks that input of a caller cannot break the lines of logs and
// terminals.
func TestMessagesAreOneLine(t *testing.T) {
	s := newSite(t)
	for _, path := range []string{"/api/v1/no%0Asuch", "/api/v1/jobs/%0A%1B[2J", "/api/v1/jobs?%0A=1", "/api/v1/runs?since=%0D%0A"} {
		_, body := s.do("GET", path, testToken, "")
		var failure api.Error
		require.NoError(t, json.Unmarshal([]byte(body), &failure))
		require.NotEmpty(t, failure.Message)
		require.NotRegexp(t, `[[:cntrl:]]`, failure.Message)
	}
}

// TestCronExpressionsAreBounded checks that expressions that never match are answered quickly, and
// long ones are not parsed.
func TestCronExpressionsAreBounded(t *testing.T) {
	s := newSite(t)
	s.createJob("")
	begun := time.Now()
	for conf, message := range map[string]string{
		"0 0 0 30 2 ?":                           "must have a due time after",
		"0 0 0 29 2 ? 2097-2099":                 "must have a due time after",
		"0 0 0 ? 2 6#5 2101":                     "must have a due time after",
		strings.Repeat("0,", 64) + "0 * * * * ?": "scheduleConf has 139 characters, must have 0 to 128",
	} {
		_, body := s.do("PUT", "/api/v1/jobs/1", testToken, `{"scheduleType":"CRON","scheduleConf":"`+conf+`"}`)
		if body == "{}" {
			_, body = s.do("POST", "/api/v1/jobs/1/start", testToken, "")
		}
		require.Contains(t, body, message)
	}
	require.Less(t, time.Since(begun), 5*time.Second, "none of them burns the processor")
}
