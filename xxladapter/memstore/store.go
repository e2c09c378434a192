// Package memstore keeps everything in memory. It is the reference for a [xxladapter.Store], and
// the store of other packages' tests. Nothing survives Close.
//
// It is written to be easy to compare with the contract, not to be fast: one mutex guards plain
// maps, and each listing scans a whole map.
package memstore

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// errClosed refuses every call after Close.
var errClosed = errors.New("memstore: closed")

// A Store is an [xxladapter.Store] in memory. Its zero value is not usable; see [New].
type Store struct {
	clock func() time.Time
	ended chan struct{} // closed by Close

	mu     sync.Mutex // guards all below; unexported methods that do not call enter run under it
	closed bool

	jobs     map[int64]*xxladapter.Job
	groups   map[int64]*xxladapter.Group
	fires    map[int64]*xxladapter.Fire
	firesAt  map[dueKey][]*xxladapter.Fire
	firesOf  map[int64]*xxladapter.Fire // by log id
	logs     map[int64]*xxladapter.Log
	gone     []goneLog
	counted  map[int64]countedRun // by log id
	figures  map[statKey]*xxladapter.Figures
	results  map[int64]lastResult // by job id
	removed  map[int64]int64      // by job id: newest log id at removal; once no log is left, a negated time in Unix ms
	wanted   map[int64]wantedText // by log id
	texts    map[int64]xxladapter.RunText
	runs     map[int64]*xxladapter.RunHistory // by log id
	misfires []xxladapter.Misfire             // in id order
	orders   map[int64]*xxladapter.Order
	glue     map[int64][]xxladapter.GlueVersion // by job id, newest first
	beats    map[beatKey]time.Time
	leases   map[string]held // by node; current ones, and expired ones until the next renewal
	owners   [xxladapter.Partitions]string
	present  map[xxladapter.Term]chan struct{} // closed when the presence ends
	zone     string                            // empty means that none was agreed
	alarms   map[int64]*xxladapter.AlarmState  // by job id
	claims   map[claimKey]*xxladapter.AlarmClaim
	versions map[int64][]*xxladapter.JobVersion // by job id, in order
	keys     map[int64]xxladapter.JobKey        // by job id
	audit    []xxladapter.AuditRow              // in id order
	// auditAnchor is the newest deleted row of the audit.
	auditAnchor xxladapter.AuditPosition

	pauses    []xxladapter.Pause // in id order
	calendars map[string]*xxladapter.Calendar

	backfills   map[int64]*xxladapter.Backfill
	users       map[int64]*xxladapter.User
	userNames   map[string]int64 // also of removed users
	credentials map[int64]*xxladapter.Credential

	lastJob, lastGroup, lastFire, lastLog, lastMisfire, lastTerm, lastGlue, lastOrder, lastBackfill, lastUser, lastCredential, lastPause, lastMove int64

	moves []xxladapter.PartitionMove // by id
}

// A dueKey is one due time of one job.
type dueKey struct {
	jobID int64
	due   int64 // Unix ms
}

// A beatKey identifies a registration.
type beatKey struct{ appName, address string }

var _ xxladapter.Store = (*Store)(nil)

// New returns an empty store whose clock is clock; nil means [time.Now].
func New(clock func() time.Time) *Store {
	if clock == nil {
		clock = time.Now
	}
	s := &Store{
		clock:     clock,
		ended:     make(chan struct{}),
		present:   map[xxladapter.Term]chan struct{}{},
		jobs:      map[int64]*xxladapter.Job{},
		groups:    map[int64]*xxladapter.Group{},
		fires:     map[int64]*xxladapter.Fire{},
		firesAt:   map[dueKey][]*xxladapter.Fire{},
		firesOf:   map[int64]*xxladapter.Fire{},
		logs:      map[int64]*xxladapter.Log{},
		wanted:    map[int64]wantedText{},
		removed:   map[int64]int64{},
		counted:   map[int64]countedRun{},
		figures:   map[statKey]*xxladapter.Figures{},
		results:   map[int64]lastResult{},
		texts:     map[int64]xxladapter.RunText{},
		runs:      map[int64]*xxladapter.RunHistory{},
		orders:    map[int64]*xxladapter.Order{},
		backfills: map[int64]*xxladapter.Backfill{},
		glue:      map[int64][]xxladapter.GlueVersion{},
		beats:     map[beatKey]time.Time{},
		leases:    map[string]held{},
		alarms:    map[int64]*xxladapter.AlarmState{},
		claims:    map[claimKey]*xxladapter.AlarmClaim{},

		versions:  map[int64][]*xxladapter.JobVersion{},
		calendars: map[string]*xxladapter.Calendar{},
		keys:      map[int64]xxladapter.JobKey{},

		auditAnchor: xxladapter.AuditPosition{Hash: xxladapter.AuditGenesis},
		users:       map[int64]*xxladapter.User{}, userNames: map[string]int64{},
		credentials: map[int64]*xxladapter.Credential{},
	}
	return s
}

// enter locks the store for one call; the caller then unlocks s.mu. It fails, without the lock, if
// ctx has ended or the store is closed.
func (s *Store) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return errClosed
	}
	return nil
}

// Now returns the time of the clock given to [New].
func (s *Store) Now(ctx context.Context) (time.Time, error) {
	if err := s.enter(ctx); err != nil {
		return time.Time{}, err
	}
	defer s.mu.Unlock()
	return s.clock(), nil
}

// Close makes later calls fail and ends the presences. It may be called again.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.closed = true
		close(s.ended)
	}
	return nil
}
