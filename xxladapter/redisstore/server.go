package redisstore

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore"
)

// wish is how long a process that asked for the pen is preferred to others. It asks again every few
// milliseconds.
const wish = 250 * time.Millisecond

// readBatch is the number of entries of one XRANGE, each of a batch of records.
const readBatch = 50

// A server is the log of one store in Redis. It implements [sqlstore.LogServer].
type server struct {
	at target
	// holder names this process.
	holder    string
	head, log string // keys
	// cluster is the value of at if that is a cluster, and nil otherwise.
	cluster *cluster
	// lossy is set if Redis may forget what it has confirmed when it restarts.
	lossy bool
	// read is the identity of the server at the last Look.
	read atomic.Pointer[string]

	mu             sync.Mutex         // guards the fields below
	identities     map[*client]string // the identity of each node of a cluster whose head has been read
	mastersVersion int64              // the version of the cluster's masters that the head has
}

var _ sqlstore.LogServer = (*server)(nil)

// newServer returns the log of the store with an id.
func newServer(at target, id string, lossy bool) *server {
	tag := "{xxlwheel:" + id + "}:"
	s := &server{
		at: at, holder: rand.Text(), head: tag + "head", log: tag + "log", lossy: lossy,
		identities: map[*client]string{},
	}
	if s.cluster, _ = at.(*cluster); s.cluster != nil {
		s.cluster.follow(s.head)
	}
	return s
}

// identity returns what may not change without a loss: the promotion that made the server the
// primary, and its process if that may lose what it has confirmed. It is empty if a change means
// nothing.
func (s *server) identity(c *client, run *string) string {
	if c.named.home != (home{}) {
		return s.line(c)
	}
	of := ""
	if c.named.address != "" {
		of = c.named.address + " by promotion " + c.named.epoch
	}
	if s.lossy && run != nil {
		of = strings.TrimSpace(of + " " + *run)
	}
	return shortIdentity(of)
}

// shortIdentity returns text, or its SHA-256 if it exceeds the 64 bytes of the tables' column: a
// host's name has up to 253.
func shortIdentity(text string) string {
	if len(text) <= 2*sha256.Size {
		return text
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(text)))
}

// serverChanged reports whether the server is not the one of the last Look.
func (s *server) serverChanged(c *client) bool {
	read := s.read.Load()
	return read != nil && s.identity(c, c.run.Load()) != *read
}

// Take implements [sqlstore.LogServer].
func (s *server) Take(ctx context.Context) (state sqlstore.LogState, err error) {
	err = s.with(ctx, true, func(c *client) error {
		if err := s.create(ctx, c); err != nil {
			return err
		}
		state, _, err = s.run(
			ctx, c, takeScript, []string{s.head}, s.holder, sqlstore.PenLife.Milliseconds(), wish.Milliseconds(),
		)
		state.Started = c.started()
		if s.serverChanged(c) {
			state.Generation = 0 // the log is read again, and its loss noticed
		}
		return err
	})
	return state, err
}

// Look implements [sqlstore.LogServer].
func (s *server) Look(ctx context.Context) (state sqlstore.LogState, err error) {
	err = s.with(ctx, true, func(c *client) error {
		if state, err = s.reach(ctx, c); err != nil {
			return err
		}
		run := ""
		if s.lossy && s.cluster == nil {
			if run, err = runOf(c.Info(ctx, "server")); err != nil {
				return err
			}
		}
		state.Run, state.Started = s.identity(c, &run), c.started()
		s.read.Store(&state.Run)
		return nil
	})
	return state, err
}

// Append implements [sqlstore.LogServer].
func (s *server) Append(
	ctx context.Context, after sqlstore.LogState, batch int64, records [][]byte,
) (state sqlstore.LogState, err error) {
	err = s.with(ctx, false, func(c *client) error {
		if s.serverChanged(c) {
			return sqlstore.ErrLogRefused
		}
		var did int64
		state, did, err = s.run(ctx, c, appendScript, []string{s.head, s.log},
			s.holder, after.Generation, after.Position, after.Pen, sqlstore.PenLife.Milliseconds(), batch, len(records),
			joined(records), c.named.home.node)
		state.Started = c.started()
		switch {
		case err == nil && did == appendElsewhere:
			s.forget(c)
			return unsettled{errors.New("redis has moved the log back")}
		case err == nil && did != appendStored:
			err = sqlstore.ErrLogRefused
		}
		return err
	})
	return state, err
}

// What an append answers in place of held if it has stored the records, or if the head names
// another node as its home.
const (
	appendStored    = 2
	appendElsewhere = -1
)

// run runs a script that ends with the state, and returns held as the script has it.
func (s *server) run(
	ctx context.Context, c *client, script *redis.Script, keys []string, args ...any,
) (state sqlstore.LogState, held int64, err error) {
	n, err := script.Run(ctx, c, keys, args...).Int64Slice()
	if err != nil {
		return state, 0, err
	}
	if len(n) != 5 {
		return state, 0, fmt.Errorf("redis answered %d numbers, must be 5", len(n))
	}
	return stateOf(n), n[0], nil
}

// stateOf returns the state that a script ends with.
func stateOf(n []int64) sqlstore.LogState {
	return sqlstore.LogState{Held: n[0] > 0, Generation: n[1], Position: n[2], Pen: n[3], Wanted: n[4] > 0}
}

// Read implements [sqlstore.LogServer].
func (s *server) Read(ctx context.Context, after, last int64, each func(number int64, record []byte) error) error {
	return s.with(ctx, true, func(c *client) error {
		for after < last {
			found, err := entriesOf(readScript.Run(ctx, c, []string{s.head, s.log}, after+1, last, readBatch).Slice())
			if err != nil {
				return err
			}
			for _, entry := range found {
				if after, err = eachOf(entry, after, each); err != nil {
					return err
				}
			}
			if len(found) == 0 {
				return fmt.Errorf("%w: records from %d to %d are missing", sqlstore.ErrLogGap, after+1, last)
			}
		}
		return nil
	})
}

// Trim implements [sqlstore.LogServer].
func (s *server) Trim(ctx context.Context, number int64) error {
	return s.with(ctx, true, func(c *client) error {
		return c.XTrimMinID(ctx, s.log, strconv.FormatInt(number+1, 10)).Err()
	})
}

// Begin implements [sqlstore.LogServer]. After a promotion it waits until no process still trusts
// the former primary: what that one confirms is not in the log that begins. The first log of a
// store does not wait.
func (s *server) Begin(ctx context.Context, now sqlstore.LogState) error {
	return s.with(ctx, true, func(c *client) error {
		if s.serverChanged(c) {
			return errFormer
		}
		if left := trust - age(c.since); left > 0 && now.Generation > 1 {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(left):
			}
		}
		where, version := s.where(c) // the tables get the identity that the last Look has returned
		args := append([]any{s.holder, now.Pen, now.Generation, now.Position}, where...)
		if err := beginScript.Run(ctx, c, []string{s.head, s.log}, args...).Err(); err != nil {
			return err
		}
		s.note(version)
		return nil
	})
}

// Release implements [sqlstore.LogServer].
func (s *server) Release(ctx context.Context) error {
	return s.with(
		ctx, true, func(c *client) error { return releaseScript.Run(ctx, c, []string{s.head}, s.holder).Err() },
	)
}

// Close implements [sqlstore.LogServer].
func (s *server) Close() error { return s.at.Close() }
