package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTheProgressBarIsForWhatTakesLong(t *testing.T) {
	var out strings.Builder
	at := time.Unix(1000, 0)
	p := progress{out: &out, shown: true, total: 40}
	for range 10 {
		p.step(at)
	}
	p.clear()
	require.Empty(t, out.String(), "it took no time")
	p.step(at.Add(time.Second))
	p.step(at.Add(time.Second + 50*time.Millisecond)) // too soon for another picture
	require.Equal(t, "\r[########......................] 11 of 40, 3s left\x1b[K", out.String())
	p.clear()
	p.clear()
	require.True(t, strings.HasSuffix(out.String(), "left\x1b[K\r\x1b[K"))

	out.Reset()
	p = progress{out: &out, total: 2} // not a terminal
	p.step(at)
	p.step(at.Add(time.Hour))
	p.clear()
	require.Empty(t, out.String())
}
