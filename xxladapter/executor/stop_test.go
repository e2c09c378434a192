package executor

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

func TestStop(t *testing.T) {
	bubble(t, Options{StopGrace: 10 * time.Second}, func(t *testing.T, e *running, s *stage) {
		e.trigger(7, 1, "")
		e.trigger(7, 2, "")
		e.trigger(8, 3, "")
		began := time.Now()
		stopped := make(chan time.Duration, 1)
		go func() {
			e.stop()
			stopped <- time.Since(began)
		}()
		synctest.Wait()

		// At once: deregistered, new runs refused, waiting ones reported.
		_, removed := e.admin.beats()
		require.Equal(t, 1, removed)
		require.Equal(t, "500 web container destroy and kill the job. [job not executed, in the job queue, killed.]", e.outcome(2))
		require.Equal(t, "executor is stopping", e.trigger(9, 4, "").Msg)
		require.Equal(t, "executor is stopping", e.post("/beat", "").Msg, "a failover would choose it")
		require.Equal(t, "executor is stopping", e.post("/idleBeat", wire.IdleBeatRequest{JobID: 9}).Msg, "a busyover would choose it")

		// In the grace period a run may end normally.
		time.Sleep(10*time.Second - time.Nanosecond)
		s.end(nil) // 1 or 3
		require.Len(t, e.admin.results(), 2)
		require.Empty(t, stopped)

		// Then the remaining run is cancelled.
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		require.Equal(t, 10*time.Second, <-stopped)
		one, three := e.outcome(1), e.outcome(3)
		if one == "200" {
			one, three = three, one
		}
		require.Equal(t, "200", three)
		require.Equal(t, "500 web container destroy and kill the job. [job running, killed]", one)
	})
}

// TestARunThatIsSentAgainDuringAStopWasAccepted checks that a scheduler whose request got no answer
// hears that the run was accepted: otherwise it would have the run done elsewhere, too.
func TestARunThatIsSentAgainDuringAStopWasAccepted(t *testing.T) {
	bubble(t, Options{StopGrace: time.Minute}, func(t *testing.T, e *running, s *stage) {
		e.trigger(7, 1, "")
		stopped := make(chan bool)
		go func() {
			e.stop()
			close(stopped) // the test waits for it
		}()
		synctest.Wait()
		again := e.trigger(7, 1, "")
		s.end(nil)
		<-stopped
		require.Equal(t, "repeat trigger job, logId:1", again.Msg)
		require.Equal(t, "200", e.outcome(1))
	})
}

func TestStopEndsEarlyWhenNothingRuns(t *testing.T) {
	bubble(t, Options{StopGrace: time.Hour}, func(t *testing.T, e *running, s *stage) {
		e.trigger(7, 1, "")
		s.end(nil)
		began := time.Now()
		e.stop()
		require.Zero(t, time.Since(began))
	})
}

func TestStopAbandonsStubbornHandlers(t *testing.T) {
	bubble(t, Options{StopGrace: 5 * time.Second, AbandonAfter: 7 * time.Second}, func(t *testing.T, e *running, s *stage) {
		s.stubborn = true
		e.trigger(7, 1, "")
		began := time.Now()
		e.stop()
		require.Equal(t, 12*time.Second, time.Since(began))
		require.Equal(t, "500 web container destroy and kill the job. [job running, killed]", e.outcome(1))
		s.end(nil) // after the end, which must not disturb anything
	})
}

// TestAHandlerReturnsAfterTheStop lets abandoned handlers return after the stop: they are destroyed
// then, and nothing else happens.
func TestAHandlerReturnsAfterTheStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage()
		s.stubborn = true
		var destroyed atomic.Int32
		e := start(t, Options{StopGrace: -1, AbandonAfter: time.Second}, func(e *Executor) {
			require.NoError(t, e.Handle("stage", s.run, WithDestroy(func() { destroyed.Add(1) })))
		})
		e.trigger(7, 1, "")
		e.trigger(8, 2, "")
		e.stop()
		require.Zero(t, destroyed.Load())
		s.end(nil)
		s.end(nil)
		require.EqualValues(t, 2, destroyed.Load())
		require.Len(t, e.admin.results(), 2)
	})
}

// TestStopKeepsResults checks that results that no admin accepts do not delay the stop, and are not
// lost.
func TestStopKeepsResults(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, e *running, s *stage) {
		e.admin.setDown(true)
		e.trigger(7, 1, "")
		e.trigger(7, 2, "")
		began := time.Now()
		e.stop()
		require.Less(t, time.Since(began), 10*time.Second)
		results := readState(t, e.opts.DataDir).results
		require.Len(t, results, 2)
	})
}

