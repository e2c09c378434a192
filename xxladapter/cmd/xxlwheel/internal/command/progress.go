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

// A Progress shows on a terminal how much of some work is done, from a second after its beginning.
type Progress struct {
	Out   io.Writer
	Shown bool // Out is a terminal
	Begun time.Time
	Total int
	Done  int

	drawn time.Time
}

// Step counts one more piece of work as done, at now.
func (p *Progress) Step(now time.Time) {
	p.Done++
	p.Draw(now)
}

// Draw shows how much is done at now, and after the first piece how long the rest may take.
func (p *Progress) Draw(now time.Time) {
	took := now.Sub(p.Begun)
	if !p.Shown || p.Total == 0 || took < progressDelay || now.Sub(p.drawn) < progressPace {
		return
	}
	p.drawn = now
	full, left := min(progressWide*p.Done/p.Total, progressWide), ""
	if p.Done > 0 {
		rest := time.Duration(float64(took) / float64(p.Done) * float64(p.Total-p.Done))
		left = fmt.Sprintf(", %v left", rest.Round(time.Second))
	}
	fmt.Fprintf(p.Out, "\r[%s%s] %d of %d%s\x1b[K",
		strings.Repeat("#", full), strings.Repeat(".", progressWide-full), p.Done, p.Total, left)
}

// Clear removes the bar from the terminal.
func (p *Progress) Clear() {
	if !p.drawn.IsZero() {
		fmt.Fprint(p.Out, "\r\x1b[K")
		p.drawn = time.Time{}
	}
}
