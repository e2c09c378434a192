package journaled

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/sharedlog"
)

// loadShared reads the tables and the records that they lack into a new memory, under the lock of
// the row of applied positions. From then on the tables refuse the process that had the pen before.
func (f *front) loadShared(ctx context.Context, tx *database.Tx) error {
	m, found, err := readShared(func(query string, scan func(database.Row) error) error {
		return tx.Query(
			ctx, query, nil, scan,
		)
	}, tx.Dialect.Lock)
	if err != nil {
		return err
	}
	if !found {
		return errors.New("the row of the shared log is missing in xxlwheel_redis")
	}
	if m.state != stateOpen {
		// The lock on new terms is held here: a process that does not use the log may have got a
		// term since the store was opened. Once the state is open it can get none.
		if _, err := tx.LockTerm(ctx); err != nil {
			return err
		}
		if err := refusePlain(ctx, tx, f.Clock()); err != nil {
			return err
		}
		if err := f.continueIDs(ctx, tx, &m); err != nil {
			return err
		}
	}
	now, err := f.shared.log.Look(ctx)
	if err != nil {
		return err
	}
	if !now.Held {
		return errPen
	}
	used := m.state == stateOpen
	if why := f.lost(m, now); why != "" {
		if now, err = f.beginAnew(ctx, tx, &m, now, why, used); err != nil {
			return err
		}
	}
	err = f.fill(ctx, tx, &m, now, used)
	if errors.Is(err, sharedlog.ErrGap) {
		if now, err = f.beginAnew(ctx, tx, &m, now, err.Error(), used); err == nil {
			err = f.fill(ctx, tx, &m, now, used)
		}
	}
	return err
}

// continueIDs has the memory give ids above those that processes without the log have given. Their
// rows may be deleted already.
func (f *front) continueIDs(ctx context.Context, tx *database.Tx, m *sharedApplied) error {
	fire, err := tx.Dialect.LastID(ctx, tx, "xxlwheel_fire")
	if err != nil {
		return err
	}
	log, err := tx.Dialect.LastID(ctx, tx, "xxl_job_log")
	if err != nil {
		return err
	}
	if f.besideJava() && m.generation > 0 && log <= m.log+2*idJump+tx.Dialect.IDStep {
		log = m.log // the table continues above what reserveLogs has reserved
	}
	m.fire, m.log = max(m.fire, fire), max(m.log, log)
	return nil
}

// fill reads the tables, replays the log behind them, and takes the row of applied positions. used
// says that all log rows since the positions were written should be from processes with the log.
//
// REQUIRES: f.mu is held.
func (f *front) fill(ctx context.Context, tx *database.Tx, m *sharedApplied, now sharedlog.State, used bool) error {
	m.pen, m.run, m.state = now.Pen, now.Run, stateOpen
	_, err := tx.Exec(
		ctx, takeShared, int64(m.generation), m.pen, m.settled, m.runs, m.plans, m.fire, m.log, msOf(m.doubt), m.run,
	)
	if err != nil {
		return err
	}
	n, err := f.readTables(ctx, tx, load{everything: true})
	if err != nil {
		return err
	}
	f.applied, f.m, f.evictable, f.shared.at = m.applied, newMemory(), nil, m.at
	f.rotated, f.spill, f.snapshot = 0, 0, 0
	f.m.doubt = m.doubt
	f.shared.lastFire, f.shared.lastLog = n.lastFire, n.lastLog
	f.reload(load{}, n)
	if used && f.besideJava() {
		f.m.lastLog = m.log // what the log has is added, and what the tables have besides is not ours
	}
	r := replay{ctx: ctx, tx: tx, m: &f.m, applied: m.applied, now: f.Clock()}
	err = f.finishLoad(&r, f.shared.log.Load(ctx, now, m.oldest(), r.record))
	if err == nil {
		f.meet(n.lastLog)
	}
	return err
}

// lost says why the log is not what the tables were written from, or returns an empty text. A log
// that is not the store's, because it was emptied, replaced by an old copy or fell behind at a
// promotion, has another generation or an earlier position. An old copy may have all that the
// tables have, and lack what a process has confirmed since; its pen has a lower number than the
// tables know, or had another holder, if the pen has passed since the copy was made.
//
// REQUIRES: f.mu is held.
func (f *front) lost(m sharedApplied, now sharedlog.State) string {
	last := max(m.settled, m.runs, m.plans)
	switch seen := f.shared.log.Seen(now.Generation); {
	case m.generation == 0:
		return "there is none yet"
	case now.Generation != int64(m.generation):
		return fmt.Sprintf("it has generation %d, must have %d", now.Generation, m.generation)
	case now.Position < last:
		return fmt.Sprintf("it ends with record %d, and the tables have record %d", now.Position, last)
	case now.Position < seen:
		return fmt.Sprintf("it ends with record %d, and record %d was confirmed", now.Position, seen)
	case now.Pen < m.pen || now.Pen == m.pen && now.Pen != f.applied.pen:
		return fmt.Sprintf("its pen has number %d, and another process wrote to the tables under %d", now.Pen, m.pen)
	case f.shared.lossy && m.run != "" && m.run != now.Run:
		return fmt.Sprintf(
			"its server was started again or replaced (it is %s, was %s), and may lack what was confirmed", now.Run,
			m.run,
		)
	}
	return ""
}

