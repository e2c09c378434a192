package storetest

import (
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// pause begins a pause of a group, or of all jobs.
func (b *fullFixture) pause(group int64, note string, until time.Time) xxladapter.Pause {
	b.Helper()
	p, err := b.store.CreatePause(b.ctx, xxladapter.Pause{GroupID: group, Note: note, Until: until})
	b.NoError(err)
	return p
}

// restrictions returns what decide sees of pauses and calendars, with the job that is due.
func (b *fixture) restrictions() (seen *xxladapter.Restrictions) {
	b.Helper()
	asked := false
	_, _, err := b.store.ClaimDue(b.ctx, b.term("n1"), time.Hour, 10, func(_ time.Time, due []*xxladapter.Job) []xxladapter.Decision {
		seen, asked = due[0].Restrictions, true
		return nil
	})
	b.NoError(err)
	b.True(asked, "no job is due")
	return seen
}

func (b *fixture) misfiresOf(job int64) []xxladapter.Misfire {
	b.Helper()
	list, err := b.store.Misfires(b.ctx, xxladapter.MisfireFilter{JobID: job})
	b.NoError(err)
	return list
}

func milliseconds(t time.Time) time.Time { return t.Truncate(time.Millisecond) }

var pauseRules = []rule{
	{"AJobHasOneMisfireOfEachPause", func(b *fixture) {
		one, two := b.addRunning("one", at(0)), b.addRunning("two", at(0))
		next := 1
		miss := func(pause int64, calendar string, jobs ...int64) {
			_, _, err := b.store.ClaimDue(b.ctx, b.term("n1"), time.Hour, 10, func(now time.Time, due []*xxladapter.Job) (all []xxladapter.Decision) {
				for _, id := range jobs {
					all = append(all, xxladapter.Decision{JobID: id, Last: at(next - 1), Next: at(next),
						Misfires: []xxladapter.Misfire{{
							Due: at(next - 1), Until: at(next - 1), Strategy: xxladapter.MisfireDoNothing, At: at(next),
							PauseID: pause, Calendar: calendar,
						}}})
				}
				return all
			})
			b.NoError(err)
			next++
		}
		miss(1, "", one, two)
		miss(1, "", one)
		miss(2, "", one)
		miss(1, "", one)
		miss(0, "cn", one)
		miss(0, "cn", one)
		miss(0, "", one)
		miss(0, "", one)
		type span struct {
			pause           int64
			calendar        string
			kind            xxladapter.MisfireKind
			due, until, now int
		}
		seconds := func(t time.Time) int { return int(t.Sub(at(0)).Seconds()) }
		spans := func(job int64) (all []span) {
			for _, m := range b.misfiresOf(job) {
				all = append(
					all, span{m.PauseID, m.Calendar, m.Kind(), seconds(m.Due), seconds(m.Until), seconds(m.At)},
				)
			}
			return all
		}
		b.Equal([]span{
			{1, "", xxladapter.MisfirePaused, 0, 3, 4},
			{2, "", xxladapter.MisfirePaused, 2, 2, 3},
			{0, "cn", xxladapter.MisfireExcluded, 4, 4, 5},
			{0, "cn", xxladapter.MisfireExcluded, 5, 5, 6},
			{0, "", xxladapter.MisfireLate, 6, 6, 7},
			{0, "", xxladapter.MisfireLate, 7, 7, 8},
		}, spans(one))
		b.Equal([]span{{1, "", xxladapter.MisfirePaused, 0, 0, 1}}, spans(two))
	}},
}

var pauseFullRules = []fullRule{
	{"APauseIsStoredWithWhoBeganIt", func(b *fullFixture) {
		ctx := xxladapter.WithActor(b.ctx, xxladapter.Actor{Kind: xxladapter.ActorUser, Name: "lin"})
		p, err := b.store.CreatePause(ctx, xxladapter.Pause{
			GroupID: b.group, Note: "维护\nsecond line", Until: at(60), By: "somebody", EndedBy: "else", ID: 9,
		})
		b.NoError(err)
		want := xxladapter.Pause{
			ID: p.ID, GroupID: b.group, Note: "维护\nsecond line", By: "user lin", From: milliseconds(epoch),
			Until: at(60),
		}
		b.True(p.From.Equal(want.From), "%v", p.From)
		p.From, p.Until = want.From, want.Until
		b.Equal(want, p)
		all, err := b.store.Pauses(b.ctx, xxladapter.PauseFilter{})
		b.NoError(err)
		b.Len(all, 1)
		b.Equal(want.Note, all[0].Note)
		b.True(all[0].Until.Equal(at(60)) && all[0].From.Equal(want.From))
		_, err = b.store.CreatePause(b.ctx, xxladapter.Pause{GroupID: absent})
		b.ErrorIs(err, xxladapter.ErrNotFound)
	}},
	{"PausesAreListedNewestFirst", func(b *fullFixture) {
		other := b.addGroup("other-app")
		ended := b.pause(0, "over", at(5))
		mine := b.pause(b.group, "mine", time.Time{})
		theirs := b.pause(other, "theirs", at(1000))
		b.clock.Advance(time.Minute)
		for _, tt := range []struct {
			filter xxladapter.PauseFilter
			want   []int64
		}{
			{xxladapter.PauseFilter{}, []int64{theirs.ID, mine.ID, ended.ID}},
			{xxladapter.PauseFilter{Open: true}, []int64{theirs.ID, mine.ID}},
			{xxladapter.PauseFilter{Since: at(4)}, []int64{theirs.ID, mine.ID, ended.ID}},
			{xxladapter.PauseFilter{Since: at(5)}, []int64{theirs.ID, mine.ID}},
			{xxladapter.PauseFilter{Groups: []int64{other}}, []int64{theirs.ID, ended.ID}},
			{xxladapter.PauseFilter{Groups: []int64{}}, []int64{ended.ID}},
			{xxladapter.PauseFilter{Limit: 1}, []int64{theirs.ID}},
			{xxladapter.PauseFilter{AfterID: theirs.ID, Limit: 1}, []int64{mine.ID}},
		} {
			list, err := b.store.Pauses(b.ctx, tt.filter)
			b.NoError(err)
			var ids []int64
			for _, p := range list {
				ids = append(ids, p.ID)
			}
			b.Equal(tt.want, ids, "%+v", tt.filter)
		}
	}},
	{"APauseEndsOnce", func(b *fullFixture) {
		p := b.pause(0, "n", time.Time{})
		b.clock.Advance(time.Minute)
		ctx := xxladapter.WithActor(b.ctx, xxladapter.Actor{Kind: xxladapter.ActorUser, Name: "lin"})
		ended, err := b.store.EndPause(ctx, p.ID)
		b.NoError(err)
		b.True(ended.Until.Equal(milliseconds(epoch.Add(time.Minute))), "%v", ended.Until)
		b.Equal("user lin", ended.EndedBy)
		b.clock.Advance(time.Minute)
		again, err := b.store.EndPause(b.ctx, p.ID)
		b.NoError(err)
		b.Equal(ended, again)
		_, err = b.store.EndPause(b.ctx, absent)
		b.ErrorIs(err, xxladapter.ErrNotFound)
	}},
	{"ScansSeePausesAndCalendars", func(b *fullFixture) {
		b.addRunning("due", at(1))
		b.Nil(b.restrictions())
		p := b.pause(b.group, "n", time.Time{})
		r := b.restrictions()
		b.NotNil(r)
		b.Len(r.Pauses, 1)
		b.Equal(p.ID, r.Pauses[0].ID)
		b.True(r.Pauses[0].Until.IsZero())
		b.Equal(b.group, r.Pauses[0].GroupID)

		b.clock.Advance(time.Second)
		_, err := b.store.EndPause(b.ctx, p.ID)
		b.NoError(err)
		b.False(b.restrictions().Pauses[0].Until.IsZero(), "an ended pause counts for the past")

		_, err = b.store.SaveCalendar(
			b.ctx, &xxladapter.Calendar{Name: "office", Weekend: []xxladapter.Weekday{"SUNDAY"}}, time.Time{},
		)
		b.NoError(err)
		b.Equal([]xxladapter.Weekday{"SUNDAY"}, b.restrictions().Calendar("office").Weekend)
		b.NoError(b.store.RemoveCalendar(b.ctx, "office"))
		b.Nil(b.restrictions().Calendar("office"))

		builtIn := b.restrictions().Calendar("cn")
		b.NotNil(builtIn)
		_, err = b.store.SaveCalendar(
			b.ctx, &xxladapter.Calendar{Name: "cn", Weekend: []xxladapter.Weekday{"MONDAY"}}, time.Time{},
		)
		b.NoError(err)
		b.Equal([]xxladapter.Weekday{"MONDAY"}, b.restrictions().Calendar("cn").Weekend)
		b.NoError(b.store.RemoveCalendar(b.ctx, "cn"))
		b.Equal(builtIn, b.restrictions().Calendar("cn"), "jobs that name it follow the one that is built in")
	}},
	{"AScanThatSeesAPauseIsLaterThanItsBeginning", func(b *fullFixture) {
		b.addRunning("due", at(-1))
		term := b.term("n1")
		for reads := range 4 { // scans read the clock several times
			var begun xxladapter.Pause
			var beginErr error
			asked, created := make(chan struct{}), make(chan struct{})
			begin := func() {
				close(asked)
				b.clock.Advance(time.Second)
				go func() { // the case waits for created
					defer close(created)
					begun, beginErr = b.store.CreatePause(b.ctx, xxladapter.Pause{})
				}()
				select {
				case <-created:
				case <-time.After(100 * time.Millisecond): // the scan keeps the pause waiting
				}
			}
			for range reads {
				later := begin
				begin = func() { b.clock.OnNextRead(later) }
			}
			b.clock.OnNextRead(begin)
			early := false
			_, _, err := b.store.ClaimDue(b.ctx, term, 0, 10, func(now time.Time, due []*xxladapter.Job) []xxladapter.Decision {
				if r := due[0].Restrictions; r != nil {
					early = slices.ContainsFunc(r.Pauses, func(p xxladapter.Pause) bool { return now.Before(p.From) })
				}
				return nil
			})
			b.NoError(err)
			b.False(early, "the pause began after %d readings of the clock", reads)
			b.clock.OnNextRead(nil)
			select {
			case <-asked:
				<-created
				b.NoError(beginErr)
				_, err = b.store.EndPause(b.ctx, begun.ID)
				b.NoError(err)
			default: // the scan has read the clock fewer times
			}
		}
	}},
	{"OldPausesAreForgottenByScans", func(b *fullFixture) {
		b.pause(0, "old", at(5))
		b.clock.Advance(xxladapter.PauseMemory + time.Hour)
		b.addRunning("due", b.clock.Now())
		open := b.pause(0, "new", time.Time{})
		r := b.restrictions()
		b.Len(r.Pauses, 1)
		b.Equal(open.ID, r.Pauses[0].ID)
	}},
	{"APauseTakesPlannedFiresBack", func(b *fullFixture) {
		other := b.addGroup("other-app")
		mine, theirs := b.addRunning("mine", at(600)), b.addJob("theirs")
		j := b.job(theirs)
		j.GroupID = other
		b.NoError(xxladapter.UpdateJob(b.ctx, b.store, j, false))
		b.plan(mine, at(3), xxladapter.TriggerCron)
		b.plan(mine, at(-60), xxladapter.TriggerMisfire)
		manual := b.plan(mine, at(4), xxladapter.TriggerManual)
		retry := b.plan(mine, at(5), xxladapter.TriggerRetry)
		sent := b.plan(mine, at(-5), xxladapter.TriggerCron)
		_, err := b.store.ClaimFire(b.ctx, b.term("n1"), sent.ID, b.newLogs(mine, 1))
		b.NoError(err)
		elsewhere := b.plan(theirs, at(3), xxladapter.TriggerCron)

		p := b.pause(b.group, "n", time.Time{})
		left := map[int64]bool{}
		for _, f := range b.openFires(xxladapter.FireFilter{}) {
			left[f.ID] = true
		}
		b.Equal(map[int64]bool{manual.ID: true, retry.ID: true, sent.ID: true, elsewhere.ID: true}, left)
		missed := b.misfiresOf(mine)
		b.Len(missed, 1)
		b.Equal(p.ID, missed[0].PauseID)
		b.Equal(xxladapter.MisfirePaused, missed[0].Kind())
		b.Equal(xxladapter.MisfireDoNothing, missed[0].Strategy)
		b.True(
			missed[0].Due.Equal(at(-60)) && missed[0].Until.Equal(at(3)) && missed[0].At.Equal(p.From), "%+v",
			missed[0],
		)
		b.Empty(b.misfiresOf(theirs))

		b.pause(0, "all", time.Time{})
		b.Len(b.misfiresOf(theirs), 1)
		b.True(b.job(mine).TriggerNext.Equal(at(600)), "the next due time stays")
	}},
	{"APauseLeavesFiresThatAreDueAfterItsEnd", func(b *fullFixture) {
		id := b.addRunning("job", at(600))
		b.plan(id, at(-5), xxladapter.TriggerCron)
		b.plan(id, at(59), xxladapter.TriggerCron)
		end := b.plan(id, at(60), xxladapter.TriggerCron)
		later := b.plan(id, at(3600), xxladapter.TriggerMisfire)
		b.pause(0, "n", at(60))
		b.Equal([]xxladapter.Fire{end, later}, b.openFires(xxladapter.FireFilter{}))
		missed := b.misfiresOf(id)
		b.Len(missed, 1)
		b.True(missed[0].Due.Equal(at(-5)) && missed[0].Until.Equal(at(59)), "%+v", missed[0])
	}},
	{"AMisfireOfAPauseCoversNoCatchUpToCome", func(b *fullFixture) {
		both, one := b.addRunning("both", at(600)), b.addRunning("one", at(600))
		b.plan(both, at(-5), xxladapter.TriggerCron)
		b.plan(both, at(4), xxladapter.TriggerCron)
		for _, id := range []int64{both, one} {
			b.plan(id, at(1800), xxladapter.TriggerMisfire)
			b.plan(id, at(3600), xxladapter.TriggerMisfire)
		}
		p := b.pause(0, "n", time.Time{})
		b.Empty(b.openFires(xxladapter.FireFilter{}))
		missed := b.misfiresOf(both)
		b.Len(missed, 1)
		b.True(missed[0].Due.Equal(at(-5)) && missed[0].Until.Equal(at(4)), "%+v", missed[0])
		missed = b.misfiresOf(one)
		b.Len(missed, 1)
		b.True(missed[0].Due.Equal(p.From) && missed[0].Until.Equal(p.From), "%+v", missed[0])
	}},
	{"ADelayWhoseFireIsTakenBackContinues", func(b *fullFixture) {
		id := b.addRunning("delay", at(-1))
		fires, _, err := b.store.ClaimDue(b.ctx, b.term("n1"), 0, 10, func(time.Time, []*xxladapter.Job) []xxladapter.Decision {
			return []xxladapter.Decision{{
				JobID: id, Last: at(-1), Next: xxladapter.AfterRun,
				Fires: []xxladapter.Fire{{JobID: id, Due: at(-1), Type: xxladapter.TriggerCron, RetryCount: -1}},
			}}
		})
		b.NoError(err)
		b.Len(fires, 1)
		b.True(b.job(id).Waits())
		p := b.pause(0, "n", time.Time{})
		b.True(b.job(id).TriggerNext.Equal(p.From), "%v", b.job(id).TriggerNext)
		_, err = b.store.ClaimFire(b.ctx, b.term("n1"), fires[0].ID, b.newLogs(id, 1))
		b.ErrorIs(err, xxladapter.ErrConflict)
		b.Equal(1, len(b.restrictions().Pauses))
	}},
	{"PausesAndCalendarsAreAudited", func(b *fullFixture) {
		ctx := xxladapter.WithCall(
			xxladapter.WithActor(b.ctx, xxladapter.Actor{Kind: xxladapter.ActorUser, Name: "lin"}), "POST /x",
		)
		p, err := b.store.CreatePause(ctx, xxladapter.Pause{GroupID: b.group, Note: "first\nsecond"})
		b.NoError(err)
		for range 2 {
			_, err = b.store.EndPause(ctx, p.ID)
			b.NoError(err)
		}
		for _, weekend := range [][]xxladapter.Weekday{{"SUNDAY"}, {"SUNDAY"}, {"FRIDAY"}} {
			_, err = b.store.SaveCalendar(ctx, &xxladapter.Calendar{Name: "office", Weekend: weekend}, time.Time{})
			b.NoError(err)
		}
		b.NoError(b.store.RemoveCalendar(ctx, "office"))
		rows, err := b.store.AuditRows(b.ctx, xxladapter.AuditFilter{})
		b.NoError(err)
		var objects []xxladapter.AuditObject
		for _, r := range rows {
			objects = append(objects, r.Object)
			b.NotEmpty(r.Changes)
		}
		pause := xxladapter.AuditObject{Kind: xxladapter.AuditPause, ID: p.ID, Name: "first", GroupID: b.group}
		office := xxladapter.AuditObject{Kind: xxladapter.AuditCalendar, Name: "office"}
		b.Equal([]xxladapter.AuditObject{pause, pause, office, office, office}, objects, "what changes nothing has no row")
	}},
}

var calendarRules = []fullRule{
	{"ACalendarIsStoredWhole", func(b *fullFixture) {
		c := &xxladapter.Calendar{
			Name: "office", Note: "办公", Weekend: []xxladapter.Weekday{"SATURDAY", "SUNDAY"},
			Years: []xxladapter.CalendarYear{
				{Year: 2026, Source: "通知", Off: []xxladapter.Day{"0101", "0501"}, Work: []xxladapter.Day{"0104"}},
			},
		}
		updated, err := b.store.SaveCalendar(b.ctx, c, time.Time{})
		b.NoError(err)
		b.True(updated.Equal(milliseconds(epoch)), "%v", updated)
		c.Years[0].Off[0] = "0102" // the argument belongs to the caller
		list, err := b.store.Calendars(b.ctx)
		b.NoError(err)
		b.Len(list, 1)
		b.True(list[0].Updated.Equal(updated))
		c.Years[0].Off[0], c.Updated, list[0].Updated = "0101", time.Time{}, time.Time{}
		b.Equal(c, list[0])
	}},
	{"ASaverLearnsOfAChangeInBetween", func(b *fullFixture) {
		save := func(weekend xxladapter.Weekday, seen time.Time) (time.Time, error) {
			return b.store.SaveCalendar(
				b.ctx, &xxladapter.Calendar{Name: "office", Weekend: []xxladapter.Weekday{weekend}}, seen,
			)
		}
		_, err := save("MONDAY", at(1))
		b.ErrorIs(err, xxladapter.ErrConflict, "it does not exist")
		first, err := save("MONDAY", time.Time{})
		b.NoError(err)
		second, err := save("TUESDAY", first)
		b.NoError(err)
		b.True(second.After(first), "within one millisecond")
		_, err = save("WEDNESDAY", first)
		b.ErrorIs(err, xxladapter.ErrConflict)
		list, err := b.store.Calendars(b.ctx)
		b.NoError(err)
		b.Equal([]xxladapter.Weekday{"TUESDAY"}, list[0].Weekend)
		b.NoError(b.store.RemoveCalendar(b.ctx, "office"))
		b.ErrorIs(b.store.RemoveCalendar(b.ctx, "office"), xxladapter.ErrNotFound)
	}},
	{"CalendarsAreListedByName", func(b *fullFixture) {
		for _, name := range []string{"b", "a-1", "a.1", "a"} {
			_, err := b.store.SaveCalendar(b.ctx, &xxladapter.Calendar{Name: name}, time.Time{})
			b.NoError(err)
		}
		list, err := b.store.Calendars(b.ctx)
		b.NoError(err)
		var names []string
		for _, c := range list {
			names = append(names, c.Name)
		}
		b.Equal([]string{"a", "a-1", "a.1", "b"}, names)
	}},
}
