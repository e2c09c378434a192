package storetest

import (
	"slices"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

var logRules = []rule{
	{"ARunThatFailedTwiceIsRetriedOnce", func(b *fixture) {
		// A result may be prepared before its hand-over is settled as failed. Both then bring the
		// same retry, and that of the result is left out.
		id := b.addJob("failed")
		for _, c := range []struct {
			handOver, result int
			retryOfResult    bool
		}{
			{500, 500, false},
			{500, 200, true}, // a child job
			{502, 502, false},
			{xxladapter.ResultUnknown, 500, true}, // which plans no retry
			{200, 500, true},
			{0, 500, true},
		} {
			run := b.claim(b.plan(id, at(0), xxladapter.TriggerCron), "n1", 1)[0]
			next := []xxladapter.Fire{{JobID: id, Due: at(9), Type: xxladapter.TriggerRetry}}
			if c.handOver != 0 {
				b.settleBy(b.term("n1"), xxladapter.Settlement{FireID: run.ID, LogID: run.LogID, Code: c.handOver})
			}
			applied, planned, err := b.store.FinishRun(
				b.ctx, xxladapter.RunResult{LogID: run.LogID, Code: c.result, Next: next},
			)
			b.NoError(err)
			b.True(applied)
			b.Equal(c.result, b.log(run.LogID).HandleCode)
			open := b.openFires(xxladapter.FireFilter{})
			b.Equal(c.retryOfResult, len(open) == 1, "%+v: %d fires", c, len(open))
			b.Equal(open, planned)
			for _, f := range open {
				b.settleBy(b.term("n1"), xxladapter.Settlement{FireID: f.ID})
			}
		}
	}},
	{"TheFirstResultOfARunStays", func(b *fixture) {
		fire := b.claim(b.plan(b.addJob("job"), at(1), xxladapter.TriggerManual), "n1", 1)[0]
		want := b.log(fire.LogID)
		b.clock.Advance(time.Minute)
		applied, _, err := b.store.FinishRun(b.ctx, xxladapter.RunResult{LogID: fire.LogID, Code: 500, Msg: "first"})
		b.NoError(err)
		b.True(applied)
		applied, _, err = b.store.FinishRun(b.ctx, xxladapter.RunResult{LogID: fire.LogID, Code: 200, Msg: "second"})
		b.NoError(err)
		b.False(applied)

		want.HandleTime, want.HandleCode, want.HandleMsg = second(epoch.Add(time.Minute)), 500, "first"
		want.TriggerCode = 200
		b.Equal(want, b.log(fire.LogID))
	}},
	{"WhatFollowsFromAResultIsPlannedWithItAndOnce", func(b *fixture) {
		id, child := b.addJob("job"), b.addJob("child")
		fire := b.claim(b.plan(id, at(1), xxladapter.TriggerManual), "n1", 1)[0]
		next := []xxladapter.Fire{{JobID: child, Due: at(5), Type: xxladapter.TriggerParent, RetryCount: -1}}
		_, planned, err := b.store.FinishRun(b.ctx, xxladapter.RunResult{LogID: fire.LogID, Code: 200, Next: next})
		b.NoError(err)
		_, again, err := b.store.FinishRun(b.ctx, xxladapter.RunResult{LogID: fire.LogID, Code: 200, Next: next})
		b.NoError(err)
		b.Empty(again, "nothing follows from a repetition")
		open := b.openFires(xxladapter.FireFilter{})
		b.Len(open, 1)
		b.Equal(open, planned)
		b.Equal(child, open[0].JobID)
		b.Equal(xxladapter.FirePlanned, open[0].State)

		_, again, err = b.store.FinishRun(b.ctx, xxladapter.RunResult{LogID: 4711, Code: 200, Next: next})
		b.ErrorIs(err, xxladapter.ErrNotFound)
		b.Empty(again)
		b.Len(b.openFires(xxladapter.FireFilter{}), 1, "nothing follows from a run that is unknown")
	}},
	{"FinishRunReturnsWhatItPlannedAsStored", func(b *fixture) {
		id, child := b.addJob("job"), b.addJob("child")
		fire := b.claim(b.plan(id, at(1), xxladapter.TriggerManual), "n1", 1)[0]
		taken := b.plan(child, at(1), xxladapter.TriggerManual)
		_, planned, err := b.store.FinishRun(b.ctx, xxladapter.RunResult{LogID: fire.LogID, Code: 200,
			Next: []xxladapter.Fire{
				{
					ID: 99, JobID: child, Due: at(1).Add(time.Microsecond), Type: xxladapter.TriggerParent,
					RetryCount: -1, LogID: fire.LogID,
				},
				{JobID: id, Due: at(1), Type: xxladapter.TriggerParent, RetryCount: -1},
			}})
		b.NoError(err)
		b.Len(planned, 2)
		b.Equal([]xxladapter.Fire{
			{
				ID: planned[0].ID, JobID: child, GroupID: b.group, Due: at(1).Add(time.Millisecond),
				Type: xxladapter.TriggerParent, State: xxladapter.FirePlanned, RetryCount: -1, Parent: fire.LogID,
			},
			{
				ID: planned[1].ID, JobID: id, GroupID: b.group, Due: at(1), Type: xxladapter.TriggerParent,
				State: xxladapter.FirePlanned, RetryCount: -1, Parent: fire.LogID,
			},
		}, planned)
		b.Equal([]xxladapter.Fire{taken, planned[1], planned[0]}, b.openFires(xxladapter.FireFilter{}))
	}},
	{"LostRunsAreOldOpenAndAtAnAddressThatIsGone", func(b *fixture) {
		id := b.addJob("job")
		send := func(due int, addr string, code int) xxladapter.Fire {
			fire := b.plan(id, at(due-10), xxladapter.TriggerManual)
			logs := b.newLogs(id, 1)
			logs[0].Address, logs[0].TriggerTime = addr, second(b.clock.Now())
			claimed, err := b.store.ClaimFire(b.ctx, b.term("n1"), fire.ID, logs)
			b.NoError(err)
			b.settleBy(b.term("n1"), xxladapter.Settlement{FireID: fire.ID, LogID: claimed[0].LogID, Code: code})
			return claimed[0]
		}
		lost := func(after int64, limit int) (ids []int64) {
			logs, err := b.store.LostRuns(b.ctx, 2*time.Minute, after, limit)
			b.NoError(err)
			for _, l := range logs {
				ids = append(ids, l.ID)
			}
			return ids
		}
		b.NoError(b.store.Register(b.ctx, "app", "http://alive/"))
		gone1, gone2 := send(1, "http://gone/", 200), send(2, "http://gone/", 200)
		send(3, "http://alive/", 200)
		send(4, "http://gone/", 500)
		ended := send(5, "http://gone/", 200)
		_, _, err := b.store.FinishRun(b.ctx, xxladapter.RunResult{LogID: ended.LogID, Code: 200})
		b.NoError(err)

		b.clock.Advance(2*time.Minute - time.Second)
		b.Empty(lost(0, 10), "not old enough")
		b.clock.Advance(time.Second)
		send(6, "http://gone/", 200) // young
		b.Equal([]int64{gone1.LogID, gone2.LogID}, lost(0, 10))
		b.Equal([]int64{gone1.LogID}, lost(0, 1))
		b.Equal([]int64{gone2.LogID}, lost(gone1.LogID, 10))
		b.NoError(b.store.Register(b.ctx, "app", "http://gone/"))
		b.Empty(lost(0, 10), "it is back")
	}},
	{"AResultSettlesAClaimedFireAsSent", func(b *fixture) {
		id := b.addJob("job")
		fire := b.claim(b.plan(id, at(1), xxladapter.TriggerManual), "n1", 1)[0]
		other := b.claim(b.plan(id, at(2), xxladapter.TriggerManual), "n1", 1)[0]
		_, _, err := b.store.FinishRun(b.ctx, xxladapter.RunResult{LogID: fire.LogID, Code: 200})
		b.NoError(err)
		b.Equal([]xxladapter.Fire{other}, b.openFires(xxladapter.FireFilter{}))
		b.Equal(200, b.log(fire.LogID).TriggerCode)
	}},
	{"AResultSettlesAnAmbiguousFireAndKeepsItsTriggerColumns", func(b *fixture) {
		fire := b.claim(b.plan(b.addJob("job"), at(1), xxladapter.TriggerManual), "n1", 1)[0]
		b.settleBy(b.term("n1"), xxladapter.Settlement{
			FireID: fire.ID, LogID: fire.LogID, State: xxladapter.FireAmbiguous, Code: 501, Msg: "no answer",
		})
		_, _, err := b.store.FinishRun(b.ctx, xxladapter.RunResult{LogID: fire.LogID, Code: 200})
		b.NoError(err)
		b.Empty(b.openFires(xxladapter.FireFilter{}))
		b.Equal(501, b.log(fire.LogID).TriggerCode)
		b.Equal("no answer", b.log(fire.LogID).TriggerMsg)
	}},
	{"AResultNeedsItsRowAndACode", func(b *fixture) {
		_, _, err := b.store.FinishRun(b.ctx, xxladapter.RunResult{LogID: 4711, Code: 200})
		b.ErrorIs(err, xxladapter.ErrNotFound)
		fire := b.claim(b.plan(b.addJob("job"), at(1), xxladapter.TriggerManual), "n1", 1)[0]
		_, _, err = b.store.FinishRun(b.ctx, xxladapter.RunResult{LogID: fire.LogID})
		b.Error(err)
		b.Zero(b.log(fire.LogID).HandleTime)
		b.Len(b.openFires(xxladapter.FireFilter{}), 1)
	}},
	{"ALongMessageIsCutAtCharacters", func(b *fixture) {
		id := b.addJob("job")
		for _, msg := range []string{
			strings.Repeat("長", xxladapter.MaxHandleMsg), strings.Repeat("長", xxladapter.MaxHandleMsg) + "x", "",
			"short",
		} {
			fire := b.claim(b.plan(id, at(1), xxladapter.TriggerManual), "n1", 1)[0]
			_, _, err := b.store.FinishRun(b.ctx, xxladapter.RunResult{LogID: fire.LogID, Code: 200, Msg: msg})
			b.NoError(err)
			b.True(b.log(fire.LogID).HandleMsg == strings.TrimSuffix(msg, "x"), "%d bytes", len(msg))
		}
	}},
	{"TextsAreUTF8WithoutNUL", func(b *fixture) {
		fire := b.plan(b.addJob("job"), at(0), xxladapter.TriggerCron)
		logs := b.newLogs(fire.JobID, 1)
		logs[0].Param = "p\x00\xff"
		claimed, err := b.store.ClaimFire(b.ctx, b.term("n1"), fire.ID, logs)
		b.NoError(err)
		logID := claimed[0].LogID
		b.settleBy(b.term("n1"), xxladapter.Settlement{FireID: fire.ID, LogID: logID, Code: 200, Msg: "t\x00"})
		_, _, err = b.store.FinishRun(b.ctx, xxladapter.RunResult{LogID: logID, Code: 200, Msg: "h\x00\xfe長"})
		b.NoError(err)
		l := b.log(logID)
		b.Equal([]string{"p\ufffd\ufffd", "t\ufffd", "h\ufffd\ufffd長"}, []string{l.Param, l.TriggerMsg, l.HandleMsg})
	}},
	{"TextsThatARowHasNoRoomForAreCut", func(b *fixture) {
		id := b.addJob("job")
		for _, long := range []string{
			strings.Repeat("😀", xxladapter.MaxRowText/4+1), strings.Repeat("x", 2*xxladapter.MaxRowText),
			strings.Repeat("長", xxladapter.MaxRowText/3),
		} {
			for _, shards := range []int{1, 2} {
				logs := b.newLogs(id, shards)
				for _, l := range logs {
					l.Param = long
				}
				fire := b.plan(id, at(0), xxladapter.TriggerManual)
				claimed, err := b.store.ClaimFire(b.ctx, b.term("n1"), fire.ID, logs)
				b.NoError(err)
				for _, f := range claimed {
					b.settleBy(b.term("n1"), xxladapter.Settlement{FireID: f.ID, LogID: f.LogID, Code: 500, Msg: long})
					_, _, err := b.store.FinishRun(b.ctx, xxladapter.RunResult{LogID: f.LogID, Code: 500, Msg: long})
					b.NoError(err)
					l, want := b.log(f.LogID), xxladapter.CutText(long, xxladapter.MaxRowText)
					b.True(l.Param == want && l.TriggerMsg == want, "%d and %d bytes", len(l.Param), len(l.TriggerMsg))
				}
				b.Equal(long, logs[0].Param, "the run gets all of it")
			}
		}
	}},
	{"ALogThatDoesNotExistIsNotFound", func(b *fixture) {
		_, err := b.store.Log(b.ctx, 4711)
		b.ErrorIs(err, xxladapter.ErrNotFound)
	}},
	{"LogsAreFilteredAndComeByID", func(b *fixture) {
		one, two := b.addJob("one"), b.addJob("two")
		var ids []int64
		for i, job := range []int64{one, two, one, one} {
			ids = append(ids, b.claim(b.plan(job, at(i), xxladapter.TriggerManual), "n1", 1)[0].LogID)
		}
		b.True(slices.IsSorted(ids))
		for _, want := range []struct {
			filter xxladapter.LogFilter
			ids    []int64
		}{
			{xxladapter.LogFilter{}, ids},
			{xxladapter.LogFilter{JobID: one}, []int64{ids[0], ids[2], ids[3]}},
			{xxladapter.LogFilter{AfterID: ids[1]}, ids[2:]},
			{xxladapter.LogFilter{Limit: 2}, ids[:2]},
			{xxladapter.LogFilter{Newest: true, Limit: 2}, []int64{ids[3], ids[2]}},
			{xxladapter.LogFilter{Newest: true, AfterID: ids[2]}, []int64{ids[1], ids[0]}},
			{xxladapter.LogFilter{Newest: true, JobID: two}, []int64{ids[1]}},
		} {
			logs, err := b.store.Logs(b.ctx, want.filter)
			b.NoError(err)
			var got []int64
			for _, l := range logs {
				got = append(got, l.ID)
			}
			b.Equal(want.ids, got, "%+v", want.filter)
		}
	}}, {"LogsAreFilteredByGroupStatusAndTime", func(b *fixture) {
		other := b.addGroup("other-app")
		job := b.addJob("job")
		// run stores a run that was triggered the given number of seconds after the start.
		run := func(group int64, seconds, trigger, handle int) int64 {
			logs := b.newLogs(job, 1)
			logs[0].GroupID, logs[0].TriggerTime = group, at(seconds)
			fire := b.plan(job, at(seconds-10), xxladapter.TriggerManual)
			claimed, err := b.store.ClaimFire(b.ctx, b.term("n1"), fire.ID, logs)
			b.NoError(err)
			id := claimed[0].LogID
			if trigger != 0 {
				b.settleBy(b.term("n1"), xxladapter.Settlement{FireID: claimed[0].ID, LogID: id, Code: trigger})
			}
			if handle != 0 {
				_, _, err := b.store.FinishRun(b.ctx, xxladapter.RunResult{LogID: id, Code: handle})
				b.NoError(err)
			}
			return id
		}
		claimed, sent, refused := run(b.group, 1, 0, 0), run(other, 2, 200, 0), run(b.group, 3, 500, 0)
		good, bad, late, timeout := run(b.group, 4, 200, 200), run(other, 5, 200, 500), run(b.group, 6, 500, 200),
			run(b.group, 7, 200, 502)
		for _, want := range []struct {
			filter xxladapter.LogFilter
			ids    []int64
		}{
			{xxladapter.LogFilter{GroupID: other}, []int64{sent, bad}},
			{xxladapter.LogFilter{Groups: []int64{other, absent}}, []int64{sent, bad}},
			{xxladapter.LogFilter{
				Groups: []int64{b.group, other}, Status: xxladapter.LogRunning,
			}, []int64{claimed, sent}},
			{xxladapter.LogFilter{Groups: []int64{b.group}, GroupID: other}, nil},
			{xxladapter.LogFilter{Groups: []int64{}}, nil},
			{xxladapter.LogFilter{Status: xxladapter.LogRunning}, []int64{claimed, sent}},
			{xxladapter.LogFilter{Status: xxladapter.LogRunning, Taken: true}, []int64{sent}},
			{xxladapter.LogFilter{Status: xxladapter.LogSuccess}, []int64{good, late}},
			{xxladapter.LogFilter{Status: xxladapter.LogFail}, []int64{refused, bad, timeout}},
			{xxladapter.LogFilter{Since: at(3), Before: at(5)}, []int64{refused, good}},
			{xxladapter.LogFilter{Since: at(3).Add(1), Before: at(5).Add(1)}, []int64{good, bad}},
			{xxladapter.LogFilter{
				Since: at(2), GroupID: b.group, Status: xxladapter.LogFail, Newest: true, Limit: 1,
			}, []int64{timeout}},
		} {
			logs, err := b.store.Logs(b.ctx, want.filter)
			b.NoError(err)
			var got []int64
			for _, l := range logs {
				got = append(got, l.ID)
				if want.filter.Status != "" {
					b.Equal(want.filter.Status, l.Status())
				}
			}
			b.Equal(want.ids, got, "%+v", want.filter)
		}
	}},
	{"TheFirstSuccessAfterARunIsTheJobsOwn", func(b *fixture) {
		id, other := b.addJob("job"), b.addJob("other")
		first := func(after int64) (ids []int64) {
			logs, err := b.store.Logs(
				b.ctx, xxladapter.LogFilter{JobID: id, Status: xxladapter.LogSuccess, AfterID: after, Limit: 1},
			)
			b.NoError(err)
			for _, l := range logs {
				ids = append(ids, l.ID)
			}
			return ids
		}
		failed := b.end(id, 200, 500)
		b.end(other, 200, 200)
		b.Empty(first(0))
		one, two := b.end(id, 200, 200), b.end(id, 500, 200)
		b.Equal([]int64{one}, first(failed))
		b.Equal([]int64{one}, first(one-1))
		b.Equal([]int64{two}, first(one))
		b.Empty(first(two))
	}},
}
