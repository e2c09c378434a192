package storetest

import (
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// absent is an id that no store issues in a case.
const absent = 4711

var absentRules = []rule{
	{"WhatDoesNotExistIsNotFound", func(b *fixture) {
		missing := b.newJob("missing")
		missing.ID = absent
		for name, call := range map[string]func() error{
			"Job":       func() error { _, err := b.store.Job(b.ctx, absent); return err },
			"UpdateJob": func() error { return xxladapter.UpdateJob(b.ctx, b.store, missing, false) },
			"StartJob":  func() error { return StartAt(b.ctx, b.store, absent, at(1)) },
			"StopJob":   func() error { return xxladapter.StopJob(b.ctx, b.store, absent, time.Time{}) },
			"RemoveJob": func() error { return xxladapter.RemoveJob(b.ctx, b.store, absent) },
			"Group":     func() error { _, err := b.store.Group(b.ctx, absent); return err },
			"SaveGroup": func() error {
				_, err := b.store.SaveGroup(b.ctx, &xxladapter.Group{ID: absent, AppName: "other-app", Title: "t"})
				return err
			},
			"RemoveGroup": func() error { return b.store.RemoveGroup(b.ctx, absent) },
			"Log":         func() error { _, err := b.store.Log(b.ctx, absent); return err },
			"FinishRun": func() error {
				_, _, err := b.store.FinishRun(b.ctx, xxladapter.RunResult{LogID: absent, Code: xxladapter.ResultOK})
				return err
			},
		} {
			b.ErrorIs(call(), xxladapter.ErrNotFound, name)
		}
	}},
	{"WhatIsGoneIsNoErrorWhereSomebodyElseMayHaveEndedIt", func(b *fixture) {
		term := b.term("n1")
		b.NoError(b.store.Unregister(b.ctx, app, "http://10.0.0.9:9999/"))
		b.NoError(b.store.Resign(b.ctx, xxladapter.Term{Node: "n2", Number: absent}))
		b.NoError(b.store.Retire(b.ctx, xxladapter.Term{Node: "n2", Number: absent}, xxladapter.MoveStopped))
		b.settleBy(term, xxladapter.Settlement{FireID: absent, LogID: absent, Code: xxladapter.ResultOK})
		resumed, err := b.store.ResumeJob(b.ctx, xxladapter.Resume{JobID: absent, Next: at(1)})
		b.NoError(err)
		b.False(resumed)
	}},
	{"AFireThatIsGoneIsAConflictForWhoWantsIt", func(b *fixture) {
		term := b.term("n1")
		_, err := b.store.ClaimFire(b.ctx, term, absent, b.newLogs(1, 1))
		b.ErrorIs(err, xxladapter.ErrConflict)
		b.ErrorIs(b.store.TakeFire(b.ctx, term, absent, term), xxladapter.ErrConflict)
		b.Empty(b.logIDs())
	}},
	{"AnEmptyListIsNoError", func(b *fixture) {
		leases, err := b.store.Leases(b.ctx)
		b.NoError(err)
		b.Empty(leases)
		for name, list := range map[string]func() (int, error){
			"Jobs": func() (int, error) {
				l, err := b.store.Jobs(b.ctx, xxladapter.JobFilter{GroupID: absent})
				return len(l), err
			},
			"ExpireRegistrations": func() (int, error) {
				l, err := b.store.ExpireRegistrations(b.ctx, time.Minute, true)
				return len(l), err
			},
			"Registrations": func() (int, error) {
				l, err := b.store.Registrations(b.ctx, "an-unknown-app")
				return len(l), err
			},
			"Misfires": func() (int, error) {
				l, err := b.store.Misfires(
					b.ctx, xxladapter.MisfireFilter{},
				)
				return len(l), err
			},
			"PlanFires": func() (int, error) { l, err := b.store.PlanFires(b.ctx, nil); return len(l), err },
			"OpenFires": func() (int, error) {
				l, err := b.store.OpenFires(
					b.ctx, xxladapter.FireFilter{},
				)
				return len(l), err
			},
			"Logs": func() (int, error) {
				l, err := b.store.Logs(
					b.ctx, xxladapter.LogFilter{},
				)
				return len(l), err
			},
			"LostRuns": func() (int, error) { l, err := b.store.LostRuns(b.ctx, 0, 0, 10); return len(l), err },
			"WriteOffStuck": func() (int, error) {
				l, err := b.store.WriteOffStuck(b.ctx, 0, 10, xxladapter.ResultUnknown, "")
				return len(l), err
			},
		} {
			n, err := list()
			b.NoError(err, name)
			b.Zero(n, name)
		}
	}},
	{"ArgumentsBelongToTheCaller", func(b *fixture) {
		g := &xxladapter.Group{
			AppName: "manual-app", Title: "t", AddressType: xxladapter.AddressManual, Addresses: []string{"http://a:1"},
		}
		group, err := b.store.SaveGroup(b.ctx, g)
		b.NoError(err)
		param := "before"
		fires := []xxladapter.Fire{{
			JobID: b.addJob("job"), Due: at(1), Type: xxladapter.TriggerManual, Param: &param,
			Addresses: []string{"http://a:1"},
		}}
		_, err = b.store.PlanFires(b.ctx, fires)
		b.NoError(err)

		g.Addresses[0], param, fires[0].Addresses[0] = "http://changed:1", "changed", "http://changed:1"
		kept, err := b.store.Group(b.ctx, group)
		b.NoError(err)
		b.Equal([]string{"http://a:1"}, kept.Addresses)
		open := b.openFires(xxladapter.FireFilter{})
		b.Equal("before", *open[0].Param)
		b.Equal([]string{"http://a:1"}, open[0].Addresses)
	}},
}

var absentFullRules = []fullRule{
	{"WhatManagementDoesNotHaveIsNotFound", func(b *fullFixture) {
		for name, call := range map[string]func() error{
			"RunText": func() error { _, err := b.store.RunText(b.ctx, absent); return err },
			"UpdateUser": func() error {
				return b.store.UpdateUser(
					b.ctx, absent, xxladapter.UserChange{EndSessions: true},
				)
			},
			"RemoveUser": func() error { return b.store.RemoveUser(b.ctx, absent) },
			"CreateCredential": func() error {
				_, err := b.store.CreateCredential(b.ctx, &xxladapter.Credential{UserID: absent, Digest: "d"})
				return err
			},
			"Credential":       func() error { _, _, err := b.store.Credential(b.ctx, "d"); return err },
			"RemoveCredential": func() error { return b.store.RemoveCredential(b.ctx, 0, absent) },
			"Order":            func() error { _, err := b.store.Order(b.ctx, absent); return err },
		} {
			b.ErrorIs(call(), xxladapter.ErrNotFound, name)
		}
	}},
	{"AnEmptyListOfManagementIsNoError", func(b *fullFixture) {
		for name, list := range map[string]func() (int, error){
			"GlueVersions": func() (int, error) { l, err := b.store.GlueVersions(b.ctx, absent); return len(l), err },
			"ClaimTexts": func() (int, error) {
				l, err := b.store.ClaimTexts(b.ctx, 10, func(int) time.Duration { return time.Minute })
				return len(l), err
			},
			"SaveTexts": func() (int, error) { return 0, b.store.SaveTexts(b.ctx, nil) },
			"Reports": func() (int, error) {
				l, err := b.store.Reports(b.ctx, time.Time{}, time.Time{})
				return len(l), err
			},
			"PurgeLogs": func() (int, error) {
				p, err := b.store.PurgeLogs(b.ctx, xxladapter.LogPurge{}, 10)
				return p.Rows, err
			},
			"FailedRuns":   func() (int, error) { l, err := b.store.FailedRuns(b.ctx, 0, 10); return len(l), err },
			"DecideAlarms": func() (int, error) { l, err := b.store.DecideAlarms(b.ctx, "n1", nil); return len(l), err },
			"StaleAlarms":  func() (int, error) { l, err := b.store.StaleAlarms(b.ctx, 0, 10); return len(l), err },
			"RenewAlarms":  func() (int, error) { l, err := b.store.RenewAlarms(b.ctx, "n1", nil); return len(l), err },
			"SettleAlarms": func() (int, error) { return 0, b.store.SettleAlarms(b.ctx, nil, xxladapter.AlarmSent) },
		} {
			n, err := list()
			b.NoError(err, name)
			b.Zero(n, name)
		}
	}},
}
