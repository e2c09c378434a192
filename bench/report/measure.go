package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// A step is one case.
type step struct {
	name  string
	time  string // for -benchtime; 1x means one sample of each variant
	own   bool   // only in the main module
	once  bool   // only in the first round
	netty bool   // Netty has it too
}

func steps(short bool) []step {
	each := "100ms"
	if short {
		each = "5ms"
	}
	return []step{
		{name: "Pending", time: "1x", netty: true},
		{name: "Start", time: "1x", netty: true},
		{name: "Fire", time: "1x", netty: true},
		{name: "Lateness", time: "1x", netty: true},
		{name: "Scaling", time: "1x", own: true},
		{name: "Burst", time: "1x", own: true},
		{name: "Conn", time: each, own: true},
		{name: "Queue", time: each, own: true},
		{name: "Early", time: "1x", own: true, once: true},
		{name: "Tick", time: "1x", own: true, once: true},
	}
}

// A source can measure the steps: a test binary, or Netty.
type source struct {
	name  string
	takes func(step) bool
	run   func(context.Context, step) ([]byte, error)
}

// measure runs the steps in rounds, each step in all sources that take it, so that a disturbance of
// the machine affects all contenders.
func measure(ctx context.Context, p plan, t tree, raw string) error {
	begin := time.Now()
	dir, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	fmt.Println("building")
	var sources []source
	for _, b := range []struct{ name, dir, pkg string }{
		{"own and baselines", "../..", "./bench"},
		{"third-party", "../rivals", "./timers"},
	} {
		s, err := build(ctx, b.name, b.dir, b.pkg, filepath.Join(dir, filepath.Base(b.pkg)+".test"), p.short)
		if err != nil {
			return err
		}
		sources = append(sources, s)
	}
	java, absent := startNetty(ctx, dir, p.short)
	if absent == "" {
		defer java.close()
		sources = append(sources, source{
			name:  "Netty",
			takes: func(s step) bool { return s.netty },
			run:   func(_ context.Context, s step) ([]byte, error) { return java.run(s.name) },
		})
	} else {
		fmt.Println("without Netty:", absent)
	}

	return writeFile(raw, func(w io.Writer) error {
		if err := describe(w, p, t, java, absent); err != nil {
			return err
		}
		r := rounds{plan: p, sources: sources, out: w, shown: newProgress(p.rounds)}
		if err := r.measure(ctx, begin); err != nil {
			return err
		}
		_, err := fmt.Fprintf(w, "# the run took: %v\n", time.Since(begin).Round(time.Second))
		return err
	})
}

// rounds measures the steps again and again.
type rounds struct {
	plan    plan
	sources []source
	out     io.Writer // gets the results
	shown   *progress
}

// measure makes the rounds of the plan, as far as its limit of time since begin allows.
func (r *rounds) measure(ctx context.Context, begin time.Time) error {
	var longest time.Duration
	for round := range r.plan.rounds {
		if time.Since(begin)+longest > r.plan.limit {
			fmt.Printf("no time for more than %d rounds\n", round)
			_, err := fmt.Fprintf(r.out, "# ended after %d of %d rounds: the limit of time is %v\n",
				round, r.plan.rounds, r.plan.limit)
			return err
		}
		took, err := r.round(ctx, round)
		if err != nil {
			return err
		}
		longest = max(longest, took)
	}
	return nil
}

// round measures the steps of one round. It returns how long that took, without the steps that are
// measured once.
func (r *rounds) round(ctx context.Context, round int) (took time.Duration, err error) {
	began, once := time.Now(), time.Duration(0)
	for _, st := range steps(r.plan.short) {
		if st.once && round > 0 {
			continue
		}
		stepBegan := time.Now()
		if err := r.step(ctx, round, st); err != nil {
			return 0, err
		}
		if st.once {
			once += time.Since(stepBegan)
		}
	}
	took = time.Since(began) - once
	if once > 0 {
		if _, err := fmt.Fprintf(r.out, "# what is measured once took %v\n", once.Round(time.Second)); err != nil {
			return 0, err
		}
	}
	_, err = fmt.Fprintf(r.out, "# round %d took %v; load average then: %s\n",
		round+1, took.Round(time.Second), load())
	return took, err
}

// step measures one step in every source that takes it.
func (r *rounds) step(ctx context.Context, round int, st step) error {
	for _, src := range r.sources {
		if !src.takes(st) {
			continue
		}
		r.shown.begin(round, st.name+", "+src.name, !st.once)
		out, err := src.run(ctx, st)
		if err != nil {
			return fmt.Errorf("%s, %s: %w\n%s", st.name, src.name, err, out)
		}
		if err := keep(r.out, out, round == 0); err != nil {
			return err
		}
		r.shown.end()
	}
	return nil
}

func build(ctx context.Context, name, dir, pkg, binary string, short bool) (source, error) {
	cmd := exec.CommandContext(ctx, "go", "test", "-c", "-o", binary, pkg)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return source{}, fmt.Errorf("build %s: %w\n%s", pkg, err, out)
	}
	return source{
		name:  name,
		takes: func(s step) bool { return !s.own || pkg == "./bench" },
		run: func(ctx context.Context, s step) ([]byte, error) {
			args := []string{
				"-test.run=^$", "-test.v", "-test.bench=^Benchmark" + s.name + "$", "-test.benchtime=" + s.time,
				"-test.timeout=5m",
			}
			if short {
				args = append(args, "-test.short")
			}
			out, err := exec.CommandContext(ctx, binary, args...).CombinedOutput()
			var failed *exec.ExitError
			if errors.As(err, &failed) && ctx.Err() == nil {
				err = nil // one contender's failure is in the output, and belongs in the results
			}
			return out, err
		},
	}, nil
}

// keep copies the results from the output of benchmarks, and the reasons of those that were skipped
// or failed.
func keep(w io.Writer, out []byte, first bool) error {
	said := "" // the last line that a benchmark logged, which is its reason
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		var err error
		switch {
		case strings.HasPrefix(line, "--- SKIP: "):
			if first {
				_, err = fmt.Fprintf(w, "absent: %s: %s\n", strings.TrimPrefix(line, "--- SKIP: "), said)
			}
		case strings.HasPrefix(line, "--- FAIL: "), strings.HasPrefix(line, "panic: "):
			_, err = fmt.Fprintf(w, "# failed: %s: %s\n", line, said)
		case strings.Contains(line, ".go:"):
			_, said, _ = strings.Cut(line, ": ")
		case strings.HasPrefix(line, "Benchmark") && len(strings.Fields(line)) >= 4:
			_, err = fmt.Fprintln(w, line)
		}
		if err != nil {
			return err
		}
	}
	return lines.Err()
}
