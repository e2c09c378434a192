package fromxxljob

import (
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// A Database holds what was read from a database of XXL-JOB at one moment. All lists are in
// ascending id order.
type Database struct {
	Groups []*xxladapter.Group
	// Jobs have the settings of new jobs. Running says whether XXL-JOB has the schedule on.
	Jobs     []*xxladapter.Job
	Versions []*xxladapter.GlueVersion
	Users    []User
	Days     []xxladapter.DailyReport // in the database's zone
	// OwnTables says that the database has tables of xxlwheel, which means that xxlwheel's
	// schedulers have worked on it.
	OwnTables bool
	// ReadAt is the time of the read, and WrittenAt the last time at which an executor's beat or a
	// trigger was stored; zero means never. Both are by the database's clock, and ReadAt is in its
	// zone.
	ReadAt, WrittenAt time.Time
}

// Quiet is how long a database has to be without a beat or a trigger before its jobs are started
// elsewhere. Executors send a beat every 30 seconds while an admin serves them.
const Quiet = time.Minute

// Served reports whether an admin seems to work on the database.
func (db *Database) Served() bool {
	return !db.WrittenAt.IsZero() && db.ReadAt.Sub(db.WrittenAt) < Quiet
}

// countedDays is the number of days, including today, whose figures an admin counts anew each
// minute.
const countedDays = 3

// changes reports whether an admin that seems to work on the database still counts the figures of a
// day.
func (db *Database) changes(day string) bool {
	return db.Served() && day > db.ReadAt.AddDate(0, 0, -countedDays).Format(time.DateOnly)
}

// A User is a row of xxl_job_user.
type User struct {
	ID int64
	xxladapter.UpstreamUser
}

// A Kind is a kind of row whose id in the store is remembered, by its id in the database.
type Kind string

const (
	KindGroup Kind = "group"
	KindJob   Kind = "job"
	KindUser  Kind = "user"
)

// A Target holds what the store has before it takes anything.
type Target struct {
	// GroupsByApp are the ids of groups by their app names, and UserNames the names that users
	// have or had. GroupIDs and JobIDs are the ids of all groups and jobs.
	GroupsByApp map[string]int64
	UserNames   map[string]bool
	GroupIDs    map[int64]bool
	JobIDs      map[int64]bool
	// Schedules are those of all jobs, by id.
	Schedules map[int64]Schedule
	Days      map[string]bool // those whose figures the store has, as 2006-01-02
	// Taken has the ids of the rows that were taken from the same database before, even if they
	// were deleted since.
	Taken map[Kind]map[int64]int64
	// Others lists the names of other databases from which the store has taken jobs before.
	Others []string
	// Title and Param limit a group's title and a job's parameter, in characters; 0 means no limit.
	Title, Param int
}

// A Schedule is the schedule of a job that the store has.
type Schedule struct {
	Type xxladapter.ScheduleType
	Conf string
}

// KeepsIDs reports whether the store is so empty that groups and jobs keep their ids.
func (t *Target) KeepsIDs() bool {
	return len(t.GroupsByApp) == 0 && len(t.JobIDs) == 0 && len(t.Taken[KindGroup]) == 0 && len(t.Taken[KindJob]) == 0
}