// TestStopWithAnAdminThatHangs checks that admins that accept connections and do not answer delay a
// stop at most by a beat in flight, one call to each of them, and the last results.
func TestStopWithAnAdminThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		})}
		e := start(t, Options{HTTPClient: client, Admins: []string{"http://a", "http://b", "http://c"}}, withEcho(t))
		e.post("/run", beanRun(1, 1, "echo"))
		time.Sleep(time.Minute)
		began := time.Now()
		e.stop()
		require.LessOrEqual(t, time.Since(began), lastBeat+3*3*time.Second+callbackLast)
		require.Len(t, readState(t, e.opts.DataDir).results, 1)
	})
}

// TestRegistration checks when an executor registers and deregisters (XXL-JOB 2.4.2,
// ExecutorRegistryThread.java).
func TestRegistration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := start(t, Options{}, nil)
		synctest.Wait()
		registered, _ := e.admin.beats()
		require.Equal(t, 1, registered, "not at once")
		require.Equal(t, wire.Registry{Group: "EXECUTOR", Key: "orders", Value: "http://10.0.0.7:9999/"}, e.admin.registry[0])

		time.Sleep(30*time.Second - time.Nanosecond)
		synctest.Wait()
		registered, _ = e.admin.beats()
		require.Equal(t, 1, registered)
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		registered, _ = e.admin.beats()
		require.Equal(t, 2, registered)

		// After a failure the registration is repeated within a second or so, not after a
		// BeatInterval.
		e.admin.setDown(true)
		time.Sleep(30 * time.Second)
		e.admin.setDown(false)
		time.Sleep(time.Second)
		synctest.Wait()
		registered, _ = e.admin.beats()
		require.Equal(t, 3, registered)

		e.stop()
		_, removed := e.admin.beats()
		require.Equal(t, 1, removed)
		require.Equal(t, e.admin.registry[0], e.admin.removed[0])
		time.Sleep(time.Hour)
		now, _ := e.admin.beats()
		require.Equal(t, 3, now, "registered after the stop")
	})
}

// TestBeatDoesNotOvertakeTheDeregistration checks that an admin never receives a beat after the
// deregistration.
func TestBeatDoesNotOvertakeTheDeregistration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var noted []string
		client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			if strings.HasSuffix(r.URL.Path, wire.OpRegistry) {
				time.Sleep(900 * time.Millisecond) // whether or not the client still waits
			}
			mu.Lock()
			defer mu.Unlock()
			noted = append(noted, filepath.Base(r.URL.Path))
			return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(`{"code":200}`))}, nil
		})}
		e := start(t, Options{HTTPClient: client}, nil)
		time.Sleep(100 * time.Millisecond)
		e.stop()
		require.Equal(t, []string{"registry", "registryRemove"}, noted)
	})
}

// TestRegistrationBacksOff checks that the attempts to reach an admin that stays down become less
// frequent, but there is at least one in each BeatInterval.
func TestRegistrationBacksOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tries := 0
		client := &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
			tries++
			return nil, errDown{}
		})}
		e := start(t, Options{HTTPClient: client}, nil)
		time.Sleep(10 * time.Minute)
		e.stop()
		require.Greater(t, tries, 20)
		require.Less(t, tries, 40)
	})
}

func TestAddress(t *testing.T) {
	for name, c := range map[string]struct {
		o    Options
		want string // with PORT for the assigned one
	}{
		"loopback as it is": {Options{Listen: "127.0.0.1:0"}, "http://127.0.0.1:PORT/"},
		"name as it is":     {Options{Listen: "localhost:0"}, "http://localhost:PORT/"},
		"given":             {Options{Listen: "127.0.0.1:0", Address: "https://jobs.example.com/x"}, "https://jobs.example.com/x"},
	} {
		t.Run(name, func(t *testing.T) {
			e := start(t, c.o, nil)
			if host, rest, ok := strings.Cut(c.want, "PORT"); ok {
				require.True(t, strings.HasPrefix(e.Address(), host), e.Address())
				require.True(t, strings.HasSuffix(e.Address(), rest), e.Address())
				require.NotContains(t, e.Address(), ":0/")
				resp, err := http.Post(e.Address()+"beat", wire.ContentType, nil)
				require.NoError(t, err)
				resp.Body.Close()
				http.DefaultClient.CloseIdleConnections()
				return
			}
			require.Equal(t, c.want, e.Address())
		})
	}
}

