package checker

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestVerdicts judges small histories written by hand. Times are milliseconds after the base; job 1
// is due every 10 s from 10000 to 60000.
func TestVerdicts(t *testing.T) {
	const start = `
		{"kind":"change","job":1,"op":"create","asked":1,"acked":2,"type":"CRON","conf":"0/10 * * * * ?"}
		{"kind":"change","job":1,"op":"start","asked":3,"acked":4}
		{"kind":"final","at":60000}`
	const five = start + `
		{"kind":"run","job":1,"log":1,"due":10000,"at":10000}
		{"kind":"run","job":1,"log":2,"due":20000,"at":20000}
		{"kind":"run","job":1,"log":3,"due":30000,"at":30000}
		{"kind":"run","job":1,"log":4,"due":40000,"at":40000}`
	const all = five + `
		{"kind":"run","job":1,"log":5,"due":50000,"at":50000}`
	const rows = `
		{"kind":"log","log":1,"job":1}{"kind":"log","log":2,"job":1}{"kind":"log","log":3,"job":1}{"kind":"log","log":4,"job":1}`
	failed := strings.Replace(all, `"at":30000`, `"at":30000,"end":30500,"code":500`, 1)
	const undated = start + `
		{"kind":"run","job":1,"log":1,"at":10000}
		{"kind":"run","job":1,"log":2,"at":20000}
		{"kind":"run","job":1,"log":3,"at":30000}
		{"kind":"run","job":1,"log":4,"at":40000}`
	longer := strings.Replace(undated, `"at":60000`, `"at":65000`, 1) + // due once more, at 50000
		`{"kind":"change","job":1,"op":"stop","asked":55000,"acked":55001}`
	const stopped = start + `
		{"kind":"run","job":1,"log":1,"due":10000,"at":10000}
		{"kind":"change","job":1,"op":"stop","asked":19900,"acked":20100}`
	const shards = start + `
		{"kind":"run","job":1,"log":10,"due":10000,"at":10000,"shard":0,"shards":2}
		{"kind":"run","job":1,"log":11,"due":10000,"at":10000,"shard":1,"shards":2}
		{"kind":"run","job":1,"log":20,"due":20000,"at":20000,"shard":0,"shards":2}
		{"kind":"run","job":1,"log":21,"due":20000,"at":20000,"shard":1,"shards":2}
		{"kind":"run","job":1,"log":30,"due":30000,"at":30000,"shard":0,"shards":2}
		{"kind":"run","job":1,"log":31,"due":30000,"at":30000,"shard":1,"shards":2}
		{"kind":"run","job":1,"log":50,"due":50000,"at":50000,"shard":0,"shards":2}
		{"kind":"run","job":1,"log":51,"due":50000,"at":50000,"shard":1,"shards":2}`
	const lapsed = `
		{"kind":"change","job":1,"op":"create","asked":1,"acked":2,"type":"ONCE","conf":"2026-03-01T00:00:10Z"}
		{"kind":"change","job":1,"op":"start","asked":3,"acked":4}
		{"kind":"misfire","job":1,"due":10000,"until":10000,"strategy":"ALL","at":20000}
		{"kind":"final","at":90000}`
	retried := strings.Replace(strings.Replace(shards, `"type"`, `"retries":1,"type"`, 1), `"at":30000,"shard":1`, `"at":30000,"end":30500,"code":500,"shard":1`, 1) + `
		{"kind":"run","job":1,"log":40,"due":40000,"at":40000,"shard":0,"shards":2}
		{"kind":"run","job":1,"log":41,"due":40000,"at":40000,"shard":1,"shards":2}`
	const delay = `
		{"kind":"change","job":1,"op":"create","asked":1,"acked":2,"type":"FIX_DELAY","conf":"20"}
		{"kind":"change","job":1,"op":"start","asked":3,"acked":4}
		{"kind":"final","at":60000}
		{"kind":"run","job":1,"log":1,"at":20010,"end":23000,"code":200}`
	const rate = `
		{"kind":"change","job":1,"op":"create","asked":1,"acked":2,"type":"FIX_RATE","conf":"10"}
		{"kind":"change","job":1,"op":"start","asked":3,"acked":4,"first":7000}
		{"kind":"final","at":58000}
		{"kind":"run","job":1,"log":1,"due":7000,"at":7000}`
	const parent = `
		{"kind":"change","job":1,"op":"create","asked":1,"acked":2,"type":"ONCE","conf":"2026-03-01T00:00:10Z","children":[2]}
		{"kind":"change","job":2,"op":"create","asked":1,"acked":2,"type":"NONE"}
		{"kind":"change","job":1,"op":"start","asked":3,"acked":4}
		{"kind":"final","at":60000}
		{"kind":"run","job":1,"log":1,"due":10000,"at":10000,"end":10500,"code":200}`
	for _, test := range []struct{ name, text, want string }{
		{"clean", all, ""},
		{"missed", five, "missed"},
		{"on both edges of the window", start + `
			{"kind":"run","job":1,"due":10000,"at":10000}
			{"kind":"run","job":1,"due":20000,"at":22000}
			{"kind":"run","job":1,"at":30000}
			{"kind":"run","job":1,"at":42000}
			{"kind":"run","job":1,"at":52000}`, ""},
		{"a millisecond early", five + `{"kind":"run","job":1,"due":50000,"at":49999}`, "early"},
		{"a millisecond late", five + `{"kind":"run","job":1,"due":50000,"at":52001}`, "late"},
		{"undated, a millisecond early", undated + `{"kind":"run","job":1,"at":49999}`, "early"},
		{"undated, a millisecond late", undated + `{"kind":"run","job":1,"at":52001}`, "late"},
		{"undated, at the end of what is late", longer + `{"kind":"run","job":1,"at":62000}`, "late"},
		{"undated, later than what is late", longer + `{"kind":"run","job":1,"at":62001}`, "missed, after stop"},
		{"undated and far from any due time", undated + `{"kind":"run","job":1,"at":45000}`, "missed, extra"},
		{"still open at the end", strings.Replace(five, `"at":60000`, `"at":52000`, 1), ""},
		{"over at the end", strings.Replace(five, `"at":60000`, `"at":52001`, 1), "missed"},
		{"the log row says when it was due", five + `
			{"kind":"run","job":1,"log":5,"at":50900}` + rows + `
			{"kind":"log","log":5,"job":1,"due":49000}`, "missed, extra"},
		{"a job that nobody created", all + `{"kind":"run","job":9,"log":6,"at":50000}`, "extra"},
		{"an executor that names its runs itself", all + `{"kind":"run","job":1,"log":5,"due":50000,"at":50700}`, ""},

		// Log ids.
		{"ran twice", all + `{"kind":"run","job":1,"log":7,"due":50000,"at":50010}`, "duplicate"},
		{"a log id ran twice", five + `
			{"kind":"run","job":1,"log":5,"due":50000,"at":50000,"start":50001}
			{"kind":"run","job":1,"log":5,"due":50000,"at":50700,"start":50701}`, "log id twice"},
		{"a log id was sent again and ran twice", five + `
			{"kind":"run","job":1,"log":5,"due":50000,"at":50000,"start":50001}
			{"kind":"run","job":1,"log":5,"due":50000,"at":50700,"start":50701}
			{"kind":"resend","log":5,"at":50600}`, ""},
		{"a log id was sent again and ran three times", five + `
			{"kind":"run","job":1,"log":5,"due":50000,"at":50000,"start":50001}
			{"kind":"run","job":1,"log":5,"due":50000,"at":50700,"start":50701}
			{"kind":"run","job":1,"log":5,"due":50000,"at":50800,"start":50801}
			{"kind":"resend","log":5,"at":50600}`, "log id twice"},

		// Other reasons.
		{"by hand, named", all + `{"kind":"run","job":1,"log":6,"at":33000}
			{"kind":"trigger","job":1,"type":"MANUAL","log":6}`, ""},
		{"by hand, at a due time", five + `{"kind":"run","job":1,"log":6,"due":50000,"at":50000}
			{"kind":"trigger","job":1,"type":"API","log":6}`, "missed"},
		{"by hand, not named", all + `{"kind":"run","job":1,"log":6,"due":33333,"at":33400}
			{"kind":"trigger","job":1,"type":"MANUAL","asked":33000,"acked":33100}`, ""},
		{"by hand once, twice", all + `
			{"kind":"run","job":1,"log":6,"due":33333,"at":33400}
			{"kind":"run","job":1,"log":7,"due":33334,"at":33401}
			{"kind":"trigger","job":1,"type":"MANUAL","asked":33000,"acked":33100}`, "extra"},
		{"by hand, never acknowledged", all + `{"kind":"run","job":1,"log":6,"at":53000}
			{"kind":"trigger","job":1,"type":"MANUAL","asked":33000}`, ""},
		{"by hand, before it was asked for", all + `{"kind":"run","job":1,"log":6,"at":32999}
			{"kind":"trigger","job":1,"type":"MANUAL","asked":33000,"acked":33100}`, "extra"},
		{"by hand, too long ago", all + `{"kind":"run","job":1,"log":6,"at":36101}
			{"kind":"trigger","job":1,"type":"MANUAL","asked":33000,"acked":33100}`, "extra"},
		{"not named, beside a run that the schedule explains", all + `
			{"kind":"trigger","job":1,"type":"CRON","log":5}
			{"kind":"run","job":1,"log":6,"at":33000}`, "extra"},
		{"a failed run of a job without retries", failed + `{"kind":"run","job":1,"log":6,"at":30600}`, "extra"},
		{"a retry", strings.Replace(failed, `"type"`, `"retries":1,"type"`, 1) + `{"kind":"run","job":1,"log":6,"at":30600}`, ""},
		{"a retry, too late", strings.Replace(failed, `"type"`, `"retries":1,"type"`, 1) + `{"kind":"run","job":1,"log":6,"at":33501}`, "extra"},
		{"a hand-over that failed", five + rows + `{"kind":"log","log":5,"job":1,"due":50000,"trigger_code":500}`, ""},
		{"a hand-over of which nothing is known", five + rows + `{"kind":"log","log":5,"job":1,"due":50000}`, "missed"},

		// Stops.
		{"stopped, and fired in between", stopped + `{"kind":"run","job":1,"log":2,"due":20000,"at":20050}`, ""},
		{"stopped, and not fired in between", stopped, ""},
		{"in flight when the stop was acknowledged", stopped + `{"kind":"run","job":1,"log":2,"due":20000,"at":21100}`, ""},
		{"no longer in flight", stopped + `{"kind":"run","job":1,"log":2,"due":20000,"at":21101}`, "after stop"},
		{"undated, on its way when the stop was acknowledged", stopped + `{"kind":"run","job":1,"log":2,"at":21100}`, ""},
		{"undated, no longer in flight", stopped + `{"kind":"run","job":1,"log":2,"at":21101}`, "after stop"},
		{"sent again after the stop", stopped + `{"kind":"run","job":1,"log":2,"due":20000,"at":21900}{"kind":"resend","log":2}`, ""},
		{"due after the stop", stopped + `{"kind":"run","job":1,"log":2,"due":30000,"at":30050}`, "after stop"},
		{"undated after the stop", stopped + `{"kind":"run","job":1,"log":2,"at":30050}`, "after stop"},
		{"by hand after the stop", stopped + `{"kind":"run","job":1,"log":2,"at":30050}{"kind":"trigger","job":1,"type":"MANUAL","log":2}`, ""},
		{"not the schedule after the stop", stopped + `{"kind":"run","job":1,"log":2,"due":30007,"at":30050}`, "extra"},

		// Broadcasts.
		{"no shard of a due time", shards, "missed"},
		{"no shard of an undated due time", strings.ReplaceAll(shards, `"due":`, `"start":`), "missed"},
		{"one shard missing", shards + `{"kind":"run","job":1,"log":41,"due":40000,"at":40000,"shard":1,"shards":2}`, "missed"},
		{"a shard's retry", retried + `{"kind":"run","job":1,"log":12,"at":30600,"shard":1,"shards":2}`, ""},
		{"a shard's retry on another shard", retried + `{"kind":"run","job":1,"log":12,"at":30600,"shard":0,"shards":2}`, "extra"},
		{"one undated shard missing", strings.ReplaceAll(shards, `"due":`, `"start":`) + `{"kind":"run","job":1,"log":41,"at":40000,"shard":1,"shards":2}`, "missed"},

		// Edits.
		{"undated, on the schedule before an edit", start + `
			{"kind":"change","job":1,"op":"edit","asked":5000,"acked":5001,"type":"CRON","conf":"25 * * * * ?"}
			{"kind":"run","job":1,"log":1,"at":25050}
			{"kind":"run","job":1,"log":2,"at":40050}`, "old schedule"},

		// Misfires.
		{"do nothing", start + `
			{"kind":"misfire","job":1,"due":10000,"until":40000,"strategy":"DO_NOTHING","at":45000}
			{"kind":"run","job":1,"due":50000,"at":50000}`, ""},
		{"a rate keeps its phase", rate + `
			{"kind":"misfire","job":1,"due":17000,"until":37000,"strategy":"DO_NOTHING","at":45000}
			{"kind":"run","job":1,"due":47000,"at":47000}`, ""},
		{"a rate that continues from when its misfire was noticed", rate + `
			{"kind":"misfire","job":1,"due":17000,"until":37000,"strategy":"DO_NOTHING","at":45000}
			{"kind":"run","job":1,"due":55000,"at":55000}`, "missed, extra"},
		{"do nothing, and yet", start + `
			{"kind":"misfire","job":1,"due":10000,"until":40000,"strategy":"DO_NOTHING","at":45000}
			{"kind":"run","job":1,"due":20000,"at":45000}
			{"kind":"run","job":1,"due":50000,"at":50000}`, "misfired"},
		{"fire once", start + `
			{"kind":"misfire","job":1,"due":10000,"until":40000,"strategy":"FIRE_ONCE_NOW","at":45000}
			{"kind":"run","job":1,"due":10000,"at":45100}
			{"kind":"run","job":1,"due":50000,"at":50000}`, ""},
		{"fire once, undated", start + `
			{"kind":"misfire","job":1,"due":10000,"until":40000,"strategy":"FIRE_ONCE_NOW","at":45000}
			{"kind":"run","job":1,"at":45100}
			{"kind":"run","job":1,"at":50000}`, ""},
		{"fire once, not at all", start + `
			{"kind":"misfire","job":1,"due":10000,"until":40000,"strategy":"FIRE_ONCE_NOW","at":45000}
			{"kind":"run","job":1,"due":50000,"at":50000}`, "missed"},
		{"fire once, late", start + `
			{"kind":"misfire","job":1,"due":10000,"until":40000,"strategy":"FIRE_ONCE_NOW","at":45000}
			{"kind":"run","job":1,"due":10000,"at":47001}
			{"kind":"run","job":1,"due":50000,"at":50000}`, "late"},
		{"latest", start + `
			{"kind":"misfire","job":1,"due":10000,"until":40000,"strategy":"LATEST","at":45000}
			{"kind":"run","job":1,"due":40000,"at":45100}
			{"kind":"run","job":1,"due":50000,"at":50000}`, ""},
		{"latest, but the first", start + `
			{"kind":"misfire","job":1,"due":10000,"until":40000,"strategy":"LATEST","at":45000}
			{"kind":"run","job":1,"due":10000,"at":45100}
			{"kind":"run","job":1,"due":50000,"at":50000}`, "missed, misfired"},
		{"all", start + `
			{"kind":"misfire","job":1,"due":10000,"until":40000,"strategy":"ALL","at":45000}
			{"kind":"run","job":1,"due":10000,"at":45100}
			{"kind":"run","job":1,"due":20000,"at":48100}
			{"kind":"run","job":1,"due":30000,"at":51100}
			{"kind":"run","job":1,"due":40000,"at":54100}
			{"kind":"run","job":1,"due":50000,"at":50000}`, ""},
		{"all, caught up in time", lapsed + `{"kind":"run","job":1,"due":10000,"at":82000}`, ""},
		{"all, caught up late", lapsed + `{"kind":"run","job":1,"due":10000,"at":82001}`, "late"},
		{"all, and not caught up", lapsed, "missed"},

		{"in doubt, and not sent", five + `{"kind":"misfire","job":1,"due":50000,"until":50000,"strategy":"STORE_LOST","at":50900}`, ""},
		{"in doubt, and sent", all + `{"kind":"misfire","job":1,"due":50000,"until":50000,"strategy":"STORE_LOST","at":50900}`, ""},
		{"in doubt, and sent twice", all + `
			{"kind":"misfire","job":1,"due":50000,"until":50000,"strategy":"STORE_LOST","at":50900}
			{"kind":"run","job":1,"log":6,"due":50000,"at":51000}`, "duplicate"},
		{"in doubt, and the row is missing", five + rows + `
			{"kind":"run","job":1,"log":5,"due":50000,"at":50000,"end":50001,"code":200}
			{"kind":"misfire","job":1,"due":50000,"until":50000,"strategy":"STORE_LOST","at":50900}`, ""},
		{"in doubt, and the row of another is missing", all + `
			{"kind":"log","log":1,"job":1}{"kind":"log","log":2,"job":1}{"kind":"log","log":3,"job":1}{"kind":"log","log":5,"job":1}
			{"kind":"misfire","job":1,"due":50000,"until":50000,"strategy":"STORE_LOST","at":50900}`, "unlogged"},

		// Fixed delays.
		{"fixed delay", delay + `{"kind":"run","job":1,"log":2,"at":43000,"end":43001,"code":500}`, ""},
		{"fixed delay, early", delay + `{"kind":"run","job":1,"log":2,"at":42999}`, "missed, extra"},
		{"fixed delay, at the last instant", delay + `{"kind":"run","job":1,"log":2,"at":45000}`, ""},
		{"fixed delay, late", delay + `{"kind":"run","job":1,"log":2,"at":45001}`, "missed, extra"},
		{"fixed delay, missed", delay, "missed"},
		{"fixed delay, on its way when the stop was acknowledged", delay + `{"kind":"change","job":1,"op":"stop","asked":43000,"acked":43100}
			{"kind":"run","job":1,"log":2,"at":44100}`, ""},
		{"fixed delay, no longer on its way", delay + `{"kind":"change","job":1,"op":"stop","asked":43000,"acked":43100}
			{"kind":"run","job":1,"log":2,"at":44101}`, "after stop"},
		{"fixed delay, stopped", delay + `{"kind":"change","job":1,"op":"stop","asked":43000,"acked":43100}`, ""},
		{"fixed delay, after the stop", delay + `{"kind":"change","job":1,"op":"stop","asked":42000,"acked":42100}
			{"kind":"run","job":1,"log":2,"at":43200}`, "after stop"},

		// Parents.
		{"child", parent + `{"kind":"run","job":2,"log":2,"at":10600}`, ""},
		{"child, named", parent + `{"kind":"run","job":2,"log":2,"at":30600}{"kind":"trigger","job":2,"type":"PARENT","log":2,"of":1}`, ""},
		{"child refused", parent + `{"kind":"log","log":1,"job":1,"handle_code":200}{"kind":"log","log":2,"job":2,"trigger_code":500}
			{"kind":"trigger","job":2,"type":"PARENT","log":2,"of":1}`, ""},
		{"no child", parent, "child missed"},
		{"named child that never came", parent + `{"kind":"trigger","job":2,"type":"PARENT","log":2,"of":1}`, "child missed"},
		{"two children", parent + `{"kind":"run","job":2,"log":2,"at":10600}{"kind":"run","job":2,"log":3,"at":10700}`, "child extra"},
		{"child of a failed run", strings.Replace(parent, `"code":200`, `"code":500`, 1) + `{"kind":"run","job":2,"log":2,"at":10600}
			{"kind":"trigger","job":2,"type":"PARENT","log":2,"of":1}`, "child extra"},
		{"child of a run whose end is not known", strings.Replace(parent, `"end":10500,"code":200`, `"start":10001`, 1) + `{"kind":"run","job":2,"log":2,"at":10600}
			{"kind":"trigger","job":2,"type":"PARENT","log":2,"of":1}`, ""},
		{"child whose result was not applied", parent + `{"kind":"result","log":99,"code":200,"at":10600}`, "result lost"},

		// Results.
		{"applied twice", all + `{"kind":"run","job":1,"log":6,"at":33000,"end":33001,"code":200}{"kind":"trigger","job":1,"type":"API","log":6}
			{"kind":"result","log":6,"code":200,"at":33002}{"kind":"result","log":6,"code":200,"at":33003}`, "result twice"},
		{"applied wrongly", all + `{"kind":"run","job":1,"log":6,"at":33000,"end":33001,"code":500}{"kind":"trigger","job":1,"type":"API","log":6}
			{"kind":"result","log":6,"code":200,"at":33002}`, "result wrong"},
		{"not applied yet", all + `{"kind":"run","job":1,"log":6,"at":57000,"end":57000,"code":200}{"kind":"trigger","job":1,"type":"API","log":6}
			{"kind":"result","log":1,"code":200,"at":33002}`, ""},
		{"not applied for too long", all + `{"kind":"run","job":1,"log":6,"at":56999,"end":56999,"code":200}{"kind":"trigger","job":1,"type":"API","log":6}
			{"kind":"result","log":1,"code":200,"at":33002}`, "result lost"},
		{"lost with the store", all + `{"kind":"run","job":1,"log":6,"at":33000,"end":33000,"code":200}{"kind":"trigger","job":1,"type":"API","log":6}
			{"kind":"loss","since":34000,"until":35000}{"kind":"result","log":1,"code":200,"at":33002}`, ""},
		{"lost before the store lost anything", all + `{"kind":"run","job":1,"log":6,"at":32999,"end":32999,"code":200}{"kind":"trigger","job":1,"type":"API","log":6}
			{"kind":"loss","since":34000,"until":35000}{"kind":"result","log":1,"code":200,"at":33002}`, "result lost"},
		{"lost after the store lost something", all + `{"kind":"run","job":1,"log":6,"at":35001,"end":35001,"code":200}{"kind":"trigger","job":1,"type":"API","log":6}
			{"kind":"loss","since":34000,"until":35000}{"kind":"result","log":1,"code":200,"at":33002}`, "result lost"},
		{"acknowledged long after the end, and then lost", all + `{"kind":"run","job":1,"log":6,"at":25000,"end":25000,"code":200}{"kind":"trigger","job":1,"type":"API","log":6}
			{"kind":"acked","log":6,"at":34000}{"kind":"loss","since":34000,"until":35000}{"kind":"result","log":1,"code":200,"at":33002}`, ""},
		{"acknowledged before the store lost anything", all + `{"kind":"run","job":1,"log":6,"at":33500,"end":33500,"code":200}{"kind":"trigger","job":1,"type":"API","log":6}
			{"kind":"acked","log":6,"at":33999}{"kind":"loss","since":34000,"until":35000}{"kind":"result","log":1,"code":200,"at":33002}`, "result lost"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := Check(shifted(t, test.text), Options{})
			require.NoError(t, r.Err)
			var got []string
			for k, n := range r.Counts {
				for range n {
					got = append(got, Kind(k).String())
				}
			}
			require.Equal(t, test.want, strings.Join(got, ", "), "%v", r)
		})
	}
}

