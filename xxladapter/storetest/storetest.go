// Package storetest specifies, as tests, what every [xxladapter.Store] does. A store is finished
// when it passes. A bug that is found in one store becomes a case for all of them.
package storetest

import (
	"testing"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// An Opener returns an empty store that shares no rows with any other and whose clock is clock. The
// suite closes it.
type Opener func(t *testing.T, clock func() time.Time) xxladapter.Store

// Run checks the store that open returns. Cases run in parallel. The rules of stalls need a
// [StallOpener], of which there is at most one; they are skipped without it.
func Run(t *testing.T, open Opener, stalling ...StallOpener) {
	t.Run("Stalls", func(t *testing.T) {
		t.Parallel()
		runStalls(t, stalling)
	})
	for _, topic := range []struct {
		name  string
		cases []rule
	}{
		{"Jobs", jobRules},
		{"JobEdits", jobEditRules},
		{"JobLists", jobListRules},
		{"Tags", tagRules},
		{"Glue", glueRules},
		{"Groups", groupRules},
		{"Drains", drainRules},
		{"Registry", registryRules},
		{"Schedule", scheduleRules},
		{"Pauses", pauseRules},
		{"Calendars", calendarRules},
		{"Fires", fireRules},
		{"Awaits", awaitRules},
		{"Orders", orderRules},
		{"Backfills", backfillRules},
		{"Logs", logRules},
		{"Accepts", acceptRules},
		{"Histories", historyRules},
		{"RunLists", runListRules},
		{"JobRuns", jobRunRules},
		{"Stuck", stuckRules},
		{"Resume", resumeRules},
		{"Leases", leaseRules},
		{"Elections", electionRules},
		{"Sessions", sessionRules},
		{"ShardMoves", shardMoveRules},
		{"Shards", shardRules},
		{"Fences", fenceRules},
		{"Alarms", alarmRules},
		{"Reports", reportRules},
		{"Stats", statRules},
		{"LastResults", lastResultRules},
		{"Purge", purgeRules},
		{"RunTexts", runTextRules},
		{"Calls", callRules},
		{"Absent", absentRules},
		{"Races", raceRules},
		{"Zones", zoneRules},
		{"Descriptions", descriptionRules},
		{"Audit", auditRules},
		{"Changes", changeRules},
		{"Versions", versionRules},
		{"Declarations", declareRules},
		{"Users", userRules},
		{"Credentials", credentialRules},
	} {
		t.Run(topic.name, func(t *testing.T) {
			t.Parallel()
			for _, c := range topic.cases {
				t.Run(c.name, func(t *testing.T) {
					t.Parallel()
					c.check(newFixture(t, open))
				})
			}
		})
	}
}

// A rule is one sentence of the contract, as its name, with its test.
type rule struct {
	name  string
	check func(b *fixture)
}
