package main

import (
	"fmt"
	"time"
)

// A progress reports how far the measuring is, and estimates the remaining time from the previous
// rounds.
type progress struct {
	rounds, round int
	began, step   time.Time
	recurs        bool            // this step is in every round
	took          []time.Duration // the recurring steps of the last whole round
	now           []time.Duration // the steps of this one
}

func newProgress(rounds int) *progress { return &progress{rounds: rounds, began: time.Now()} }

func (p *progress) begin(round int, what string, recurs bool) {
	if round != p.round {
		p.round, p.took, p.now = round, p.now, nil
	}
	left := "time left is known after the first round"
	if p.took != nil {
		var whole, rest time.Duration
		for i, d := range p.took {
			whole += d
			if i >= len(p.now) {
				rest += d
			}
		}
		left = fmt.Sprintf("about %v left", (rest + time.Duration(p.rounds-p.round-1)*whole).Round(time.Second))
	}
	fmt.Printf("%7v  round %d of %d, %s: %s\n", time.Since(p.began).Round(time.Second), round+1, p.rounds, left, what)
	p.step, p.recurs = time.Now(), recurs
}

func (p *progress) end() {
	if p.recurs {
		p.now = append(p.now, time.Since(p.step))
	}
}
