package trigger

// The apps of fires whose job has no group, or is gone, and of those whose job
// was not looked up yet. Groups have positive ids.
const (
	appNone    int64 = 0
	appUnknown int64 = -1
)

// maxJobApps bounds the memory of a [jobApps]; beyond it everything is learned
// anew.
const maxJobApps = 500_000

// jobApps remembers the group of each job. A fire does not tell it, and where a
// fire waits has to be decided on the wheel's own goroutine, which must not
// read the store. It may be out of date for one hand-over, which then waits
// in the wrong queue and does no other harm.
type jobApps struct{ groups map[int64]int64 }

func (a *jobApps) learn(job, group int64) {
	if a.groups == nil || len(a.groups) >= maxJobApps {
		a.groups = make(map[int64]int64)
	}
	a.groups[job] = group
}

func (a *jobApps) of(job int64) int64 {
	if group, known := a.groups[job]; known {
		return group
	}
	return appUnknown
}
