package main

import (
	"fmt"
	"io"
	"strings"
	"time"
)

const (
	// progressDelay is how long work may take without a progress bar.
	progressDelay = time.Second
	// progressPace is the pause between two pictures of the bar.
	progressPace = 100 * time.Millisecond
	progressWide = 30 // characters of the bar
)

// A progress shows on a terminal how much of some work is done, once it takes longer than a second.
type progress struct {
	out   io.Writer
	shown bool // out is a terminal
	total int
	done  int

	begun, drawn time.Time
}

// step counts one more piece of work as done, at now.
func (p *progress) step(now time.Time) {
	if p.done++; p.begun.IsZero() {
		p.begun = now
	}
	if !p.shown || p.total == 0 || now.Sub(p.begun) < progressDelay || now.Sub(p.drawn) < progressPace {
		return
	}
	p.drawn = now
	full := min(progressWide*p.done/p.total, progressWide)
	left := time.Duration(float64(now.Sub(p.begun)) / float64(p.done) * float64(p.total-p.done)).Round(time.Second)
	fmt.Fprintf(p.out, "\r[%s%s] %d of %d, %v left\x1b[K",
		strings.Repeat("#", full), strings.Repeat(".", progressWide-full), p.done, p.total, left)
}

// clear removes the bar from the terminal.
func (p *progress) clear() {
	if !p.drawn.IsZero() {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.drawn = time.Time{}
	}
}
