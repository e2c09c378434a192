package checker

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// ms returns the instant n milliseconds after the base of the tests.
func ms(n int64) Instant { return base + Instant(n) }

// everySecond returns the changes of a job that was created and started.
func everySecond(asked, acked int64) []Change {
	return []Change{
		{Job: 1, Op: OpCreate, Asked: ms(0), Acked: ms(10), Type: xxladapter.ScheduleCron, Conf: "* * * * * ?"},
		{Job: 1, Op: OpStart, Asked: ms(asked), Acked: ms(acked)},
	}
}

// TestWhatHasToFire checks the due times of a job for every second, and which of them are optional,
// for several changes after its start.
func TestWhatHasToFire(t *testing.T) {
	const every = "* * * * * ?"
	change := func(op Op, asked, acked int64) Change {
		c := Change{Job: 1, Op: op, Asked: ms(asked)}
		if acked > 0 {
			c.Acked = ms(acked)
		}
		return c
	}
	edit := func(conf string, asked, acked int64) Change {
		c := change(OpEdit, asked, acked)
		c.Type, c.Conf = xxladapter.ScheduleCron, conf
		return c
	}
	for _, test := range []struct {
		name    string
		changes []Change
		want    string // a character for each second: + has to fire, ? may, . must not
	}{
		{"started between seconds", everySecond(500, 700), ".+++++++++++"},
		{"start acknowledged on a second", everySecond(500, 1000), ".?++++++++++"},
		{"start requested on a second", everySecond(1000, 1001), "..++++++++++"},
		{"start never acknowledged", everySecond(500, 0), ".???????????"},
		// Due times within an epsilon of two seconds before the request are optional.
		{"stopped", append(everySecond(500, 700), change(OpStop, 6000, 6500)), ".+++???....."},
		{"stop acknowledged on a second", append(everySecond(500, 700), change(OpStop, 6001, 7000)), ".++++???...."},
		{"stop never acknowledged", append(everySecond(500, 700), change(OpStop, 6500, 0)), ".++++???????"},
		{"removed", append(everySecond(500, 700), change(OpRemove, 6500, 6600)), ".++++??....."},
		{"stopped, then certainly started", append(everySecond(500, 700), change(OpStop, 3500, 0), change(OpStart, 6500, 6600)), ".+?????+++++"},
		{"edited", append(everySecond(500, 700), edit("0/3 * * * * ?", 6500, 6600)), ".++++??..+.."},
		{"edited without a new schedule", append(everySecond(500, 700), edit(every, 6500, 6600)), ".+++++++++++"},
		{"edited while stopped", append(everySecond(500, 700), change(OpStop, 2500, 2600), edit("0/3 * * * * ?", 4500, 4600), change(OpStart, 5500, 5600)), ".??...+..+.."},
		{"edit never acknowledged", append(everySecond(500, 700), edit("0/3 * * * * ?", 6500, 0)), ".++++???????"},
		{"perhaps edited, then stopped and started", append(everySecond(500, 700), edit("0/3 * * * * ?", 2500, 0), change(OpStop, 4500, 4600), change(OpStart, 6500, 6600)), ".????..?????"},
		{"stop and start at once", append(everySecond(500, 700), change(OpStop, 6500, 7500), change(OpStart, 6600, 7600)), ".++++???????"},
		{"the first due time is known", []Change{
			everySecond(0, 0)[0], {Job: 1, Op: OpStart, Asked: ms(500), Acked: ms(3000), First: ms(2000)},
		}, "..++++++++++"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for i := range test.changes { // a zero acknowledgement means that it never came
				if test.changes[i].Acked == base {
					test.changes[i].Acked = 0
				}
			}
			o, err := Options{}.withDefaults()
			require.NoError(t, err)
			j, err := newJob(test.changes)
			require.NoError(t, err)
			got := []byte("............")
			for _, tg := range j.targets(nil, dated{}, o, ms(20_000)) {
				if i := (tg.due - base) / 1000; int(i) < len(got) {
					got[i] = '?'
					if tg.must {
						got[i] = '+'
					}
				}
			}
			require.Equal(t, test.want, string(got))
		})
	}
}

func TestStartSkip(t *testing.T) {
	o, err := Options{StartSkip: 5 * time.Second}.withDefaults()
	require.NoError(t, err)
	j, err := newJob(everySecond(500, 700))
	require.NoError(t, err)
	for _, tg := range j.targets(nil, dated{}, o, ms(20_000)) {
		require.Equal(t, tg.due > ms(5700) && tg.due < ms(18_000), tg.must, "due %v", tg.due)
	}
}

// TestFixedRatePhase checks that runs and failed hand-overs determine the phase if the request and
// the acknowledgement allow several.
func TestFixedRatePhase(t *testing.T) {
	h := func(dues ...int64) *History {
		h := &History{End: ms(30_000), Changes: []Change{
			{Job: 1, Op: OpCreate, Asked: ms(0), Acked: ms(10), Type: xxladapter.ScheduleFixRate, Conf: "5"},
			{Job: 1, Op: OpStart, Asked: ms(500), Acked: ms(2700)},
		}}
		for i, d := range dues {
			h.Runs = append(h.Runs, Run{Job: 1, Log: int64(i + 1), Due: ms(d), At: ms(d + 10)})
		}
		return h
	}
	require.True(t, Check(h(6000, 11_000, 16_000, 21_000, 26_000), Options{}).Clean())
	require.True(t, Check(h(8000, 13_000, 18_000, 23_000, 28_000), Options{}).Clean())
	r := Check(h(7000, 12_000, 22_000, 27_000), Options{})
	require.Equal(t, 1, r.Counts[Missed], "%v", r)
	require.Equal(t, 1, r.Total(), "%v", r)
	r = Check(h(12_000, 17_000, 22_000, 27_000), Options{})
	require.Equal(t, ms(7000), r.Violations[0].Due, "the phase tells the first due time, which was missed")
	require.Equal(t, 1, r.Total(), "%v", r)
	r = Check(h(9000), Options{})
	require.Equal(t, 1, r.Counts[Extra], "%v", r)

	failed := h()
	for i, d := range []int64{8000, 13_000, 18_000, 23_000, 28_000} {
		failed.Logs = append(failed.Logs, Log{Log: int64(i + 1), Job: 1, Due: ms(d), TriggerCode: 500})
	}
	require.True(t, Check(failed, Options{}).Clean(), "no run has come, and failed hand-overs tell the phase")
}