// TestMisfiredNamesTheRunWithoutAReason checks that a run for a consumed due time is named, and not
// an earlier one that somebody asked for.
func TestMisfiredNamesTheRunWithoutAReason(t *testing.T) {
	r := Check(shifted(t, `
		{"kind":"change","job":1,"op":"create","asked":1,"acked":2,"type":"ONCE","conf":"2026-03-01T00:00:10Z"}
		{"kind":"change","job":1,"op":"start","asked":3,"acked":4}
		{"kind":"misfire","job":1,"due":10000,"until":10000,"strategy":"DO_NOTHING","at":20000}
		{"kind":"trigger","job":1,"type":"MANUAL","log":6}
		{"kind":"run","job":1,"log":6,"due":10000,"at":30000}
		{"kind":"run","job":1,"log":7,"due":10000,"at":31000}
		{"kind":"final","at":90000}`), Options{})
	require.NoError(t, r.Err)
	require.Len(t, r.Violations, 1, "%v", r)
	require.Equal(t, Misfired, r.Violations[0].Kind)
	require.Equal(t, int64(7), r.Violations[0].Log)
	require.Equal(t, int64(7), r.Violations[0].Runs[0].Log)
}

// shifted parses lines whose instants are milliseconds after the base.
func shifted(t *testing.T, text string) *History {
	t.Helper()
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\t", ""), "}{", "}\n{")
	h, err := Read(strings.NewReader(strings.ReplaceAll(text, "\n\n", "\n")))
	require.NoError(t, err)
	shift := func(instants ...*Instant) {
		for _, i := range instants {
			if *i != 0 {
				*i += base
			}
		}
	}
	shift(&h.End)
	for i := range h.Changes {
		c := &h.Changes[i]
		shift(&c.Asked, &c.Acked, &c.First)
	}
	for i := range h.Runs {
		r := &h.Runs[i]
		shift(&r.Due, &r.At, &r.Start, &r.End)
	}
	for i := range h.Misfires {
		m := &h.Misfires[i]
		shift(&m.Due, &m.Until, &m.At)
	}
	for i := range h.Losses {
		shift(&h.Losses[i].Since, &h.Losses[i].Until)
	}
	for i := range h.Triggers {
		shift(&h.Triggers[i].Asked, &h.Triggers[i].Acked)
	}
	for i := range h.Resends {
		shift(&h.Resends[i].At)
	}
	for i := range h.Results {
		shift(&h.Results[i].At)
	}
	for i := range h.Acks {
		shift(&h.Acks[i].At)
	}
	for i := range h.Logs {
		shift(&h.Logs[i].Due, &h.Logs[i].Handled)
	}
	return h
}

