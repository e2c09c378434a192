// Package transition has the state machine of a fire and its log row: what claiming, taking over,
// settling and finishing do to them. It also decides edits of jobs. A store reads and locks the
// rows, asks here, and writes what the answer says, in one transaction.
//
//	planned ── Claim ──▶ claimed ──── Settle ────▶ ambiguous
//	   │                    │                          │
//	   └────── Settle ──────┴─ Settle, Accept, Finish ─┴──▶ removed
//
// Every function is pure: it reads no clock, takes no lock, does no I/O and changes no argument.
package transition

import (
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// Rows are the rows that a call is about, as the store has read them. A store fills in those that
// the function reads; see each function. A lease may end before the change is stored.
//
// REQUIRES: no other call changes Fire and Log until the change is stored.
type Rows struct {
	// Holds reports whether the term in which the caller acts holds.
	Holds bool
	// Fire is the open fire; nil if there is none.
	Fire *xxladapter.Fire
	// Log is the state of the log row; nil if there is none.
	Log *LogState
	// Attempt is that of the run's history, where there is no fire; 0 means that it is not known.
	Attempt int
	// Address is that of the log row.
	Address string
}

// A LogState is the part of a log row that decides what may happen to it.
type LogState struct {
	TriggerCode, HandleCode int
}

// StateOf returns the state of a row.
func StateOf(l *xxladapter.Log) LogState { return LogState{l.TriggerCode, l.HandleCode} }

// Status returns what the row counts as in the daily figures.
func (s LogState) Status() xxladapter.LogStatus {
	return xxladapter.StatusOf(s.TriggerCode, s.HandleCode)
}

// A Change is what a store writes, all of it in one transaction and in the order of the fields.
// The zero value writes nothing.
type Change struct {
	// Fire is what becomes of the open fire.
	Fire FireChange
	// Log is what becomes of the log row.
	Log LogChange
	// Run is what is added to the run's history.
	Run RunChange
	// Next are fires to plan, as PlanFires does. The due time of a removed fire is free for them.
	Next []xxladapter.Fire
	// Resume is done after all of these, because it looks for open fires and runs of the job's last
	// due time.
	Resume xxladapter.Resume
	// WantText asks for the run's text to be fetched.
	WantText bool
}

// A FireChange says what becomes of an open fire.
type FireChange int

const (
	KeepFire   FireChange = iota // it stays as it is, or there is none
	DoubtFire                    // it becomes ambiguous
	RemoveFire                   // it leaves the store
)

// A LogChange says what becomes of a log row. The zero value leaves it unchanged.
type LogChange struct {
	// Columns says which columns are written.
	Columns Columns
	// Before and After are the states between which the daily figures move.
	Before, After LogState
	// Msg goes into the message column: trigger_msg or handle_msg. It fits there.
	Msg string
	// At is the handle time, in whole seconds; zero unless Columns is [HandleColumns].
	At time.Time
	// Address is that of the executor; empty unless Columns is [AcceptColumns].
	Address string
}

// Columns says which columns a [LogChange] writes.
type Columns int

const (
	NoColumns      Columns = iota
	TriggerColumns         // trigger_code and trigger_msg
	HandleColumns          // handle_time, handle_code, handle_msg, and trigger_code
	AcceptColumns          // those of TriggerColumns, and executor_address
)

// Fenced returns the error for a caller whose term is over: an [xxladapter.ErrFenced].
func Fenced(by xxladapter.Term) error {
	return xxladapter.Fencedf(errorrule.TermOver, "node %q acts in term %d, which is over", by.Node, by.Number)
}
