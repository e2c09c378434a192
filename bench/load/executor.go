package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"runtime/pprof"
	"strconv"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/executor"
	"github.com/xxlwheel/xxlwheel/xxladapter/queue"
)

// executorArg makes this program an executor that serves the jobs of a measurement. The scheduler's
// process starts it, so that the processor time of the two can be told apart.
const executorArg = "executor"

// executorOptions are the settings of the executor's process.
type executorOptions struct {
	Admin    string // the scheduler's address
	Queue    string // the broker's URL, in place of Admin; empty means HTTP
	App      string // empty means [appName]
	Token    string
	Dir      string
	Profile  string        // the file for a processor profile; empty means none
	Batch    bool          // takes batches of runs
	Answer   time.Duration // how much later it answers; 0 means at once
	Receipts string        // the file for [receipts], written at the end; empty means none
}

// An executorProcess is the other side of [serveJobs]. Its methods must not be called concurrently.
type executorProcess struct {
	addr string // that jobs are sent to

	cmd *exec.Cmd
	ask io.WriteCloser // closing it ends the process
	say *bufio.Scanner
}

// startExecutor starts an executor in a process of its own, and returns when it serves.
func startExecutor(opts executorOptions) (*executorProcess, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(opts)
	if err != nil {
		return nil, err
	}
	// No context: it ends when its input does, even if this process is killed.
	p := &executorProcess{cmd: exec.Command(program, executorArg, string(text))}
	p.cmd.Stderr = os.Stderr
	if p.ask, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.say = bufio.NewScanner(out)
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start executor: %w", err)
	}
	if p.addr, err = p.line(); err != nil {
		return nil, errors.Join(err, p.stop())
	}
	return p, nil
}

func (p *executorProcess) line() (string, error) {
	if !p.say.Scan() {
		return "", errors.Join(errors.New("the executor has ended"), p.say.Err())
	}
	return p.say.Text(), nil
}

// cpuTime returns the processor time of the executor so far.
func (p *executorProcess) cpuTime() (time.Duration, error) {
	if _, err := io.WriteString(p.ask, "\n"); err != nil {
		return 0, err
	}
	text, err := p.line()
	if err != nil {
		return 0, err
	}
	ns, err := strconv.ParseInt(text, 10, 64)
	return time.Duration(ns), err
}

// stop ends the process and waits for it. Further calls do nothing.
func (p *executorProcess) stop() error {
	_ = p.ask.Close() // it may have been closed before
	if p.cmd.ProcessState != nil {
		return nil
	}
	return p.cmd.Wait()
}

// serveJobs runs the executor's process: it prints its address, answers each line of in with its
// processor time in nanoseconds, and ends when in does. The argument is an [executorOptions] as
// JSON.
func serveJobs(in io.Reader, out io.Writer, args []string) (err error) {
	if len(args) != 1 {
		return fmt.Errorf("%s has %d arguments, must have 1", executorArg, len(args))
	}
	var opts executorOptions
	if err := json.Unmarshal([]byte(args[0]), &opts); err != nil {
		return err
	}
	if _, err := url.Parse(opts.Admin); err != nil {
		return err
	}
	if opts.Profile != "" {
		file, err := os.Create(opts.Profile)
		if err != nil {
			return err
		}
		defer file.Close()
		if err := pprof.StartCPUProfile(file); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	var got receipts
	settings := executor.Options{
		Admins: []string{opts.Admin}, AppName: cmp.Or(opts.App, appName), AccessToken: opts.Token,
		AllowNoToken: opts.Token == "",
		Listen:       "127.0.0.1:0", DataDir: opts.Dir, Logger: logger, NoBatches: !opts.Batch,
	}
	if opts.Queue != "" {
		settings.Queue, settings.Admins, settings.Listen = queue.At(opts.Queue, ""), nil, ""
	}
	handle := func(context.Context, *executor.Run) error { return nil }
	if opts.Receipts != "" {
		settings.HTTPClient = got.client()
		handle = got.handle
		defer func() { err = errors.Join(err, got.write(opts.Receipts)) }()
	}
	e, err := executor.New(settings)
	if err != nil {
		return err
	}
	if err := e.Handle("noop", handle); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- e.Run(ctx) }() // the deferred function waits for it
	defer func() {
		stop()
		err = errors.Join(err, <-ended)
	}()
	select {
	case <-e.Ready():
	case err := <-ended:
		ended <- nil
		return err
	}
	addr := e.Address()
	if opts.Answer > 0 {
		d, err := newDistant(e, opts.Answer)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, d.close()) }()
		addr = d.url
	}
	if _, err := fmt.Fprintln(out, strings.TrimSuffix(addr, "/")); err != nil {
		return err
	}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		if _, err := fmt.Fprintln(out, cpuTime().Nanoseconds()); err != nil {
			return err
		}
	}
	return lines.Err()
}
