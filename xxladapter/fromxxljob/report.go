package fromxxljob

import "github.com/xxlwheel/xxlwheel/xxladapter"

// A Report says what was taken, or would be.
type Report struct {
	From    string `json:"from"`
	DryRun  bool   `json:"dryRun"`
	KeptIDs bool   `json:"keptIds"` // new groups and jobs have the ids of the database
	// Served says that an admin of XXL-JOB still seems to work on the database; see [Quiet].
	Served bool `json:"served"`

	Groups   Count `json:"groups"`
	Jobs     Count `json:"jobs"`
	Versions Count `json:"versions"`
	Users    Count `json:"users"`
	Days     Count `json:"days"`
	Logs     Count `json:"logs"`

	// Taken lists the jobs of the database that the store has, by their ids in the database.
	Taken []Job  `json:"jobsTaken"`
	Notes []Note `json:"notes"`
}

// A Count counts the rows of one kind by what was done with them.
type Count struct {
	Taken  int `json:"taken"`
	Before int `json:"before"` // rows that the store has already
	Left   int `json:"left"`   // rows that it does not take; a note says why
}

// A Job is a job that was taken, now or before.
type Job struct {
	From int64  `json:"from"` // its id in the database
	ID   int64  `json:"id"`   // in the store; 0 in a dry run, if it is not known yet
	Name string `json:"name"`
	// On says that XXL-JOB has the schedule on, and Starts that the store's schedulers could start
	// the job.
	On     bool `json:"on"`
	Starts bool `json:"starts"`
	New    bool `json:"new"` // taken now
}

// The values of [Note].What.
const (
	Changed = "changed" // the row was taken with another value
	Left    = "left"    // the row was not taken
	Advice  = "advice"  // an operator should do something
)

// A Note is a remark about the database or one of its rows.
type Note struct {
	What string `json:"what"`
	Kind string `json:"kind"` // group, job, version, user, day, log or database
	ID   int64  `json:"id,omitempty"`
	Name string `json:"name,omitempty"`
	Text string `json:"text"`
	// Said is Text with the rule that it is about. Nil means that there is no rule.
	Said *xxladapter.Error `json:"-"`
}
