//go:build unix

package testserver

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
)

// A Server is a database server that belongs to one test, which may kill or freeze it. What it has
// committed is on the disk, unless its settings say otherwise.
type Server struct {
	engine   engine
	account  *account
	dir      string
	port     int
	settings []string
	process  *process // nil while it is stopped
}

// An engine holds what differs between kinds of servers, such as PostgreSQL and Redis.
type engine struct {
	program string
	// initialize creates an empty data directory.
	initialize func(s *Server) error
	// arguments returns the arguments of the program, without the settings of the test.
	arguments func(s *Server) []string
	// setting converts one of the test's settings into arguments.
	setting func(string) []string
	url     func(port, database string) string
	// ping returns nil when the server answers.
	ping func(s *Server) error
	// create creates an empty database with a new name.
	create func(s *Server) (name string, err error)
	// quit is the signal for a shutdown that does not wait for clients.
	quit syscall.Signal
}

// begin starts a new server with its data below parent; "" means the directory for temporary
// files.
func begin(e engine, a *account, parent string, settings []string) (*Server, error) {
	s := &Server{engine: e, account: a, settings: settings}
	var err error
	if s.dir, err = a.folder(parent); err != nil {
		return nil, err
	}
	err = e.initialize(s)
	if err == nil {
		s.port, err = freePort()
	}
	if err == nil {
		err = s.start()
	}
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

// URL returns the URL of one of the server's databases. Its user has all rights.
func (s *Server) URL(database string) string {
	return s.engine.url(strconv.Itoa(s.port), database)
}

// Database creates an empty database and returns its URL.
func (s *Server) Database(t testing.TB) string {
	t.Helper()
	name, err := s.engine.create(s)
	if err != nil {
		t.Fatal(err)
	}
	return s.URL(name)
}

// Start starts a server that was stopped or killed, with the same data and the same URL. It returns
// when the server answers.
func (s *Server) Start(t testing.TB) { t.Helper(); must(t, s.start()) }

func (s *Server) start() error {
	args := s.engine.arguments(s)
	for _, setting := range s.settings {
		args = append(args, s.engine.setting(setting)...)
	}
	var err error
	if s.process, err = s.account.launch(filepath.Join(s.dir, "log"), s.engine.program, args...); err != nil {
		return err
	}
	name := filepath.Base(s.engine.program)
	listens := Within(startWithin, func() bool {
		err = s.engine.ping(s)
		return err == nil || s.process.hasEnded()
	})
	switch {
	case err == nil:
		return nil
	case listens:
		return fmt.Errorf("%s ended: %s", name, s.process.lastWords())
	default:
		return fmt.Errorf("%s does not answer: %w: %s", name, err, s.process.lastWords())
	}
}

// Stop shuts the server down cleanly, without waiting for clients.
func (s *Server) Stop(t testing.TB) { t.Helper(); must(t, s.stop()) }

func (s *Server) stop() error {
	// Only the parent gets the signal: it stops its children itself.
	err := syscall.Kill(s.process.cmd.Process.Pid, s.engine.quit)
	err = errors.Join(err, s.process.wait())
	s.process = nil
	return err
}

// Kill ends all of the server's processes with SIGKILL.
func (s *Server) Kill(t testing.TB) { t.Helper(); must(t, s.kill()) }

func (s *Server) kill() error {
	family := s.process.family()
	err := s.process.signal(syscall.SIGKILL)
	err = errors.Join(err, s.process.wait())
	s.process = nil
	for _, pid := range family { // the orphans hold the data until they are gone
		if !Within(startWithin, func() bool { return syscall.Kill(pid, 0) != nil }) {
			err = errors.Join(err, fmt.Errorf("process %d does not end", pid))
		}
	}
	return err
}

// Freeze suspends all of the server's processes: connections stay open and nothing answers until
// Thaw.
func (s *Server) Freeze(t testing.TB) { t.Helper(); must(t, s.process.signal(syscall.SIGSTOP)) }

// Thaw resumes a frozen server.
func (s *Server) Thaw(t testing.TB) { t.Helper(); must(t, s.process.signal(syscall.SIGCONT)) }

// Backup copies the server's files as they are at this moment. restore replaces the files that the
// server has by then with the copy; the server must be stopped.
func (s *Server) Backup(t testing.TB) (restore func()) {
	t.Helper()
	kept := t.TempDir()
	must(t, os.CopyFS(kept, os.DirFS(s.dir)))
	return func() {
		t.Helper()
		must(t, errors.Join(os.RemoveAll(s.dir), os.CopyFS(s.dir, os.DirFS(kept)), s.account.own(s.dir)))
	}
}

// closeWith ends the server with the test.
func (s *Server) closeWith(t testing.TB) {
	t.Cleanup(func() {
		if err := s.close(); err != nil {
			t.Error(err)
		}
	})
}

// close ends the server, whatever its state, and removes its data.
func (s *Server) close() error {
	var err error
	if s.process != nil {
		err = s.kill()
	}
	return errors.Join(err, os.RemoveAll(s.dir))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
