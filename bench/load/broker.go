package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/queue"
)

// brokerStart limits the start of a broker.
const brokerStart = 10 * time.Second

// A broker is a nats-server with JetStream on an empty folder.
type broker struct {
	url string
	cmd *exec.Cmd
}

// startBroker starts a program of nats-server, whose files lie in dir, and returns when it listens.
func startBroker(ctx context.Context, program, dir string) (*broker, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	cmd := exec.Command(program, "-js", "-sd", filepath.Join(dir, "store"), "-a", "127.0.0.1", "-p", "-1", "--ports_file_dir", dir)
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start nats-server: %w", err)
	}
	b := &broker{cmd: cmd}
	ctx, cancel := context.WithTimeout(ctx, brokerStart)
	defer cancel()
	pollUntil(ctx, brokerStart, func() bool { return b.findPort(dir) })
	if b.url == "" {
		return nil, errors.Join(fmt.Errorf("nats-server %s does not listen within %v", program, brokerStart), b.stop())
	}
	return b, nil
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
func (o *opened) connectBroker(ctx context.Context, url string) (*queue.Conn, error) {
	if url == "" {
		return nil, nil
	}
	conn, err := queue.Connect(ctx, queue.Options{URL: url, Logger: logger})
	if err == nil {
		o.closings = append(o.closings, func() error { conn.Close(); return nil })
	}
	return conn, err
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

// cpuTime returns the processor time of the broker so far, and false on systems without /proc.
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
	if err := b.cmd.Wait(); !errors.As(err, &exit) { // it ends with status 1 after a signal
		return err
	}
	return nil
}
