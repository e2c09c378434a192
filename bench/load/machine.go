package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

// machine names the processors, for the first line of an output.
func machine() string {
	model := "unknown model"
	if b, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(b)) {
			if k, v, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(k) == "model name" {
				model = strings.TrimSpace(v)
				break
			}
		}
	}
	return fmt.Sprintf("%d processors (%s), GOMAXPROCS %d", runtime.NumCPU(), model, runtime.GOMAXPROCS(0))
}

// ticks holds the processor times of the whole machine since its start, in the kernel's unit. All
// are 0 on systems without /proc/stat.
type ticks struct{ busy, stolen, all int64 }

func machineTicks() ticks {
	b, err := os.ReadFile("/proc/stat")
	if err != nil {
		return ticks{}
	}
	var user, nice, system, idle, iowait, irq, softirq, steal int64
	if _, err := fmt.Sscanf(
		string(b), "cpu %d %d %d %d %d %d %d %d", &user, &nice, &system, &idle, &iowait, &irq, &softirq, &steal,
	); err != nil {
		return ticks{}
	}
	busy := user + nice + system + irq + softirq
	return ticks{busy: busy, stolen: steal, all: busy + idle + iowait + steal}
}

// since returns the share of all processors that was in use, and the share that the hypervisor gave
// to other machines.
func (t ticks) since(before ticks) string {
	all := t.all - before.all
	if all <= 0 {
		return "unknown"
	}
	return fmt.Sprintf("%d%%+%d%%stolen", 100*(t.busy-before.busy)/all, 100*(t.stolen-before.stolen)/all)
}
