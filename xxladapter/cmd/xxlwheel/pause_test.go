package main

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestAPauseHoldsARealSchedulerUp pauses all jobs while one fires each second, and gives another
// job a calendar without work today.
func TestAPauseHoldsARealSchedulerUp(t *testing.T) {
	testserver.Long(t)
	t.Parallel()
	_, server := serveOn(t, t.TempDir()+"/x.db")
	run := func(words ...string) string { return mustCLI(t, append(words, "--server", server)...) }
	job := run("job", "add", "--name", "j", "--app", "some-app", "--handler", "h", "--cron", "* * * * * ?", "--misfire", "ALL", "--start")
	dues := func() (all []time.Time, types []string) {
		for line := range strings.Lines(run("run", "list", "-n", "0", "-o", "json", "--job", job)) {
			var l struct {
				History *struct {
					Due         time.Time
					TriggerType string
				}
			}
			require.NoError(t, json.Unmarshal([]byte(line), &l))
			if l.History != nil {
				all, types = append(all, l.History.Due), append(types, l.History.TriggerType)
			}
		}
		return all, types
	}
	testserver.Eventually(t, time.Minute, "it fires", func() bool { all, _ := dues(); return len(all) > 1 })

	id := run("pause", "begin", "--all", "--note", "maintenance")
	var p struct{ From time.Time }
	require.NoError(t, json.Unmarshal([]byte(run("pause", "list", "--open", "-o", "json")), &p))
	testserver.Eventually(t, time.Minute, "due times are recorded well into the pause", func() bool {
		var m struct {
			Kind    string
			PauseID int64
			Until   time.Time
		}
		lines := strings.Split(run("job", "misfires", job, "-o", "json"), "\n")
		require.LessOrEqual(t, len(lines), 1, "one row for the whole pause")
		if lines[0] == "" {
			return false
		}
		require.NoError(t, json.Unmarshal([]byte(lines[0]), &m))
		require.Equal(t, "paused", m.Kind)
		return m.Until.After(p.From.Add(7 * time.Second))
	})
	all, _ := dues()
	for _, due := range all {
		require.False(t, due.After(p.From), "%v fired in the pause from %v", due, p.From)
	}
	inside := p.From.Add(2 * time.Second).Format(time.RFC3339)
	require.Regexp(t, `^paused  .* lay in the pause that open began at .*: maintenance\n    pause 1: `, run("job", "why", job, "--at", inside))
	require.Contains(t, run("overview"), "pause 1, until it is ended: maintenance")
	require.Contains(t, run("job", "misfires", job), "paused (pause 1)")

	ended := run("pause", "end", id, "-o", "json")
	var until struct{ Until time.Time }
	require.NoError(t, json.Unmarshal([]byte(ended), &until))
	testserver.Eventually(t, time.Minute, "it fires again", func() bool {
		all, _ := dues()
		return slices.MaxFunc(all, time.Time.Compare).After(until.Until)
	})
	all, types := dues()
	for i, due := range all {
		require.False(t, due.After(p.From) && due.Before(until.Until), "%v lay in the pause", due)
		require.NotEqual(t, "MISFIRE", types[i], "nothing is made up for")
	}
	run("job", "stop", job)

	today := strings.ToUpper(time.Now().UTC().AddDate(0, 0, 3).Weekday().String()) // the only day with work
	weekend := `"SUNDAY","MONDAY","TUESDAY","WEDNESDAY","THURSDAY","FRIDAY","SATURDAY",`
	file := t.TempDir() + "/rest.json"
	require.NoError(t, os.WriteFile(file, []byte(`{"weekend":[`+strings.TrimSuffix(strings.Replace(weekend, `"`+today+`",`, "", 1), ",")+`],"years":[]}`), 0o600))
	run("calendar", "set", "rest", file)
	require.Contains(t, run("calendar", "list"), "rest")
	require.Contains(t, run("calendar", "show", "cn"), "2026-10-10")
	idle := run("job", "add", "--name", "idle", "--app", "some-app", "--handler", "h", "--cron", "* * * * * ?", "--calendar", "rest", "--start")
	var at time.Time
	testserver.Eventually(t, time.Minute, "the day is recorded", func() bool {
		var m struct {
			Kind, Calendar string
			Due            time.Time
		}
		text := run("job", "misfires", idle, "-o", "json")
		if text == "" {
			return false
		}
		require.NoError(t, json.Unmarshal([]byte(strings.Split(text, "\n")[0]), &m))
		require.Equal(t, [2]string{"excluded", "rest"}, [2]string{m.Kind, m.Calendar})
		at = m.Due
		return true
	})
	require.Regexp(t, `^excluded  .* does not fire: by the calendar rest, `, run("job", "why", idle, "--at", at.Format(time.RFC3339)))
	require.Empty(t, run("run", "list", "--quiet", "--job", idle))
	require.Contains(t, run("schedule", "preview", "0 0 9 * * ?", "--calendar", "rest"), "EXCLUDED")
	run("job", "update", idle, "--calendar", "")
	run("calendar", "remove", "rest", "--yes")
}
