package scheduler

import (
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/cron"
)

// plans caches parsed schedules by their text, because a job is decided on at every scan in which
// it is due. It is not safe for concurrent use.
type plans struct {
	zone    *time.Location
	profile cron.Profile
	known   map[planKey]zonedPlan
}

// A zonedPlan is a plan with the zone in which it is read, which is never nil.
type zonedPlan struct {
	cron.Plan
	zone *time.Location
}

type planKey struct {
	kind xxladapter.ScheduleType
	conf string
	zone string // the job's own; empty means the scheduler's
}

// maxPlans limits the cache. Most jobs share their texts with others.
const maxPlans = 100_000

func newPlans(zone *time.Location, profile cron.Profile) *plans {
	return &plans{zone: zone, profile: profile, known: make(map[planKey]zonedPlan)}
}

func (p *plans) of(j *xxladapter.Job) (zonedPlan, error) {
	key := planKey{j.ScheduleType, j.ScheduleConf, j.Settings.Zone}
	if plan, ok := p.known[key]; ok {
		return plan, nil
	}
	zone, err := xxladapter.ZoneOf(j.Settings.Zone, p.zone)
	if err != nil {
		return zonedPlan{}, err
	}
	plan, err := cron.ParsePlan(string(j.ScheduleType), j.ScheduleConf, zone, p.profile)
	if err != nil {
		return zonedPlan{}, err
	}
	if len(p.known) >= maxPlans {
		clear(p.known)
	}
	p.known[key] = zonedPlan{plan, zone}
	return p.known[key], nil
}
