package command

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTheProgressBarIsForWhatTakesLong(t *testing.T) {
	var out strings.Builder
	at := time.Unix(1000, 0)
	p := Progress{Out: &out, Shown: true, Begun: at, Total: 40}
	for range 10 {
		p.Step(at)
	}
	p.Clear()
	require.Empty(t, out.String(), "it took no time")
	p.Step(at.Add(time.Second))
	p.Step(at.Add(time.Second + 50*time.Millisecond)) // too soon for another picture
	require.Equal(t, "\r[########......................] 11 of 40, 3s left\x1b[K", out.String())
	p.Clear()
	p.Clear()
	require.True(t, strings.HasSuffix(out.String(), "left\x1b[K\r\x1b[K"))

	out.Reset()
	p = Progress{Out: &out, Shown: true, Begun: at, Total: 40}
	p.Draw(at.Add(5 * time.Second))
	p.Step(at.Add(10 * time.Second)) // the first piece took as long as each other one may
	require.Equal(t, "\r[..............................] 0 of 40\x1b[K\r[..............................] 1 of 40, 6m30s left\x1b[K", out.String())

	out.Reset()
	p = Progress{Out: &out, Begun: at, Total: 2} // not a terminal
	p.Step(at)
	p.Step(at.Add(time.Hour))
	p.Clear()
	require.Empty(t, out.String())
}
