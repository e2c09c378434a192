package storetest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

var auditRules = []fullRule{
	{"AnEditOfAJobIsAuditedFieldByField", func(b *fullFixture) {
		b.as("POST /jobs")
		id := b.addJob("audited")
		created := b.lastAudit()
		b.Equal(xxladapter.Actor{Name: "ann", Kind: xxladapter.ActorUser, Address: "10.1.2.3"}, created.Actor)
		b.Equal("POST /jobs", created.Call)
		b.Equal(epoch.Truncate(time.Millisecond), created.At)
		b.Equal(xxladapter.AuditObject{
			Kind: "job", ID: id, Name: "audited", JobID: id, GroupID: b.group,
		}, created.Object)
		b.Len(created.Changes, len(b.newJob("audited").Fields()))
		b.Equal(change("name", "", `"audited"`), created.Changes[1])
		b.Contains(created.Changes, change("running", "", "false"))

		b.as("PUT /jobs/{id}")
		b.clock.Advance(time.Hour)
		j := b.job(id)
		j.Name, j.ScheduleConf, j.ChildIDs, j.Settings.Zone = "later\n\x00", "0 0 1 * * ?", nil, "Asia/Shanghai"
		j.Timeout = 5 * time.Second
		b.NoError(xxladapter.UpdateJob(b.ctx, b.store, j, false))
		edited := b.lastAudit()
		b.Equal("PUT /jobs/{id}", edited.Call)
		settings := func(zone string) string {
			return strings.Replace(b.newJob("").Settings.Text(), "Europe/Berlin", zone, 1)
		}
		b.Equal([]xxladapter.FieldChange{
			change("name", `"audited"`, `"later\n\u0000"`),
			change("scheduleConf", `"0 0 * * * ?"`, `"0 0 1 * * ?"`),
			change("executorTimeout", "90", "5"),
			change("childJobIds", "[7,5]", "[]"),
			change("settings", settings("Europe/Berlin"), settings("Asia/Shanghai")),
		}, edited.Changes)
		b.Equal(created.ID+1, edited.ID)
		b.Equal(created.Hash, edited.Previous)

		b.as("PUT /jobs/{id}/glue")
		b.saveGlue(id, "echo three", "third")
		b.Equal([]xxladapter.FieldChange{
			change("glueSource", `"echo 'glue'\n"`, `"echo three"`), change("glueRemark", `"remark"`, `"third"`),
		}, b.lastAudit().Changes)

		b.as("DELETE /jobs/{id}")
		b.NoError(xxladapter.RemoveJob(b.ctx, b.store, id))
		removed := b.lastAudit()
		b.Len(removed.Changes, len(j.Fields()))
		b.Contains(removed.Changes, change("glueSource", `"echo three"`, ""))
		b.verifyAudit()
	}},
	{"StartsStopsAndTriggersOfAJobAreAudited", func(b *fullFixture) {
		id := b.addJob("switched")
		b.Empty(b.audit(), "without a call nothing is audited")
		b.as("start")
		b.NoError(StartAt(b.ctx, b.store, id, at(60)))
		b.Equal([]xxladapter.FieldChange{change("running", "false", "true")}, b.lastAudit().Changes)
		b.Equal(
			xxladapter.AuditObject{Kind: "job", ID: id, Name: "switched", JobID: id, GroupID: b.group},
			b.lastAudit().Object,
		)
		b.as("stop")
		b.NoError(xxladapter.StopJob(b.ctx, b.store, id, time.Time{}))
		b.Equal([]xxladapter.FieldChange{change("running", "true", "false")}, b.lastAudit().Changes)
		b.as("trigger")
		param := "p"
		o, _, err := b.store.PlanOrder(b.ctx, xxladapter.Fire{
			JobID: id, Due: at(1), Type: xxladapter.TriggerManual, Param: &param, Addresses: []string{"http://a:1"},
		}, "key", "request")
		b.NoError(err)
		b.Equal([]xxladapter.FieldChange{
			change("order", "", fmt.Sprint(o.ID)), change("triggerType", "", `"MANUAL"`),
			change("executorParam", "", `"p"`), change("addressList", "", `["http://a:1"]`),
		}, b.lastAudit().Changes)
		b.Equal("switched", b.lastAudit().Object.Name)
		_, _, err = b.store.PlanOrder(
			b.ctx, xxladapter.Fire{JobID: id, Due: at(1), Type: xxladapter.TriggerManual}, "key", "request",
		)
		b.NoError(err)
		b.Len(b.audit(), 3, "a repeated order changes nothing")
		edits, err := b.store.AuditRows(b.ctx, xxladapter.AuditFilter{NoOrders: true})
		b.NoError(err)
		b.Equal(b.audit()[:2], edits)
		b.verifyAudit()
	}},
	{"AnEditOfAGroupIsAuditedWithoutItsToken", func(b *fullFixture) {
		b.as("groups")
		g := &xxladapter.Group{AppName: "secret-app", Title: "t", AccessToken: "token-one-1"}
		id, err := b.store.SaveGroup(b.ctx, g)
		b.NoError(err)
		b.Equal(xxladapter.AuditObject{Kind: "group", ID: id, Name: "secret-app", GroupID: id}, b.lastAudit().Object)
		g.ID, g.AccessToken, g.AddressType, g.Addresses = id, "token-two-2", xxladapter.AddressManual,
			[]string{"http://a:1"}
		_, err = b.store.SaveGroup(b.ctx, g)
		b.NoError(err)
		b.Equal([]xxladapter.FieldChange{
			change("addressType", "0", "1"), change("accessToken", `"********"`, `"********"`),
			change("addressList", "", `["http://a:1"]`),
		}, b.lastAudit().Changes)
		b.NoError(b.store.RemoveGroup(b.ctx, id))
		b.Len(b.audit(), 3)
		b.NotContains(b.auditText(), "token-")
		b.verifyAudit()
	}},
	{"AScheduleThatEndsIsAudited", func(b *fullFixture) {
		var ids []int64
		for i := range 55 { // more than one statement inserts
			ids = append(ids, b.addRunning(fmt.Sprintf("once %d", i), at(0)))
		}
		stays := b.addRunning("stays", at(0))
		_, _, err := b.store.ClaimDue(b.ctx, b.term("n1"), 0, 100, func(_ time.Time, due []*xxladapter.Job) (all []xxladapter.Decision) {
			for _, j := range due {
				d := xxladapter.Decision{JobID: j.ID, Last: at(0), Next: at(60)}
				if j.ID != stays {
					d.Next, d.Stop, d.Reason = time.Time{}, true, "no due time follows"
				}
				all = append(all, d)
			}
			return all
		})
		b.NoError(err)
		rows := b.audit()
		b.Equal(len(ids), len(rows))
		b.Equal(xxladapter.Actor{Kind: xxladapter.ActorScheduler, Name: "n1"}, rows[0].Actor)
		b.Equal(
			[]xxladapter.FieldChange{change("running", "true", "false"), change("reason", "", `"no due time follows"`)},
			rows[0].Changes,
		)
		b.Equal(b.group, rows[54].Object.GroupID)
		b.True(strings.HasPrefix(rows[54].Object.Name, "once "))
		b.verifyAudit()
	}},
	{"WhatIsRefusedOrChangesNothingIsNotAudited", func(b *fullFixture) {
		id := b.addRunning("steady", at(60))
		stopped := b.addJob("stopped")
		before := b.job(id)
		b.as("call")
		b.NoError(xxladapter.UpdateJob(b.ctx, b.store, before, false), "the same again")
		b.NoError(StartAt(b.ctx, b.store, id, at(60)))
		b.NoError(xxladapter.StopJob(b.ctx, b.store, stopped, time.Time{}))
		_, err := xxladapter.StartJob(
			b.ctx, b.store, stopped, time.Time{}, func(time.Time) time.Time { return time.Time{} },
		)
		b.NoError(err, "it has no due time")
		conflict := *before
		conflict.Name, conflict.Updated = "other", at(-60)
		b.ErrorIs(xxladapter.UpdateJob(b.ctx, b.store, &conflict, false), xxladapter.ErrConflict)
		conflict.Updated, conflict.TriggerNext = time.Time{}, at(-60)
		b.ErrorIs(xxladapter.UpdateJob(b.ctx, b.store, &conflict, true), xxladapter.ErrConflict)
		conflict.GroupID = b.group + 100
		b.ErrorIs(xxladapter.UpdateJob(b.ctx, b.store, &conflict, false), xxladapter.ErrNotFound)
		b.ErrorIs(xxladapter.StopJob(b.ctx, b.store, id, at(-60)), xxladapter.ErrConflict)
		b.ErrorIs(xxladapter.RemoveJob(b.ctx, b.store, id+100), xxladapter.ErrNotFound)
		b.ErrorIs(b.store.RemoveGroup(b.ctx, b.group), xxladapter.ErrConflict)
		_, err = b.store.SaveGroup(b.ctx, &xxladapter.Group{AppName: app, Title: "taken"})
		b.ErrorIs(err, xxladapter.ErrConflict)
		_, err = b.store.PurgeLogs(b.ctx, xxladapter.LogPurge{Before: at(0)}, 10)
		b.NoError(err, "there are no rows")
		b.NoError(b.store.Register(b.ctx, app, "http://a:1"), "registrations are no edits")
		b.Empty(b.audit())
	}},
	{"APurgeOfRunsForACallIsAudited", func(b *fullFixture) {
		id := b.addJob("purged")
		fire := b.claim(b.plan(id, at(0), xxladapter.TriggerManual), "n1", 1)[0]
		b.settleSent(fire)
		_, _, err := b.store.FinishRun(b.ctx, xxladapter.RunResult{LogID: fire.LogID, Code: xxladapter.ResultOK})
		b.NoError(err)
		b.as("clear")
		purged, err := b.store.PurgeLogs(b.ctx, xxladapter.LogPurge{JobID: id, Before: at(3600)}, 10)
		b.NoError(err)
		b.Equal(1, purged.Rows)
		row := b.lastAudit()
		b.Equal(xxladapter.AuditObject{Kind: "runs", JobID: id}, row.Object)
		b.Equal([]xxladapter.FieldChange{
			change("jobId", "", fmt.Sprint(id)), change("before", "", `"2026-03-01T13:00:00Z"`),
		}, row.Changes)
	}},
	{"AChangeOfTheZoneIsAudited", func(b *fullFixture) {
		_, err := b.store.AgreeZone(b.ctx, "UTC")
		b.NoError(err)
		b.as("migrate --zone")
		b.NoError(b.store.ChangeZone(b.ctx, "Asia/Shanghai"))
		b.Equal("zone", b.lastAudit().Object.Kind)
		b.Equal([]xxladapter.FieldChange{change("zone", `"UTC"`, `"Asia/Shanghai"`)}, b.lastAudit().Changes)
	}},
	{"AppendAuditKeepsAnyText", func(b *fullFixture) {
		o := xxladapter.AuditObject{
			Kind: "run", ID: 7, Name: strings.Repeat("长", 400) + "\xff\x00", JobID: 8, GroupID: 9,
		}
		fields := xxladapter.Fields{{Name: "text", Value: "二\x00\xff<&>'\"\\ " + strings.Repeat("x", 100_000)}}
		b.NoError(b.store.AppendAudit(b.ctx, o, fields), "without a call it does nothing")
		b.Empty(b.audit())
		b.ctx = xxladapter.WithActor(
			b.ctx, xxladapter.Actor{Name: strings.Repeat("名", 400), Address: strings.Repeat("a", 500)},
		)
		b.ctx = xxladapter.WithCall(b.ctx, strings.Repeat("call\xff", 100))
		b.NoError(b.store.AppendAudit(b.ctx, o, fields))
		row := b.lastAudit()
		b.Equal(xxladapter.AuditGenesis, row.Previous)
		b.EqualValues(1, row.ID)
		b.LessOrEqual(len(row.Object.Name), 1020)
		b.True(strings.HasPrefix(row.Object.Name, strings.Repeat("长", 300)))
		b.LessOrEqual(len(row.Actor.Name), 1020)
		b.LessOrEqual(len(row.Actor.Address), 255)
		b.LessOrEqual(len(row.Call), 255)
		b.EqualValues(9, row.Object.GroupID)
		b.verifyAudit()
	}},
	{"AuditRowsAreFiltered", func(b *fullFixture) {
		add := func(actor, kind string, id, job, group int64) {
			b.ctx = xxladapter.WithActor(xxladapter.WithCall(b.ctx, "c"), xxladapter.Actor{Name: actor})
			b.NoError(b.store.AppendAudit(
				b.ctx, xxladapter.AuditObject{Kind: kind, ID: id, JobID: job, GroupID: group},
				xxladapter.Fields{{Name: "x", Value: 1}},
			))
			b.clock.Advance(time.Second)
		}
		add("ann", "job", 1, 1, 5)
		add("bob", "group", 5, 0, 5)
		add("Ann", "run", 1, 1, 5)
		add("ann", "job", 2, 2, 6)
		for _, want := range []struct {
			filter xxladapter.AuditFilter
			ids    []int64
		}{
			{xxladapter.AuditFilter{}, []int64{1, 2, 3, 4}},
			{xxladapter.AuditFilter{Newest: true}, []int64{4, 3, 2, 1}},
			{xxladapter.AuditFilter{Newest: true, AfterID: 3, Limit: 1}, []int64{2}},
			{xxladapter.AuditFilter{AfterID: 1, Limit: 2}, []int64{2, 3}},
			{xxladapter.AuditFilter{Actor: "ann"}, []int64{1, 4}},
			{xxladapter.AuditFilter{Kind: "job"}, []int64{1, 4}},
			{xxladapter.AuditFilter{Kind: "job", ObjectID: 2}, []int64{4}},
			{xxladapter.AuditFilter{JobID: 1}, []int64{1, 3}},
			{xxladapter.AuditFilter{GroupID: 5}, []int64{1, 2, 3}},
			{xxladapter.AuditFilter{GroupID: 6, Actor: "bob"}, nil},
			{xxladapter.AuditFilter{From: epoch.Truncate(time.Millisecond).Add(time.Second)}, []int64{2, 3, 4}},
			{xxladapter.AuditFilter{From: epoch.Truncate(time.Millisecond).Add(time.Second + 1)}, []int64{3, 4}},
			{xxladapter.AuditFilter{Before: epoch.Truncate(time.Millisecond).Add(time.Second)}, []int64{1}},
			{xxladapter.AuditFilter{Before: epoch.Truncate(time.Millisecond).Add(time.Second + 1)}, []int64{1, 2}},
		} {
			rows, err := b.store.AuditRows(b.ctx, want.filter)
			b.NoError(err)
			var ids []int64
			for _, r := range rows {
				ids = append(ids, r.ID)
			}
			b.Equal(want.ids, ids, "%+v", want.filter)
		}
	}},
	{"TheChainStaysWholeAfterRetention", func(b *fullFixture) {
		ends, err := b.store.AuditEnds(b.ctx)
		b.NoError(err)
		genesis := xxladapter.AuditPosition{Hash: xxladapter.AuditGenesis}
		b.Equal(xxladapter.AuditEnds{Anchor: genesis, Last: genesis}, ends)
		b.as("call")
		for i, step := range []time.Duration{0, 1, 1, -3, 1, 5} { // the clock is set back before the fourth row
			b.clock.Advance(step * time.Hour)
			b.addJob(fmt.Sprint(i))
		}
		purge := func(hours time.Duration, limit int) int {
			rows, err := b.store.PurgeAudit(b.ctx, epoch.Truncate(time.Millisecond).Add(hours*time.Hour), limit)
			b.NoError(err)
			b.verifyAudit()
			return rows
		}
		b.Equal(0, purge(0, 10))
		b.Equal(1, purge(2, 1))
		b.Equal(1, purge(2, 10), "rows behind the first young one stay, so that there is no gap")
		b.Len(b.audit(), 4)
		b.EqualValues(3, b.audit()[0].ID)
		b.Equal(4, purge(1000, 10))
		b.Empty(b.audit())
		ends, err = b.store.AuditEnds(b.ctx)
		b.NoError(err)
		b.Equal(ends.Anchor, ends.Last)
		b.EqualValues(6, ends.Last.ID)
		b.addJob("next")
		b.EqualValues(7, b.lastAudit().ID)
		b.verifyAudit()
	}},
	{"ConcurrentEditsDoNotForkTheChain", func(b *fullFixture) {
		b.as("call")
		var wait sync.WaitGroup
		for i := range 8 {
			id := b.addJob(fmt.Sprint(i))
			wait.Go(func() {
				for n := range 5 {
					j, err := b.store.Job(b.ctx, id)
					if b.noErrorHere(err) {
						j.Author = fmt.Sprint("author ", n)
						b.noErrorHere(xxladapter.UpdateJob(b.ctx, b.store, j, false))
					}
				}
			})
		}
		wait.Wait()
		b.Equal(8+8*5, len(b.audit()))
		b.verifyAudit()
	}},
}

