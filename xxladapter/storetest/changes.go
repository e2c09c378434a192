package storetest

import (
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

var changeRules = []fullRule{
	{"WhatHappensMovesItsMarkAlone", func(b *fullFixture) {
		job := b.addRunning("observed", at(0))
		term := b.term("n1")
		is := b.marks()
		b.Equal(is, b.marks(), "reading moves nothing")
		moved := func(what string, move func(m *xxladapter.Marks, now xxladapter.Marks)) {
			b.Helper()
			now := b.marks()
			b.NotEqual(is, now, what)
			want := is
			move(&want, now)
			b.Equal(want, now, "%s moves nothing else", what)
			is = now
		}

		run := b.claim(b.plan(job, at(0), xxladapter.TriggerManual), "n1", 1)[0]
		moved("a run", func(m *xxladapter.Marks, _ xxladapter.Marks) { m.Run = run.LogID })
		b.settleSent(run)
		b.Equal(is, b.marks(), "a run that was sent has not ended")
		b.True(b.endRun(run, xxladapter.Resume{}))
		moved("the end of a run", func(m *xxladapter.Marks, _ xxladapter.Marks) { m.Ended++ })
		b.NoError(b.store.FoldReports(b.ctx))
		b.Equal(is, b.marks(), "folding moves nothing")

		_, _, err := b.store.ClaimDue(b.ctx, term, 0, 10, func(now time.Time, _ []*xxladapter.Job) []xxladapter.Decision {
			return []xxladapter.Decision{
				{JobID: job, Next: at(60), Misfires: []xxladapter.Misfire{{Due: at(0), Until: at(0), At: now}}},
			}
		})
		b.NoError(err)
		moved("a misfire", func(m *xxladapter.Marks, now xxladapter.Marks) { m.Misfire = now.Misfire })

		b.NoError(b.store.Register(b.ctx, app, "http://a:1"))
		moved("an executor", func(m *xxladapter.Marks, now xxladapter.Marks) { m.Groups = now.Groups })
		b.clock.Advance(time.Second)
		b.NoError(b.store.Register(b.ctx, app, "http://a:1"))
		b.Equal(is, b.marks(), "a beat moves nothing")
		groups := func(m *xxladapter.Marks, now xxladapter.Marks) { m.Groups = now.Groups }
		b.NoError(b.store.DrainExecutor(b.ctx, b.group, xxladapter.Drain{Address: "http://a:1"}))
		moved("a drain", groups)
		b.NoError(b.store.UndrainExecutor(b.ctx, b.group, "http://a:1"))
		moved("the end of a drain", groups)

		b.NoError(xxladapter.RemoveJob(b.ctx, b.store, job))
		moved("the removal of a job with its misfires", func(m *xxladapter.Marks, now xxladapter.Marks) {
			m.Removed, m.Misfire = now.Removed, now.Misfire
		})

		begun, err := b.store.CreatePause(
			b.ctx, xxladapter.Pause{GroupID: b.group, Note: "ends by itself", Until: b.clock.Now().Add(leaseLife / 2)},
		)
		b.NoError(err)
		moved("a pause", func(m *xxladapter.Marks, now xxladapter.Marks) { m.Pauses = now.Pauses })
		_, err = b.store.EndPause(b.ctx, begun.ID)
		b.NoError(err)
		moved("the end of a pause", func(m *xxladapter.Marks, _ xxladapter.Marks) { m.Pauses = xxladapter.Mark{} })
		_, err = b.store.CreatePause(
			b.ctx, xxladapter.Pause{GroupID: b.group, Note: "ends by itself", Until: b.clock.Now().Add(leaseLife / 2)},
		)
		b.NoError(err)
		moved("another pause", func(m *xxladapter.Marks, now xxladapter.Marks) { m.Pauses = now.Pauses })
		b.clock.Advance(leaseLife)
		moved("a pause that lapses", func(m *xxladapter.Marks, now xxladapter.Marks) {
			m.Pauses, m.Nodes = xxladapter.Mark{}, now.Nodes
		})

		b.lease("n2", leaseLife)
		moved("a node", func(m *xxladapter.Marks, now xxladapter.Marks) { m.Nodes = now.Nodes })
		b.lease("n2", leaseLife)
		b.Equal(is, b.marks(), "a renewal moves nothing")
		b.clock.Advance(leaseLife)
		moved("a lapsed lease", func(m *xxladapter.Marks, now xxladapter.Marks) { m.Nodes = now.Nodes })
	}},
	{"ARemovalMovesItsMarkThoughAllRowsAreDeletedAtOnce", func(b *fullFixture) {
		before := b.marks().Removed
		b.NoError(xxladapter.RemoveJob(b.ctx, b.store, b.addJob("without a run")))
		b.Equal(0, b.purge(xxladapter.LogPurge{Removed: true}, 10))
		b.NotEqual(before, b.marks().Removed, "the log is empty")
		b.clock.Advance(time.Minute)
		b.purge(xxladapter.LogPurge{Removed: true}, 10)
		b.Equal(before, b.marks().Removed)

		removed := b.addJob("removed")
		b.ended(removed, 0, 200)
		b.NoError(xxladapter.RemoveJob(b.ctx, b.store, removed))
		b.Equal(1, b.purge(xxladapter.LogPurge{Removed: true}, 10))
		b.NotEqual(before, b.marks().Removed)
		b.clock.Advance(time.Minute - time.Second)
		b.purge(xxladapter.LogPurge{Removed: true}, 10)
		b.NotEqual(before, b.marks().Removed)
		b.clock.Advance(2 * time.Second)
		b.purge(xxladapter.LogPurge{Removed: true}, 10)
		b.Equal(before, b.marks().Removed, "it is forgotten")
	}},
	{"ChangedJobsAreListedLatestFirst", func(b *fullFixture) {
		first := b.addJob("first")
		b.clock.Advance(10 * time.Second)
		second, third := b.addJob("second"), b.addJob("third")
		b.clock.Advance(10 * time.Second)
		b.NoError(xxladapter.UpdateJob(b.ctx, b.store, b.job(first), false))
		list := func(since time.Time, limit int) (ids []int64) {
			marks, err := b.store.ChangedJobs(b.ctx, since, limit)
			b.NoError(err)
			for _, m := range marks {
				b.Equal(b.group, m.GroupID)
				b.Equal(b.job(m.ID).Updated, m.Updated)
				ids = append(ids, m.ID)
			}
			return ids
		}
		b.Equal([]int64{first, second, third}, list(at(0), 10))
		b.Equal([]int64{first, second, third}, list(time.Time{}, 10), "whenever they changed")
		b.Equal([]int64{first, second}, list(at(0), 2))
		b.Equal([]int64{first}, list(at(11), 10))
		b.Equal([]int64{first}, list(at(20), 10), "since is inclusive")
		b.Empty(list(at(21), 10))
	}},
	{"MarksOfRunsAreTheirStates", func(b *fullFixture) {
		job := b.addJob("observed")
		shards := b.claim(b.plan(job, at(0), xxladapter.TriggerManual), "n1", 3)
		b.settleSent(shards[0])
		b.True(b.endRun(shards[0], xxladapter.Resume{}))
		mark := func(i, code, result int, open bool) xxladapter.RunMark {
			m := xxladapter.RunMark{
				ID: shards[i].LogID, JobID: job, GroupID: b.group, TriggerCode: code, HandleCode: result,
			}
			b.Equal(open, m.Open())
			return m
		}
		all := []xxladapter.RunMark{mark(0, 200, 500, false), mark(1, 0, 0, true), mark(2, 0, 0, true)}
		is, err := b.store.NewRuns(b.ctx, 0, 10)
		b.NoError(err)
		b.Equal(all, is)
		is, err = b.store.NewRuns(b.ctx, shards[0].LogID, 1)
		b.NoError(err)
		b.Equal(all[1:2], is)
		is, err = b.store.RunMarks(b.ctx, []int64{shards[2].LogID, 1 << 40, shards[0].LogID})
		b.NoError(err)
		b.Equal([]xxladapter.RunMark{all[0], all[2]}, is)
		is, err = b.store.RunMarks(b.ctx, nil)
		b.NoError(err)
		b.Empty(is)
	}},
}

func (b *fullFixture) marks() xxladapter.Marks {
	b.Helper()
	m, err := b.store.Marks(b.ctx)
	b.NoError(err)
	return m
}
