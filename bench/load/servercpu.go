package main

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// serverCPU returns the processor time of the database server so far. ok is false for a database
// within this process, a server on another machine, and systems without /proc.
func (o *opened) serverCPU(ctx context.Context) (used time.Duration, ok bool) {
	u, err := url.Parse(o.place)
	if err != nil || o.db == nil {
		return 0, false
	}
	if ip := net.ParseIP(u.Hostname()); u.Hostname() != "localhost" && !ip.IsLoopback() {
		return 0, false
	}
	switch {
	case u.Scheme == "mysql":
		var file string
		if o.db.QueryRowContext(ctx, `SELECT @@pid_file`).Scan(&file) != nil {
			return 0, false
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return 0, false
		}
		stat, ok := processStat("/proc/" + strings.TrimSpace(string(text)))
		return stat.own, ok
	case strings.HasPrefix(u.Scheme, "postgres"):
		var pid int
		if o.db.QueryRowContext(ctx, `SELECT pg_backend_pid()`).Scan(&pid) != nil {
			return 0, false
		}
		backend, ok := processStat(fmt.Sprint("/proc/", pid))
		if !ok {
			return 0, false
		}
		return familyCPU(backend.parent)
	}
	return 0, false
}

// familyCPU returns the processor time of a process and its children, including those that ended.
func familyCPU(parent int) (used time.Duration, ok bool) {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		stat, found := processStat(dir)
		switch {
		case !found: // it has ended meanwhile
		case dir == fmt.Sprint("/proc/", parent):
			used += stat.own + stat.reaped
			ok = true
		case stat.parent == parent:
			used += stat.own
		}
	}
	return used, ok
}

// A procStat is what Linux tells about the processor time of a process.
type procStat struct {
	parent int
	own    time.Duration
	reaped time.Duration // of children that have ended
}

// clockTick is the unit of /proc/PID/stat, which is the same on every architecture that Go runs on.
const clockTick = 10 * time.Millisecond

func processStat(dir string) (s procStat, ok bool) {
	text, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return s, false
	}
	// The second field is a name in parentheses, which may contain anything.
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	if len(fields) < 15 {
		return s, false
	}
	number := func(i int) int64 {
		n, _ := strconv.ParseInt(fields[i-3], 10, 64) // i counts as proc_pid_stat(5) does
		return n
	}
	return procStat{
		parent: int(number(4)),
		own:    time.Duration(number(14)+number(15)) * clockTick,
		reaped: time.Duration(number(16)+number(17)) * clockTick,
	}, true
}