// noErrorHere checks what NoError does, for a goroutine of its own.
func (b *fixture) noErrorHere(err error) bool {
	if err != nil {
		b.T.Error(err)
	}
	return err == nil
}

// as attributes all later changes of the fixture to a user and to a call.
func (b *fixture) as(call string) {
	by := xxladapter.Actor{Name: "ann", Kind: xxladapter.ActorUser, Address: "10.1.2.3"}
	b.ctx = xxladapter.WithActor(xxladapter.WithCall(context.WithoutCancel(b.ctx), call), by)
}

func (b *fullFixture) audit() []xxladapter.AuditRow {
	b.Helper()
	rows, err := b.store.AuditRows(b.ctx, xxladapter.AuditFilter{})
	b.NoError(err)
	return rows
}

func (b *fullFixture) lastAudit() xxladapter.AuditRow {
	b.Helper()
	rows, err := b.store.AuditRows(b.ctx, xxladapter.AuditFilter{Newest: true, Limit: 1})
	b.NoError(err)
	b.Len(rows, 1)
	return rows[0]
}

// verifyAudit follows the whole chain.
func (b *fullFixture) verifyAudit() {
	b.Helper()
	ends, err := b.store.AuditEnds(b.ctx)
	b.NoError(err)
	mark, err := xxladapter.FollowChain(ends.Anchor, b.audit())
	b.NoError(err)
	b.NoError(xxladapter.EndChain(mark, ends.Last))
}

// change returns a change of one field; an empty text is no value.
func change(field, before, after string) xxladapter.FieldChange {
	c := xxladapter.FieldChange{Field: field}
	if before != "" {
		c.Before = json.RawMessage(before)
	}
	if after != "" {
		c.After = json.RawMessage(after)
	}
	return c
}

// auditText returns all changes as stores keep them.
func (b *fullFixture) auditText() string {
	var text strings.Builder
	for _, row := range b.audit() {
		text.WriteString(row.ChangesText())
	}
	return text.String()
}