func TestAddressOfAnInterface(t *testing.T) {
	own, err := access.OwnURL(":0", &net.TCPAddr{Port: 1}, false)
	if errors.Is(err, access.ErrNoInterface) {
		t.Skip("this machine has only a loopback interface")
	}
	require.NoError(t, err)
	e := start(t, Options{Listen: ":0", AllowNoToken: true}, nil)
	require.True(t, strings.HasPrefix(e.Address(), strings.TrimSuffix(own, "1")), e.Address())
}

// TestAStopDoesNotWaitForSilentConnections checks that a stop ends although a scheduler holds a
// spare connection on which it has sent no request.
func TestAStopDoesNotWaitForSilentConnections(t *testing.T) {
	e := start(t, Options{Listen: "127.0.0.1:0", StopGrace: -1}, nil)
	silent, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(e.Address(), "http://"), "/"))
	require.NoError(t, err)
	defer silent.Close()
	reply, err := http.Post(strings.TrimSuffix(e.Address(), "/")+wire.PathBeat, wire.ContentType, nil) // accepted after the silent one
	require.NoError(t, err)
	require.NoError(t, reply.Body.Close())
	began := time.Now()
	e.stop()
	require.Less(t, time.Since(began), 2*time.Second)
}

func TestBusyPort(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	e, err := New(Options{Listen: l.Addr().String(), DataDir: t.TempDir(), Logger: quietLogger()})
	require.NoError(t, err)
	err = e.Run(t.Context())
	require.ErrorContains(t, err, "executor: listen tcp "+l.Addr().String()+": bind: address already in use")
	require.NotContains(t, err.Error(), "\n")
	require.Empty(t, e.Address())
	require.ErrorContains(t, e.Run(t.Context()), "Run was called before")
}

func TestDataDirThatCannotBeMade(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	e, err := New(Options{Listen: "127.0.0.1:0", DataDir: filepath.Join(file, "data"), Logger: quietLogger()})
	require.NoError(t, err)
	require.ErrorContains(t, e.Run(context.Background()), "executor: create data directory: ")
}

func TestOptions(t *testing.T) {
	good := Options{Admins: []string{"http://a"}, AppName: "orders", AllowNoToken: true}
	for _, c := range []struct {
		change func(*Options)
		want   string
	}{
		{func(*Options) {}, ""},
		{func(o *Options) { *o = Options{AllowNoToken: true} }, ""},
		{func(o *Options) { o.Admins = []string{"a:8080"} }, `executor: Options.Admins is "a:8080", must be http or https URLs`},
		{func(o *Options) { o.Admins = []string{"http://a,ftp://b"} }, `executor: Options.Admins is "ftp://b", must be http or https URLs`},
		{func(o *Options) { o.Admins = []string{" ,"}; o.AppName = "" }, ""},
		{func(o *Options) { o.AppName = "" }, `executor: Options.AppName is "", must have 4 to 64 characters and no space around them`},
		{func(o *Options) { o.AppName = "abc" }, `executor: Options.AppName is "abc", must have 4 to 64 characters and no space around them`},
		{func(o *Options) { o.AppName = " orders" }, `executor: Options.AppName is " orders", must have 4 to 64 characters and no space around them`},
		{func(o *Options) { o.AppName = strings.Repeat("ä", 64) }, ""},
		{func(o *Options) { o.RequireAppName = true }, "executor: Options.RequireAppName is true, needs AccessToken and AppName"},
		{func(o *Options) { o.Scripts, o.AccessToken = true, " " }, "executor: Options.Scripts is true, needs AccessToken"},
		{func(o *Options) { o.Scripts, o.AccessToken = true, "secret-8" }, ""},
		{func(o *Options) { o.Address = "10.0.0.1:9999" }, `executor: Options.Address is "10.0.0.1:9999", must be an http or https URL of at most 255 characters without a comma`},
		{func(o *Options) { o.Address = "http://a,b/" }, `executor: Options.Address is "http://a,b/", must be an http or https URL of at most 255 characters without a comma`},
		{func(o *Options) { o.NoListen = true }, `executor: Options.Address is "", must be set with NoListen`},
		{func(o *Options) { o.Listen = "9999" }, `executor: Options.Listen is "9999", must be host:port`},
		{func(o *Options) { o.Listen = ":99999" }, `executor: Options.Listen is ":99999", must have a port from 0 to 65535`},
		{func(o *Options) { o.LogRetentionDays = 2 }, "executor: Options.LogRetentionDays is 2, must be 3 or more, 0 for 30, or negative for no cleaning"},
		{func(o *Options) { o.LogRetentionDays = -1 }, ""},
		{func(o *Options) { o.MaxRunLog = -1 }, "executor: Options.MaxRunLog is -1, must not be negative"},
		{func(o *Options) { o.MaxQueued = -1 }, "executor: Options.MaxQueued is -1, must not be negative"},
		{func(o *Options) { o.BeatInterval = -time.Second }, "executor: Options.BeatInterval is -1s, must not be negative"},
		{func(o *Options) { o.AdminTimeout = -1 }, "executor: Options.AdminTimeout is -1ns, must not be negative"},
	} {
		o := good
		c.change(&o)
		_, err := New(o)
		if c.want == "" {
			require.NoError(t, err)
			continue
		}
		require.EqualError(t, err, c.want)
	}
}

