// Package storetest specifies, as tests, what every [xxladapter.Store] does. A store is finished
// when it passes [Run]. A bug that is found in one store becomes a case for all of them.
//
// A store that only schedules is finished when it passes [RunScheduling], which has the cases that
// need no more than an [xxladapter.SchedulingStore]. The compiler divides them: a rule gets a
// fixture whose store has only that half, and a fullRule one whose store has both.
//
// The rules of a topic are in one file. These files cover what can go wrong between nodes and their
// database:
//
//	nodes.go     schedulers that race, one that dies in the middle of a claim, clocks that differ
//	races.go     two calls at the same moment
//	stalls.go    a database that does not answer
//	fences.go    what a scheduler may no longer do when its lease is over
//	leases.go    when a lease is over, also after the clock was set back
//	model.go     random calls, compared with those of another store ([RunModel])
//
// The clock of each case stands at a time that is not the machine's, so a store that asks the
// machine for the time fails. A store whose server is missing skips its suite on the machine of a
// developer and fails where XXLWHEEL_REQUIRE_SERVERS is 1, as it is in .ci/run. That script also
// lists the stores that the suite has run on, and fails if one of them is missing.
package storetest

import (
	"slices"
	"testing"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// An Opener returns an empty store that shares no rows with any other and whose clock is clock. The
// suite closes it.
type Opener func(t *testing.T, clock func() time.Time) xxladapter.Store

// A SchedulingOpener is an [Opener] of stores that need not have the half that manages.
type SchedulingOpener func(t *testing.T, clock func() time.Time) xxladapter.SchedulingStore

// scheduling returns an opener of the same stores.
func (open Opener) scheduling() SchedulingOpener {
	return func(t *testing.T, clock func() time.Time) xxladapter.SchedulingStore { return open(t, clock) }
}

// Run checks the store that open returns, with the cases of [RunScheduling] and those of the other
// half. Cases run in parallel. The rules of stalls need a [StallOpener], of which there is at most
// one; they are skipped without it.
func Run(t *testing.T, open Opener, stalling ...StallOpener) {
	run(t, open.scheduling(), open, schedulingOpeners(stalling))
}

// RunScheduling checks the half of the contract that schedules on the store that open returns. The
// store needs no more than that half. Cases run in parallel. The rules of stalls need a
// [SchedulingStallOpener], of which there is at most one; they are skipped without it.
func RunScheduling(t *testing.T, open SchedulingOpener, stalling ...SchedulingStallOpener) {
	run(t, open, nil, stalling)
}

// betweenCalls are the topics about what calls of several processes do to each other. There stores
// differ most.
var betweenCalls = []string{"Accepts", "Fences", "Fires", "Leases", "Nodes", "Races"}

// RunBriefly checks a store as [Run] does where the environment asks for long tests. Elsewhere it
// checks stalls, and what calls of several processes do to each other. It is for stores that share
// most of their code with one that [Run] checks.
func RunBriefly(t *testing.T, open Opener, stalling ...StallOpener) {
	if testserver.IsLong() {
		Run(t, open, stalling...)
		return
	}
	run(t, open.scheduling(), nil, schedulingOpeners(stalling), betweenCalls...)
}

func schedulingOpeners(stalling []StallOpener) (openers []SchedulingStallOpener) {
	for _, s := range stalling {
		openers = append(openers, s.scheduling())
	}
	return openers
}

// run checks stalls and the rules of the named topics, or of all if none is named. If full is nil,
// it leaves out the rules that need a whole [xxladapter.Store].
func run(t *testing.T, open SchedulingOpener, full Opener, stalling []SchedulingStallOpener, names ...string) {
	t.Run("Stalls", func(t *testing.T) {
		t.Parallel()
		runStalls(t, stalling)
	})
	for _, topic := range topics {
		if full == nil && topic.scheduling == nil || names != nil && !slices.Contains(names, topic.name) {
			continue
		}
		t.Run(topic.name, func(t *testing.T) {
			t.Parallel()
			for _, c := range topic.scheduling {
				t.Run(c.name, func(t *testing.T) {
					t.Parallel()
					c.check(newFixture(t, open))
				})
			}
			if full == nil {
				return
			}
			for _, c := range topic.full {
				t.Run(c.name, func(t *testing.T) {
					t.Parallel()
					c.check(newFullFixture(t, full))
				})
			}
		})
	}
}

// topics are what the rules are about. No two rules of a topic have the same name.
var topics = []struct {
	name       string
	scheduling []rule
	full       []fullRule
}{
	{"Jobs", jobRules, nil},
	{"JobEdits", jobEditRules, jobEditFullRules},
	{"JobLists", jobListRules, jobListFullRules},
	{"Tags", tagRules, tagFullRules},
	{"Glue", glueRules, glueFullRules},
	{"Groups", groupRules, groupFullRules},
	{"Drains", nil, drainRules},
	{"Registry", registryRules, nil},
	{"Schedule", scheduleRules, nil},
	{"Pauses", pauseRules, pauseFullRules},
	{"Calendars", nil, calendarRules},
	{"Fires", fireRules, fireFullRules},
	{"Awaits", awaitRules, awaitFullRules},
	{"Orders", nil, orderRules},
	{"Backfills", nil, backfillRules},
	{"Logs", logRules, nil},
	{"Accepts", acceptRules, nil},
	{"Histories", nil, historyRules},
	{"RunLists", nil, runListRules},
	{"JobRuns", nil, jobRunRules},
	{"Stuck", stuckRules, nil},
	{"Resume", resumeRules, nil},
	{"Nodes", nodeRules, nil},
	{"Leases", leaseRules, nil},
	{"Elections", electionRules, nil},
	{"Presence", presenceRules, nil},
	{"PartitionMoves", partitionMoveRules, nil},
	{"Partitions", partitionRules, nil},
	{"Fences", fenceRules, nil},
	{"Alarms", nil, alarmRules},
	{"Reports", nil, reportRules},
	{"Stats", nil, statRules},
	{"LastResults", nil, lastResultRules},
	{"Purge", nil, purgeRules},
	{"RunTexts", nil, runTextRules},
	{"Calls", callRules, nil},
	{"Absent", absentRules, absentFullRules},
	{"Races", raceRules, raceFullRules},
	{"Zones", zoneRules, nil},
	{"Descriptions", nil, descriptionRules},
	{"Audit", nil, auditRules},
	{"Changes", nil, changeRules},
	{"Versions", nil, versionRules},
	{"Declarations", nil, declareRules},
	{"Users", nil, userRules},
	{"Credentials", nil, credentialRules},
}

// A rule tests one sentence about the half that schedules. Its name is that sentence.
type rule struct {
	name  string
	check func(b *fixture)
}

// A fullRule tests one sentence about the half that manages, or about both halves.
type fullRule struct {
	name  string
	check func(b *fullFixture)
}
