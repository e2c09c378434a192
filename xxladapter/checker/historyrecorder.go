package checker

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// A Recorder writes a history, one line for each call, for executors and test drivers. Every line
// is one Write, so that a killed process loses no line that it has recorded to a file. The methods
// may be called from any goroutine. After an error of Write, all methods but Close return that
// error.
type Recorder struct {
	by     string
	closer io.Closer

	mu  sync.Mutex // guards the fields below
	w   io.Writer
	n   int64 // number of the last run
	buf []byte
	err error
}

// NewRecorder returns a recorder that writes to w. The name by identifies who recorded a run;
// recorders of one history must have different names.
func NewRecorder(w io.Writer, by string) *Recorder { return &Recorder{w: w, by: by} }

// OpenRecorder returns a recorder that writes to a new file. The recorder's name consists of the
// name of the file, the process id and the time. An existing file is an error: nothing must be
// appended to the file of a killed process, because its last line may be cut off.
func OpenRecorder(path string) (*Recorder, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("checker: open record: %w", err)
	}
	r := NewRecorder(f, fmt.Sprintf("%s.%d.%x", filepath.Base(path), os.Getpid(), time.Now().UnixNano()))
	r.closer = f
	return r, nil
}

// Close closes the file that OpenRecorder opened.
func (r *Recorder) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closer == nil {
		return nil
	}
	err := r.closer.Close()
	r.closer = nil
	return err
}

// write writes the line that put appends to a buffer.
func (r *Recorder) write(put func(b []byte) []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.writeLocked(put)
}

func (r *Recorder) writeLocked(put func(b []byte) []byte) error {
	if r.err != nil {
		return r.err
	}
	r.buf = append(put(r.buf[:0]), '\n')
	if _, err := r.w.Write(r.buf); err != nil {
		r.err = fmt.Errorf("checker: record: %w", err)
	}
	return r.err
}

// Run records the arrival of a run and the other fields of run that are known by now; By is
// ignored. Pass the returned number to Start and End.
func (r *Recorder) Run(run Run) (n int64, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return 0, r.err
	}
	r.n++
	return r.n, r.writeLocked(func(b []byte) []byte { return appendRun(b, &run, r.by, r.n) })
}

// Start records that the code of run n started.
func (r *Recorder) Start(n int64, at time.Time) error {
	return r.write(func(b []byte) []byte { return appendStart(b, r.by, n, At(at)) })
}

// End records that run n ended with a result.
func (r *Recorder) End(n int64, at time.Time, code int) error {
	return r.write(func(b []byte) []byte { return appendEnd(b, r.by, n, At(at), int32(code)) })
}

// Change records a change of a job once its outcome is known.
func (r *Recorder) Change(c Change) error {
	return r.write(func(b []byte) []byte { return appendChange(b, &c) })
}

// Misfire records a misfire record of the scheduler.
func (r *Recorder) Misfire(m Misfire) error {
	return r.write(func(b []byte) []byte { return appendMisfire(b, &m) })
}

// Loss records that the scheduler's store has lost something.
func (r *Recorder) Loss(l Loss) error {
	return r.write(func(b []byte) []byte { return appendLoss(b, &l) })
}

// Trigger records the reason for a run.
func (r *Recorder) Trigger(t Trigger) error {
	return r.write(func(b []byte) []byte { return appendTrigger(b, &t) })
}

// Resend records that a hand-over was sent again.
func (r *Recorder) Resend(s Resend) error {
	return r.write(func(b []byte) []byte { return appendResend(b, &s) })
}

// Result records that the scheduler applied a result.
func (r *Recorder) Result(res Result) error {
	return r.write(func(b []byte) []byte { return appendResult(b, &res) })
}

// Ack records that an executor has learnt that the scheduler has the result of a run.
func (r *Recorder) Ack(a Ack) error {
	return r.write(func(b []byte) []byte { return appendAck(b, &a) })
}

// Log records a row of the scheduler's log table.
func (r *Recorder) Log(l Log) error {
	return r.write(func(b []byte) []byte { return appendLog(b, &l) })
}

// Final records that nothing later than at was or will be recorded.
func (r *Recorder) Final(at time.Time) error {
	return r.write(func(b []byte) []byte { return appendFinal(b, At(at)) })
}