type orders struct{ closed, inits, destroyed atomic.Int32 }

func (o *orders) CloseOrders(context.Context, *Run) error { o.closed.Add(1); return nil }
func (o *orders) ShipOrders(context.Context, *Run) error  { return errors.New("no ship") }
func (o *orders) Count() int                              { return int(o.closed.Load()) }
func (o *orders) Init(context.Context) error              { o.inits.Add(1); return nil }
func (o *orders) Destroy()                                { o.destroyed.Add(1) }

func TestHandle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		nop := func(context.Context, *Run) error { return nil }
		o := &orders{}
		e := start(t, Options{}, func(e *Executor) {
			require.NoError(t, e.Handle("a", nop))
			require.EqualError(t, e.Handle("a", nop), `executor: handler name "a" is taken`)
			require.EqualError(t, e.Handle(" ", nop), `executor: handler name is " ", must not be empty`)
			require.EqualError(t, e.Handle("b", nil), `executor: handler "b" has no function`)
			require.NoError(t, e.HandleMethods(o))
			require.EqualError(t, e.HandleMethods(&orders{}), `executor: handler name "closeOrders" is taken`)
			require.EqualError(t, e.HandleMethods(nil), "executor: HandleMethods: receiver is nil, must not be nil")
			require.EqualError(t, e.HandleMethods(struct{}{}), `executor: struct {} has no method func(context.Context, *Run) error`)
		})
		e.post("/run", beanRun(1, 1, "closeOrders"))
		e.post("/run", beanRun(2, 2, "shipOrders"))
		require.Equal(t, "job handler [count] not found.", e.post("/run", beanRun(3, 3, "count")).Msg)
		synctest.Wait()
		require.Equal(t, "200", e.outcome(1))
		require.Equal(t, "500 no ship", e.outcome(2))
		require.NoError(t, e.Handle("late", nop))
		require.Equal(t, wire.OK(), e.post("/run", beanRun(3, 3, "late")))
		e.stop()
		require.Equal(t, []int32{1, 2, 2}, []int32{o.closed.Load(), o.inits.Load(), o.destroyed.Load()})
	})
}

// TestOtherMachinesNeedASecret checks that a port which other machines can reach needs an access
// token: anybody who can call it can run every handler.
func TestOtherMachinesNeedASecret(t *testing.T) {
	for _, tt := range []struct {
		o       Options
		refusal string // empty means that it is accepted
	}{
		{Options{}, "executor: Options.AccessToken is empty, must be set to listen on :9999, which other machines can reach"},
		{Options{Listen: "0.0.0.0:0"}, "executor: Options.AccessToken is empty, must be set to listen on 0.0.0.0:0, which other machines can reach"},
		{Options{Listen: "10.0.0.7:9999", AccessToken: "  "}, "executor: Options.AccessToken is empty, must be set to listen on 10.0.0.7:9999, which other machines can reach"},
		{Options{Listen: ":0", AccessToken: "default_token"}, "executor: Options.AccessToken is default_token, which is well known, must be another one to listen on :0"},
		{Options{Listen: ":0", AccessToken: "default_token", AllowNoToken: true}, "executor: Options.AccessToken is default_token, which is well known, must be another one to listen on :0"},
		{Options{Listen: ":0", AllowDefaultToken: true}, "executor: Options.AccessToken is empty, must be set to listen on :0, which other machines can reach"},

		{Options{Listen: ":0", AccessToken: "s3cret-8"}, ""},
		{Options{Listen: ":0", AllowNoToken: true}, ""},
		{Options{Listen: ":0", AccessToken: "default_token", AllowDefaultToken: true}, ""},
		{Options{Listen: "127.0.0.1:0"}, ""},
		{Options{Listen: "[::1]:0", AccessToken: "default_token"}, ""},
		{Options{NoListen: true}, ""}, // the application's own server
	} {
		_, err := New(tt.o)
		if tt.refusal == "" {
			require.NoError(t, err, "%+v", tt.o)
		} else {
			require.EqualError(t, err, tt.refusal)
		}
	}
}
