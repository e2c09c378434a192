//go:build unix

package testserver

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// redisEnv names a Redis server to use in place of a new one; it must sync each write.
const redisEnv = "XXLWHEEL_TEST_REDIS_URL"

// Redis returns the URL of a server that all tests of the binary share, which syncs each write.
// Stores keep apart by their keys, so it is not emptied.
func Redis(t testing.TB) string {
	t.Helper()
	Short(t)
	if url := os.Getenv(redisEnv); url != "" {
		return url
	}
	s, err := sharedRedis()
	orMissing(t, err)
	return s.URL("0")
}

// No test cuts the power of the shared server, so nothing needs a disk.
var sharedRedis = sync.OnceValues(func() (*Server, error) {
	s, err := startRedis(inMemory())
	if err == nil {
		atEnd(func() { _ = s.close() })
	}
	return s, err
})

// StartRedis starts a server that ends with the test and syncs each write. settings are additional
// options of redis-server, each a name and its value as in "appendfsync everysec", where a value
// may consist of several words.
func StartRedis(t testing.TB, settings ...string) *Server {
	t.Helper()
	Short(t)
	s, err := startRedis("", settings...)
	orMissing(t, err)
	s.closeWith(t)
	return s
}

var errNoRedis = missingError("Redis is missing: the program redis-server is not on PATH")

func redisProgram() (string, error) {
	program, err := exec.LookPath("redis-server")
	if err != nil {
		return "", errNoRedis
	}
	return program, nil
}

func startRedis(parent string, settings ...string) (*Server, error) {
	program, err := redisProgram()
	if err != nil {
		return nil, err
	}
	account, err := serverAccount("redis")
	if err != nil {
		return nil, err
	}
	return begin(redisEngine(program), account, parent, settings)
}

// redisDatabases counts the databases that tests got, of the 16 of each server.
var redisDatabases atomic.Int64

func redisEngine(program string) engine {
	url := func(port, database string) string { return "redis://127.0.0.1:" + port + "/" + database }
	return engine{
		program:    program,
		initialize: func(*Server) error { return nil },
		arguments: func(s *Server) []string {
			return []string{"--port", strconv.Itoa(s.port), "--bind", "127.0.0.1", "--dir", s.dir, "--save", "",
				"--appendonly", "yes", "--appendfsync", "always"}
		},
		setting: func(option string) []string {
			words := strings.Fields(option)
			return append([]string{"--" + words[0]}, words[1:]...)
		},
		url: url,
		ping: func(s *Server) error {
			opts, err := redis.ParseURL(s.URL("0"))
			if err != nil {
				return err
			}
			client := redis.NewClient(opts)
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			err = client.Ping(ctx).Err()
			if redis.HasErrorPrefix(err, "NOAUTH") { // the test's settings have users with passwords
				err = nil
			}
			return errors.Join(err, client.Close())
		},
		create: func(*Server) (string, error) { return strconv.FormatInt(redisDatabases.Add(1)%16, 10), nil },
		quit:   syscall.SIGTERM,
	}
}
