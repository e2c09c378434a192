//go:build unix

package testserver

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// zooKeeperJar is where Debian's package zookeeper has the server; its manifest names the rest.
const zooKeeperJar = "/usr/share/java/zookeeper.jar"

var errNoZooKeeper = missingError("ZooKeeper is missing: there is no " + zooKeeperJar + ", or no program java on PATH")

var zooKeeper = sync.OnceValues(func() (*Server, error) {
	s, err := startZooKeeper(inMemory())
	if err == nil {
		atEnd(func() { _ = s.close() })
	}
	return s, err
})

// ZooKeeper returns the URL of an elector that only this test uses, on a server that all tests of
// the binary share.
func ZooKeeper(t testing.TB) string {
	t.Helper()
	Short(t)
	s, err := zooKeeper()
	orMissing(t, err)
	return s.URL(newName())
}

// StartZooKeeper starts a server that ends with the test.
func StartZooKeeper(t testing.TB) *Server {
	t.Helper()
	Short(t)
	s, err := startZooKeeper(inMemory())
	orMissing(t, err)
	s.closeWith(t)
	return s
}

func startZooKeeper(parent string) (*Server, error) {
	java, err := exec.LookPath("java")
	if err != nil {
		return nil, errNoZooKeeper
	}
	if _, err := os.Stat(zooKeeperJar); err != nil {
		return nil, errNoZooKeeper
	}
	return begin(engine{
		program:    java,
		initialize: func(s *Server) error { return os.Mkdir(s.data(), 0o755) },
		arguments:  zooKeeperArguments,
		setting:    func(option string) []string { return []string{option} },
		url:        func(port, place string) string { return "zookeeper://127.0.0.1:" + port + "/" + place },
		ping:       pingZooKeeper,
		create:     func(*Server) (string, error) { return newName(), nil },
		quit:       syscall.SIGTERM,
	}, nil, parent, nil)
}

// zooKeeperArguments also writes the file that says where the server listens. A server without it
// does not start, and says so.
func zooKeeperArguments(s *Server) []string {
	file := filepath.Join(s.dir, "zoo.cfg")
	_ = os.WriteFile(file, fmt.Appendf(nil, "tickTime=2000\ndataDir=%s\nclientPort=%d\nclientPortAddress=127.0.0.1\n"+
		"maxClientCnxns=0\nadmin.enableServer=false\n4lw.commands.whitelist=srvr\n", s.data(), s.port), 0o644)
	// No test cuts the power, so nothing needs a sync.
	return []string{"-Xmx128m", "-XX:+UseSerialGC", "-Dzookeeper.forceSync=no", "-cp", zooKeeperJar,
		"org.apache.zookeeper.server.quorum.QuorumPeerMain", file}
}

// pingZooKeeper asks for the server's mode, which it has once it serves.
func pingZooKeeper(s *Server) error {
	conn, err := net.DialTimeout("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port)), time.Second)
	if err != nil {
		return err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Second))
	if _, err := conn.Write([]byte("srvr")); err != nil {
		return err
	}
	var answer [4096]byte
	n, err := conn.Read(answer[:])
	if err == nil && !strings.Contains(string(answer[:n]), "Mode:") {
		err = errors.New("it does not serve yet")
	}
	return err
}
