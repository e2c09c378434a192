package checker

import (
	"fmt"
	"strings"
	"time"
)

// A Kind says in which way a history breaks what a scheduler promises.
type Kind uint8

const (
	// Missed: no run came for a due time, for a shard of it, or as the next run of a fixed delay.
	Missed Kind = iota
	// Duplicate: a due time, or a shard of it, was assigned to two log ids.
	Duplicate
	// Early: a run came before its due time.
	Early
	// Late: a run came more than epsilon after its due time.
	Late
	// Extra: no due time and no record explains a run.
	Extra
	// AfterStop: the schedule fired after a stop or a removal was acknowledged.
	AfterStop
	// OldSchedule: a schedule fired after its edit was acknowledged.
	OldSchedule
	// Misfired: a due time has both a run and a misfire record that says it got none.
	Misfired
	// LogTwice: the code of one log id ran twice, and no resend explains it.
	LogTwice
	// ResultLost: a run has ended, and its result was not applied.
	ResultLost
	// ResultTwice: the result of a run was applied more than once.
	ResultTwice
	// ResultWrong: the run did not end with the result that was applied.
	ResultWrong
	// ChildMissed: a run succeeded, and a child of its job did not run.
	ChildMissed
	// ChildExtra: a child ran twice for one run of its parent, or for a run that must not have
	// children.
	ChildExtra
	// Unlogged: a run has a log id that the scheduler's table does not have.
	Unlogged

	kinds
)

var kindNames = [kinds]string{
	"missed", "duplicate", "early", "late", "extra", "after stop", "old schedule", "misfired", "log id twice",
	"result lost", "result twice", "result wrong", "child missed", "child extra", "unlogged",
}

// String returns the kind in words.
func (k Kind) String() string {
	if k < kinds {
		return kindNames[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// A Report is the judgement of a history.
type Report struct {
	// Err says why the history could not be judged; the other fields are then meaningless.
	Err error

	Options  Options // as applied; End is never 0
	Jobs     int
	Runs     int
	Targets  int // due times up to the end
	Matched  int // targets that had to fire, and did
	Optional int // targets that were free to fire, and did
	Open     int // targets that were free to fire, and did not
	Consumed int // targets that a misfire record consumed
	Refused  int // targets whose hand-over the scheduler knows to have failed
	Misfires int // misfire records
	InDoubt  int // targets of which the store no longer knows whether they fired
	Repeated int // arrivals of a log id after its first one
	Cut      int // lines cut off by a kill

	// LostRows and LostResults are the numbers of runs whose log row, or whose result, is missing
	// because the store has lost it.
	LostRows, LostResults int

	// Latest is the longest time from a due time to its run.
	Latest time.Duration

	// Counts is the number of violations of each kind.
	Counts [kinds]int

	// Violations are the first Options.MaxViolations violations.
	Violations []Violation
}

// A Violation is one fault with the relevant part of the history.
type Violation struct {
	Kind  Kind
	Job   int64
	Due   Instant // the due time concerned; 0 means none or unknown
	Log   int64   // the log id of the run at fault; 0 means none or unknown
	Shard int32   // the shard that is missing; -1 means that it is not about one shard

	Text    string   // what is wrong, in a sentence
	Runs    []Run    // the run at fault, one in conflict with it, the job's runs before and after
	Records []string // the relevant lines of the history

	job     string   // its schedule
	writers []string // of the history
}

// Clean reports whether the history was judged and has no fault.
func (r *Report) Clean() bool { return r.Err == nil && r.Total() == 0 }

// Total returns the number of violations.
func (r *Report) Total() int {
	n := 0
	for _, c := range r.Counts {
		n += c
	}
	return n
}

// String returns a line of totals, a line of counts unless the report is clean, and each violation
// with the relevant part of the history.
func (r *Report) String() string {
	if r.Err != nil {
		return fmt.Sprintf("not judged: %v\n", r.Err)
	}
	var b strings.Builder
	verdict := "CLEAN"
	if !r.Clean() {
		verdict = "NOT CLEAN"
	}
	fmt.Fprintf(&b, "%s: %d jobs, %d runs, %d due times until %v: %d matched, %d optional and %d open, %d misfired in %d records, %d refused; latest %v after its due time; epsilon %v\n",
		verdict, r.Jobs, r.Runs, r.Targets, r.Options.End, r.Matched, r.Optional, r.Open, r.Consumed, r.Misfires,
		r.Refused,
		r.Latest, r.Options.Epsilon)
	if r.Repeated > 0 || r.Cut > 0 {
		fmt.Fprintf(&b, "%d arrivals of a log id that had arrived before, %d lines cut off\n", r.Repeated, r.Cut)
	}
	if r.InDoubt > 0 || r.LostRows > 0 || r.LostResults > 0 {
		fmt.Fprintf(
			&b, "a loss of the store left %d due times in doubt, %d runs without a row, %d without a result\n",
			r.InDoubt, r.LostRows, r.LostResults,
		)
	}
	if r.Clean() {
		return b.String()
	}
	sep := ""
	for k, n := range r.Counts {
		if n > 0 {
			fmt.Fprintf(&b, "%s%d %v", sep, n, Kind(k))
			sep = ", "
		}
	}
	b.WriteByte('\n')
	for i := range r.Violations {
		r.Violations[i].write(&b)
	}
	if more := r.Total() - len(r.Violations); more > 0 {
		fmt.Fprintf(&b, "\nand %d more\n", more)
	}
	return b.String()
}

// String returns the violation with the relevant part of the history.
func (v *Violation) String() string {
	var b strings.Builder
	v.write(&b)
	return b.String()
}

func (v *Violation) write(b *strings.Builder) {
	fmt.Fprintf(b, "\n%v: job %d", v.Kind, v.Job)
	if v.job != "" {
		fmt.Fprintf(b, " (%s)", v.job)
	}
	fmt.Fprintf(b, ": %s\n", v.Text)
	for i := range v.Runs {
		fmt.Fprintf(b, "  run    %s\n", describe(&v.Runs[i], v.writers))
	}
	for _, line := range v.Records {
		fmt.Fprintf(b, "  record %s\n", line)
	}
}

// describe formats a run on one line.
func describe(r *Run, writers []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "log %d", r.Log)
	if r.Shards > 1 {
		fmt.Fprintf(&b, " shard %d/%d", r.Shard, r.Shards)
	}
	fmt.Fprintf(&b, " due %v arrived %v", r.Due, r.At)
	if r.Due != 0 {
		fmt.Fprintf(&b, " (%+v)", r.At.Sub(r.Due))
	}
	switch {
	case r.End != 0:
		fmt.Fprintf(&b, " ended %v with %d", r.End, r.Code)
	case r.Start != 0:
		b.WriteString(" did not end")
	default:
		b.WriteString(" did not start")
	}
	if r.By >= 0 && int(r.By) < len(writers) {
		fmt.Fprintf(&b, ", by %s", writers[r.By])
	}
	return b.String()
}