// beginAnew begins an empty log from what the tables have. used is false if they need no log,
// because there was none or it was closed; then nothing is lost with it.
func (f *front) beginAnew(
	ctx context.Context, tx *database.Tx, m *sharedApplied, now sharedlog.State, why string, used bool,
) (sharedlog.State, error) {
	last := max(m.settled, m.runs, m.plans, now.Position, f.shared.log.Seen(now.Generation))
	m.generation = max(m.generation, uint64(now.Generation)) + 1
	m.settled, m.runs, m.plans = last, last, last
	now.Generation, now.Position = int64(m.generation), last
	if used {
		// If this attempt fails after the log has begun, the next one finds another reason.
		f.Logger.Warn("the shared log is begun anew", "why", why, "generation", now.Generation)
	}
	if err := f.shared.log.Begin(ctx, now); err != nil {
		return now, err
	}
	since := m.at
	m.at = milli(f.Clock())
	if !used {
		return now, nil
	}
	m.fire, m.log, m.doubt = m.fire+idJump, m.log+idJump, m.at
	missed, err := f.doubtPlanned(ctx, tx, m.doubt)
	f.Logger.Error(
		"what only the shared log had is lost: due times since the tables were written are in doubt", "why", why,
		"since", since, "until", m.doubt, "fires", missed,
	)
	return now, err
}

// lostOwner is the node name given to fires whose settlement may be lost. It has no lease, so they
// are resolved like those of a dead node.
const lostOwner = "lost with the shared log"

// doubtPlanned settles what the tables have of fires that may have been sent: planned ones that
// were due become misfires, unless their job asks for a repetition. Claimed ones lose their owner
// and are ambiguous: what became of them is asked for.
func (f *front) doubtPlanned(ctx context.Context, tx *database.Tx, doubt time.Time) (missed int, err error) {
	n, err := f.readTables(ctx, tx, load{everything: true})
	if err != nil {
		return 0, err
	}
	var ids, gone []int64
	for _, fire := range n.fires {
		if fire.State == xxladapter.FirePlanned && !fire.Due.After(doubt) {
			ids = append(ids, fire.JobID)
		}
	}
	jobs, err := database.Within(ctx, tx, &records.JobEntity, ids)
	if err != nil {
		return 0, err
	}
	var lost []xxladapter.Misfire
	for _, fire := range n.fires {
		j := jobs[fire.JobID]
		if fire.State != xxladapter.FirePlanned || fire.Due.After(doubt) || j != nil &&
			j.Settings.Ambiguous == xxladapter.AmbiguousResend {
			continue
		}
		gone = append(gone, fire.ID)
		lost = append(lost, lostDue(fire.JobID, fire.Due, doubt))
	}
	if err := records.WriteMisfires(ctx, tx, lost); err != nil {
		return 0, err
	}
	if err := records.RemoveFires(ctx, tx, gone); err != nil {
		return 0, err
	}
	_, err = tx.Exec(
		ctx, `UPDATE xxlwheel_fire SET node = ?, term = 0, state = 'ambiguous' WHERE state <> 'planned'`, lostOwner,
	)
	return len(gone), err
}

// lostDue returns the misfire of a due time in doubt.
func lostDue(jobID int64, due, at time.Time) xxladapter.Misfire {
	return xxladapter.Misfire{
		JobID: jobID, Due: milli(due), Until: milli(due), Strategy: xxladapter.MisfireStoreLost, At: milli(at),
	}
}

// withoutDoubt replaces the fires of a decision whose due times are in doubt by misfires, unless
// the job asks for a repetition. Due times that the decision found too late are lost if all of a
// span are in doubt; the spans of pauses and calendars stay, since nothing was sent for them. A
// fire of the misfire strategy stands for due times of such a span, whatever its own due time is.
func withoutDoubt(d xxladapter.Decision, j *xxladapter.Job, doubt, now time.Time) xxladapter.Decision {
	if doubt.IsZero() || j.TriggerNext.After(doubt) || j.Settings.Ambiguous == xxladapter.AmbiguousResend {
		return d
	}
	spans := slices.Clone(d.Misfires)
	late := false // a span has due times that are not in doubt
	for i := range spans {
		switch m := &spans[i]; {
		case m.Kind() != xxladapter.MisfireLate:
		case m.Until.After(doubt):
			late = true
		default:
			m.Strategy = xxladapter.MisfireStoreLost
		}
	}
	var kept []xxladapter.Fire
	for _, fire := range d.Fires {
		ofSpan := fire.Type == xxladapter.TriggerMisfire
		switch {
		case fire.Due.After(doubt) && !ofSpan:
			kept = append(kept, fire)
		case !ofSpan || late:
			spans = append(spans, lostDue(j.ID, fire.Due, now))
		}
	}
	d.Fires, d.Misfires = kept, spans
	return d
}
