package executor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/queue/delivery"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// An Executor runs jobs for schedulers. Create one with [New], give it handlers with
// [Executor.Handle], and call [Executor.Run]. All methods may be called from any goroutine.
type Executor struct {
	opts     Options
	handlers sync.Map // name -> *handler
	pages    *access.Pages
	ready    chan struct{}
	addr     string               // set before ready is closed
	live     atomic.Pointer[live] // nil before Run
	ran      atomic.Bool          // Run was called
	finished atomic.Bool          // every run has ended; calls are refused

	declaring sync.Mutex // guards declared
	declared  []Job
}

// live holds the parts of an executor that exist only while it runs.
type live struct {
	jobs    *jobs
	logs    *runLogs
	journal *journal
	scripts *scripts
	queue   delivery.Conn // nil means none
}

// New checks the options, and reads the files that they name for TLS. The error names the option
// that makes no sense, as an [OptionError] if it is about that option alone: a negative number is
// refused unless its field says what it means. New opens nothing else; Run does.
func New(o Options) (*Executor, error) {
	o, err := o.withDefaults()
	if err == nil {
		err = o.checkListener()
	}
	if err != nil {
		return nil, err
	}
	pages := access.NewPages(access.PagesOptions{
		Open: o.AccessToken == "", Listen: o.Listen, Hosts: o.hostNames(), Setting: "Options.AllowHosts",
	})
	return &Executor{opts: o, pages: pages, ready: make(chan struct{})}, nil
}

// Address returns the address that is registered with the schedulers, or "" before [Executor.Ready]
// is closed.
func (e *Executor) Address() string {
	select {
	case <-e.ready:
		return e.addr
	default:
		return ""
	}
}

// Ready returns a channel that is closed once requests are served. The first registration may still
// be in flight. The channel is never closed if Run fails before that.
func (e *Executor) Ready() <-chan struct{} { return e.ready }

// Run listens, registers and runs jobs until ctx ends. Then it refuses new runs, reports waiting
// ones as not executed, deregisters, lets running handlers continue for [Options.StopGrace],
// cancels them, and sends the results or keeps them in the data directory for the next start. It
// returns when all that is done, with an error if serving has failed or the last changes of the
// journal could not be stored.
//
// Run fails at once if the address is taken, or if the data directory cannot be used or belongs to
// a running executor. It may be called once.
func (e *Executor) Run(ctx context.Context) error {
	if e.ran.Swap(true) {
		return errors.New("executor: Run was called before")
	}
	if err := os.MkdirAll(e.opts.DataDir, 0o750); err != nil {
		return fmt.Errorf("executor: create data directory: %w", err)
	}
	unlock, err := lockDir(e.opts.DataDir)
	if err != nil {
		return err
	}
	defer unlock()

	var listener net.Listener
	if !e.opts.NoListen {
		if listener, err = net.Listen("tcp", e.opts.Listen); err != nil {
			return fmt.Errorf("executor: %w", err)
		}
		defer listener.Close()
	}
	conn, err := e.connectQueue(ctx)
	if err != nil && ctx.Err() != nil {
		return nil // stopped while it connected, which is no failure
	}
	if err != nil {
		return err
	}
	if conn != nil {
		defer conn.Close()
	} else if e.addr, err = e.findAddress(listener); err != nil {
		return err
	}
	since := dataSince(e.opts.DataDir, time.Now())
	journal, err := openJournal(e.opts.DataDir, e.opts)
	if err != nil {
		return fmt.Errorf("executor: %w", err)
	}
	e.reportUnfinished(journal)
	l := &live{queue: conn, journal: journal, logs: newRunLogs(e.opts.DataDir, e.opts.MaxRunLog, e.opts.Logger)}
	l.logs.since = since
	l.jobs = newJobs(journal, l.logs, &e.opts)
	l.scripts = newScripts(e.opts.DataDir)
	e.live.Store(l)

	err = e.serve(ctx, l, listener)
	e.finished.Store(true) // not done yet if serve has failed at its start
	l.logs.close()
	return errors.Join(err, journal.close())
}

