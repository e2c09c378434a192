package command

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

// A Progress shows on a terminal how much of some work is done, from a second after the first step.
type Progress struct {
	Out   io.Writer
	Shown bool // Out is a terminal
	Total int
	Done  int

	begun, drawn time.Time
}

// Step counts one more piece of work as done, at now.
func (p *Progress) Step(now time.Time) {
	if p.Done++; p.begun.IsZero() {
		p.begun = now
	}
	if !p.Shown || p.Total == 0 || now.Sub(p.begun) < progressDelay || now.Sub(p.drawn) < progressPace {
		return
	}
	p.drawn = now
	full := min(progressWide*p.Done/p.Total, progressWide)
	left := time.Duration(float64(now.Sub(p.begun)) / float64(p.Done) * float64(p.Total-p.Done)).Round(time.Second)
	fmt.Fprintf(p.Out, "\r[%s%s] %d of %d, %v left\x1b[K",
		strings.Repeat("#", full), strings.Repeat(".", progressWide-full), p.Done, p.Total, left)
}

// Clear removes the bar from the terminal.
func (p *Progress) Clear() {
	if !p.drawn.IsZero() {
		fmt.Fprint(p.Out, "\r\x1b[K")
		p.drawn = time.Time{}
	}
}