func TestOptions(t *testing.T) {
	text := `
		{"kind":"change","job":1,"op":"create","asked":1,"acked":2,"type":"CRON","conf":"0/10 * * * * ?"}
		{"kind":"change","job":1,"op":"start","asked":3,"acked":4}
		{"kind":"final","at":60000}
		{"kind":"run","job":1,"due":10000,"at":9990}
		{"kind":"run","job":1,"due":20000,"at":24000}
		{"kind":"run","job":1,"due":30000,"at":30000}`
	kinds := func(o Options) string {
		r := Check(shifted(t, text), o)
		var got []string
		for i := range r.Violations {
			got = append(got, r.Violations[i].Kind.String())
		}
		return strings.Join(got, ", ")
	}
	require.Equal(t, "early, late, missed, missed", kinds(Options{}))
	require.Equal(t, "late, missed, missed", kinds(Options{Skew: 10 * time.Millisecond}))
	require.Equal(t, "early, missed, missed", kinds(Options{Epsilon: 4 * time.Second}))
	require.Equal(t, "early, late", kinds(Options{End: ms(42_000)}))
	require.Equal(t, "early, late, missed", kinds(Options{MaxViolations: 3}))
	require.Contains(t, Check(shifted(t, text), Options{MaxViolations: 3}).String(), "\nand 1 more\n")
	text += `
		{"kind":"misfire","job":1,"due":40000,"until":50000,"strategy":"DO_NOTHING","at":59000}`
	require.Equal(t, "early, late", kinds(Options{}))
	require.Equal(t, "early, late, missed, missed", kinds(Options{NoMisfires: true}))
	require.ErrorContains(
		t, Check(&History{}, Options{MaxViolations: -1}).Err, "Options.MaxViolations is -1, must not be negative",
	)
	require.True(t, Check(&History{}, Options{}).Clean(), "nothing was wrong with nothing")
}

// TestCounterExample checks that a violation shows the relevant runs and lines and no others.
func TestCounterExample(t *testing.T) {
	w := newWorld(3, 24, 150_000)
	w.rows = true
	h := w.history()
	h.Runs = append(h.Runs, Run{Job: 13, Log: 99_999, Due: 0, At: ms(60_500), Start: ms(60_500)})
	r := Check(h, Options{})
	v := r.Violations[len(r.Violations)-1]
	for i := range r.Violations {
		if r.Violations[i].Log == 99_999 && r.Violations[i].Kind != Unlogged {
			v = r.Violations[i]
		}
	}
	require.Equal(t, int64(99_999), v.Runs[0].Log)
	require.LessOrEqual(t, len(v.Runs), 4)
	require.LessOrEqual(t, len(v.Records), 3)
	for _, run := range v.Runs {
		require.Equal(t, int64(13), run.Job)
	}
}