// serve runs all parts until ctx ends, and stops them in order: registration, runs, server,
// results.
func (e *Executor) serve(ctx context.Context, l *live, listener net.Listener) error {
	admins := newAdmins(&e.opts)
	if l.queue != nil {
		admins = newQueuedAdmins(&e.opts, l.queue.Report)
	}
	defer admins.close()
	var serveErr error
	beatCtx, stopBeat := context.WithCancel(ctx) // ends with ctx, or when the server fails
	defer stopBeat()
	server := e.newServer()

	var serving, background, registration, taking sync.WaitGroup
	if l.queue != nil {
		at, _ := xxladapter.ParseQueueAddress(e.addr) // which connectQueue has made
		stopCalls, err := l.queue.Serve(at, e.answerCall)
		if err != nil {
			return fmt.Errorf("executor: %w", err)
		}
		defer stopCalls()
		in := newIntake(e, l, admins, at)
		taking.Go(func() { in.run(beatCtx) })
	}
	if listener != nil {
		serving.Go(func() {
			serveOn := server.Serve
			if server.TLSConfig != nil {
				serveOn = func(l net.Listener) error { return server.ServeTLS(l, "", "") }
			}
			if err := serveOn(listener); !errors.Is(err, http.ErrServerClosed) {
				serveErr = fmt.Errorf("executor: serve: %w", err)
				stopBeat()
			}
		})
	}
	close(e.ready)
	e.opts.Logger.Info("executor serves", "address", e.addr, "app", e.opts.AppName)

	sender := newSender(l.journal, admins, &e.opts)
	go sender.run() // sender.stop waits for it
	cleanCtx, stopClean := context.WithCancel(context.Background())
	background.Go(func() { l.logs.clean(cleanCtx, e.opts.LogRetentionDays, e.opts.Logger) })

	registration.Go(func() {
		e.register(beatCtx, admins)
		e.deregister(admins)
	})
	registration.Go(func() { e.sendDeclared(beatCtx, admins) })
	<-beatCtx.Done()

	taking.Wait()
	e.awaitHandlers(l.jobs, l.jobs.drain())
	registration.Wait()
	e.finished.Store(true)
	if listener != nil {
		closeServer(server)
		serving.Wait()
	}
	stopClean()
	sender.stop()
	background.Wait()
	if n := l.journal.waiting(); n > 0 {
		e.opts.Logger.Warn("results are kept for the next start; no admin accepted them", "results", n)
	}
	return serveErr
}

// newServer returns the server for the calls of schedulers.
func (e *Executor) newServer() *http.Server {
	server := &http.Server{
		Handler:           e,
		TLSConfig:         e.opts.serverTLS,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      time.Minute,      // from the header of a request to the end of its answer
		IdleTimeout:       90 * time.Second, // XXL-JOB: IdleStateHandler in EmbedServer
		ErrorLog:          slog.NewLogLogger(e.opts.Logger.Handler(), slog.LevelWarn),
	}
	access.CloseSilent(server)
	return server
}

// awaitHandlers waits for running handlers for StopGrace, then cancels them.
func (e *Executor) awaitHandlers(j *jobs, drained <-chan struct{}) {
	if e.opts.StopGrace > 0 {
		grace := time.NewTimer(e.opts.StopGrace)
		defer grace.Stop()
		select {
		case <-drained:
			return
		case <-grace.C:
		}
	}
	j.stopRunning()
	<-drained
}

// closeServer lets requests in flight end, for a short while.
func closeServer(server *http.Server) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	if server.Shutdown(ctx) != nil {
		_ = server.Close()
	}
}

// reportUnfinished gives a failed result to every run that the previous process did not finish.
// Without admins it only records their ends; with a queue it leaves them to the intake.
func (e *Executor) reportUnfinished(j *journal) {
	unfinished := j.unfinished()
	if e.opts.Queue != nil {
		unfinished = nil // the intake asks whether they were given to this executor
	}
	for _, r := range unfinished {
		if len(e.opts.Admins) == 0 {
			j.done(r.logID)
			continue
		}
		r.code, r.msg = wire.CodeFail, msgRestarted
		j.finish(r)
	}
	if n := j.waiting(); n > 0 {
		e.opts.Logger.Info("results of an earlier process are still to be sent", "results", n)
	}
}

// msgRestarted is the result of a run whose process ended before the run did.
const msgRestarted = "executor restarted before the run ended; it may have started"
