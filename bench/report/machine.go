package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// describe writes the head of the raw output: what is needed to judge it and to run it again.
func describe(w io.Writer, p plan, t tree, java *netty, absent string) error {
	command := fmt.Sprintf("go -C bench/report run . -rounds %d", p.rounds)
	if p.limit != defaultLimit {
		command += fmt.Sprintf(" -limit %v", p.limit)
	}
	if p.changed {
		command += " -changed"
	}
	if p.short {
		command += " -short"
	}
	var b bytes.Buffer
	line := func(key, value string) { fmt.Fprintf(&b, "# %s: %s\n", key, value) }
	line("command", command)
	line("date", time.Now().UTC().Format(time.DateOnly))
	line("commit", t.String())
	line("go", runtime.Version())
	line("os", strings.TrimSpace(runtime.GOOS+" "+first("/proc/sys/kernel/osrelease")))
	line("processors", fmt.Sprintf("%d, %s", runtime.NumCPU(), field("/proc/cpuinfo", "model name")))
	line("memory", field("/proc/meminfo", "MemTotal"))
	line("load average at the start", load())
	if java != nil {
		line("Netty", java.version+", "+strings.Join(jvmFlags, " "))
	} else {
		line("Netty", "absent: "+absent)
	}
	for _, v := range versions() {
		line("version", v)
	}
	for _, c := range []string{"goos: " + runtime.GOOS, "goarch: " + runtime.GOARCH} {
		fmt.Fprintln(&b, c)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// versions returns the versions of the third-party timers.
func versions() []string {
	cmd := exec.Command("go", "list", "-m", "github.com/RussellLuo/timingwheel", "github.com/antlabs/timer",
		"github.com/zeromicro/go-zero", "github.com/ouqiang/timewheel", "github.com/dubbogo/gost",
		"github.com/golang-collections/go-datastructures")
	cmd.Dir = "../rivals"
	out, err := cmd.Output()
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

func load() string {
	f := strings.Fields(first("/proc/loadavg"))
	if len(f) < 3 {
		return "unknown"
	}
	return strings.Join(f[:3], " ")
}

func first(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(b), "\n")
	return line
}

// field returns the first value of a key in one of the system's tables.
func field(path, key string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return "unknown"
	}
	for line := range strings.Lines(string(b)) {
		if k, v, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(k) == key {
			return strings.TrimSpace(v)
		}
	}
	return "unknown"
}
