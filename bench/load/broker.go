package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/node"
	"github.com/xxlwheel/xxlwheel/xxladapter/queue"
)

// brokerStart limits the start of a broker.
const brokerStart = 10 * time.Second

// A broker is a nats-server with JetStream, or a redis-server, on an empty folder.
type broker struct {
	url string
	cmd *exec.Cmd
}

// startBroker starts a program, whose files lie in dir, and returns when it listens. One whose name
// begins with redis is a redis-server, and any other a nats-server.
func startBroker(ctx context.Context, program, dir string) (*broker, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	b := &broker{cmd: exec.Command(
		program, "-js", "-sd", filepath.Join(dir, "store"), "-a", "127.0.0.1", "-p", "-1", "--ports_file_dir", dir,
	)}
	listens := func() bool { return b.findPort(dir) }
	if strings.HasPrefix(filepath.Base(program), "redis") {
		port, err := freePort()
		if err != nil {
			return nil, err
		}
		b.cmd = exec.Command(
			program,
			"--bind", "127.0.0.1", "--port", strconv.Itoa(port), "--dir", dir, "--save", "", "--appendonly", "yes",
		)
		listens = func() bool { return b.answersAt(port) }
	}
	if err := b.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start broker: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, brokerStart)
	defer cancel()
	pollUntil(ctx, brokerStart, listens)
	if b.url == "" {
		return nil, errors.Join(fmt.Errorf("broker %s does not listen within %v", program, brokerStart), b.stop())
	}
	return b, nil
}

// answersAt reports whether a Redis listens on a port.
func (b *broker) answersAt(port int) bool {
	at := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	conn, err := net.Dial("tcp", at)
	if err != nil {
		return false
	}
	_ = conn.Close() // nothing was sent
	b.url = "redis://" + at
	return true
}

// broker starts the broker of a program, which ends with the measurement. Without a program the
// broker has no URL.
func (o *opened) broker(ctx context.Context, program string) (*broker, error) {
	if program == "" {
		return new(broker), nil
	}
	b, err := startBroker(ctx, program, filepath.Join(o.dir, "broker"))
	if err == nil {
		o.closings = append(o.closings, b.stop)
	}
	return b, err
}

// connectBroker connects a scheduler to a broker. It returns nil for an empty URL.
func (o *opened) connectBroker(ctx context.Context, url string) (node.Broker, error) {
	if url == "" {
		return nil, nil
	}
	conn, err := queue.Connect(ctx, queue.Options{URL: url, Logger: logger})
	if err != nil {
		return nil, err
	}
	o.closings = append(o.closings, func() error { conn.Close(); return nil })
	return conn, nil
}

// findPort reads the address of the broker from the file that it writes once it listens.
func (b *broker) findPort(dir string) bool {
	files, _ := filepath.Glob(filepath.Join(dir, "*.ports"))
	if len(files) == 0 {
		return false
	}
	text, err := os.ReadFile(files[0])
	var ports struct{ Nats []string }
	if err != nil || json.Unmarshal(text, &ports) != nil || len(ports.Nats) == 0 {
		return false
	}
	b.url = ports.Nats[0]
	return true
}

// cpuTime returns the processor time of the broker so far, and false if there is no broker or no
// /proc.
func (b *broker) cpuTime() (time.Duration, bool) {
	if b.cmd == nil {
		return 0, false
	}
	stat, ok := processStat(fmt.Sprint("/proc/", b.cmd.Process.Pid))
	return stat.own, ok
}

// stop ends the broker and waits for it.
func (b *broker) stop() error {
	if err := b.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	var exit *exec.ExitError
	if err := b.cmd.Wait(); !errors.As(err, &exit) { // a nats-server ends with status 1 after a signal
		return err
	}
	return nil
}
