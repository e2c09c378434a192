//go:build unix

package testserver

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// errNoEtcd says why there is no etcd. Debian's is too old, so the server is built from its module,
// which elect/etcdtest names.
var errNoEtcd = missingError("etcd is missing: its module cannot be built")

var etcd = sync.OnceValues(func() (*Server, error) {
	s, err := startEtcd(inMemory())
	if err == nil {
		atEnd(func() { _ = s.close() })
	}
	return s, err
})

// Etcd returns the URL of an elector that only this test uses, on a server that all tests of the
// binary share. The first test of a machine builds the server, which takes minutes.
func Etcd(t testing.TB) string {
	t.Helper()
	Short(t)
	s, err := etcd()
	orMissing(t, err)
	return s.URL(newName())
}

// StartEtcd starts a server that ends with the test. settings are additional options of etcd; with
// --cert-file it serves TLS.
func StartEtcd(t testing.TB, settings ...string) *Server {
	t.Helper()
	Short(t)
	s, err := startEtcd(inMemory(), settings...)
	orMissing(t, err)
	s.closeWith(t)
	return s
}

// etcdProgram builds the server.
var etcdProgram = sync.OnceValues(func() (string, error) {
	module, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/xxlwheel/xxlwheel").Output()
	if err != nil {
		return "", fmt.Errorf("%w: %w", errNoEtcd, err)
	}
	dir, err := os.MkdirTemp("", "testserver")
	if err != nil {
		return "", err
	}
	atEnd(func() { _ = os.RemoveAll(dir) })
	file := filepath.Join(dir, "etcd")
	build := exec.Command("go", "build", "-o", file, ".")
	build.Dir = filepath.Join(strings.TrimSpace(string(module)), "xxladapter", "elect", "etcdtest")
	if said, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %w: %s", errNoEtcd, err, said)
	}
	return file, nil
})

func startEtcd(parent string, settings ...string) (*Server, error) {
	program, err := etcdProgram()
	if err != nil {
		return nil, err
	}
	scheme, tail := "http", ""
	if slices.ContainsFunc(settings, func(s string) bool { return strings.HasPrefix(s, "--cert-file") }) {
		scheme, tail = "https", "s"
	}
	return begin(engine{
		program:    program,
		initialize: func(*Server) error { return nil },
		arguments: func(s *Server) []string {
			at := scheme + "://127.0.0.1:" + strconv.Itoa(s.port)
			// Alone in its cluster, it needs no port for others. No test cuts the power.
			return []string{"--data-dir", s.data(), "--listen-client-urls", at, "--advertise-client-urls", at,
				"--listen-peer-urls", "http://127.0.0.1:0", "--log-level", "warn", "--unsafe-no-fsync"}
		},
		setting: func(option string) []string { return []string{option} },
		url:     func(port, place string) string { return "etcd" + tail + "://127.0.0.1:" + port + "/" + place },
		ping:    func(s *Server) error { return pingEtcd(scheme + "://127.0.0.1:" + strconv.Itoa(s.port)) },
		create:  func(*Server) (string, error) { return newName(), nil },
		quit:    syscall.SIGTERM,
	}, nil, parent, settings)
}

// pingEtcd asks whether the server serves.
func pingEtcd(at string) error {
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true} // it is asked for no secret
	client := http.Client{Transport: transport, Timeout: time.Second}
	answer, err := client.Get(at + "/health")
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("it answers %s", answer.Status)
	}
	return nil
}
