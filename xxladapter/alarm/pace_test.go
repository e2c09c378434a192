package alarm

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// subjectsOf returns n jobs; those whose index has the same remainder modulo teams have the same
// receivers.
func subjectsOf(n, teams int) []subject {
	var all []subject
	for i := range n {
		all = append(all, subject{job: &xxladapter.Job{ID: int64(i + 1), AlarmEmail: fmt.Sprint("team", i%teams)}})
	}
	return all
}

func TestPace(t *testing.T) {
	type look struct {
		after    time.Duration
		subjects int
		messages int
	}
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name  string
		looks []look
	}{
		{"a few go out at once, one each", []look{{0, 3, 3}, {time.Second, 1, 1}, {2 * time.Second, 0, 0}}},
		{"beyond the burst they wait for the window", []look{{0, 20, 20}, {time.Second, 1, 0}, {59 * time.Second, 500, 0}, {60 * time.Second, 500, 2}, {61 * time.Second, 1, 0}}},
		{"a storm is one message for each team", []look{{0, 10_000, 2}, {time.Second, 5, 0}, {time.Minute, 5, 5}}},
		{"a window begins with its first message", []look{{0, 0, 0}, {55 * time.Second, 20, 20}, {65 * time.Second, 1, 0}, {115 * time.Second, 1, 1}}},
		{"what does not fit in whole is shared", []look{{0, 19, 19}, {time.Second, 2, 2}, {2 * time.Second, 1, 0}}},
		{"a clock that is set back holds nobody", []look{{time.Hour, 20, 20}, {0, 1, 1}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var p pace
			for _, look := range tt.looks {
				subjects := subjectsOf(look.subjects, 2)
				messages := p.take(start.Add(look.after), subjects)
				require.Len(t, messages, look.messages, "%+v", look)
				if len(messages) == 0 {
					continue
				}
				n := 0
				for _, m := range messages {
					for _, s := range m {
						require.Equal(t, m[0].job.AlarmEmail, s.job.AlarmEmail)
					}
					n += len(m)
				}
				require.Equal(t, look.subjects, n, "nobody is left out")
			}
		})
	}
}

func TestAJobIsHeldUntilTheEndOfItsWindow(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	require.False(t, isHeld(time.Time{}, now))
	require.True(t, isHeld(now, now))
	require.True(t, isHeld(now.Add(-window+1), now))
	require.False(t, isHeld(now.Add(-window), now))
	require.False(t, isHeld(now.Add(1), now), "the clock was set back")
}
