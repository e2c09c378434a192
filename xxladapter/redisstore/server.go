package redisstore

import (
	"context"
	"crypto/rand"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore"
)

// wish is how long a process that asked for the pen is preferred to others. It asks again every few
// milliseconds.
const wish = 250 * time.Millisecond

// readBatch is the number of entries of one XRANGE, each of a group of records.
const readBatch = 50

// A server is the log of one store in Redis. It implements [sqlstore.LogServer].
type server struct {
	client *client
	// holder names this process.
	holder          string
	head, want, log string // keys
	// lossy is set if Redis may forget what it has confirmed when it restarts.
	lossy bool
	// read is the server's process at the last Look.
	read atomic.Pointer[string]
}

var _ sqlstore.LogServer = (*server)(nil)

// newServer returns the log of the store with an id.
func newServer(client *client, id string, lossy bool) *server {
	tag := "{xxlwheel:" + id + "}:"
	return &server{client: client, holder: rand.Text(), head: tag + "head", want: tag + "want", log: tag + "log", lossy: lossy}
}

// Take implements [sqlstore.LogServer].
func (s *server) Take(ctx context.Context) (sqlstore.LogState, error) {
	state, _, err := s.run(ctx, takeScript, []string{s.head, s.want}, s.holder, sqlstore.PenLife.Milliseconds(), wish.Milliseconds())
	if read, run := s.read.Load(), s.client.run.Load(); s.lossy && read != nil && run != nil && *read != *run {
		state.Generation = 0 // of another process of Redis: the log is read again, and its loss noticed
	}
	return state, err
}

// Look implements [sqlstore.LogServer].
func (s *server) Look(ctx context.Context) (sqlstore.LogState, error) {
	state, _, err := s.run(ctx, lookScript, []string{s.head}, s.holder)
	if err != nil || !s.lossy {
		return state, err
	}
	if state.Run, err = runOf(s.client.Info(ctx, "server")); err == nil {
		s.read.Store(&state.Run)
	}
	return state, err
}

// Append implements [sqlstore.LogServer].
func (s *server) Append(ctx context.Context, after sqlstore.LogState, group int64, records [][]byte) (sqlstore.LogState, error) {
	state, stored, err := s.run(ctx, appendScript, []string{s.head, s.want, s.log},
		s.holder, after.Generation, after.Position, after.Pen, sqlstore.PenLife.Milliseconds(), group, len(records), joined(records))
	if err == nil && !stored {
		err = sqlstore.ErrLogRefused
	}
	return state, err
}

// run runs a script that ends with the state. stored is set if an append has stored its records.
func (s *server) run(ctx context.Context, script *redis.Script, keys []string, args ...any) (state sqlstore.LogState, stored bool, err error) {
	n, err := script.Run(ctx, s.client, keys, args...).Int64Slice()
	if err != nil {
		return state, false, err
	}
	if len(n) != 5 {
		return state, false, fmt.Errorf("redis answered %d numbers, must be 5", len(n))
	}
	return sqlstore.LogState{Held: n[0] > 0, Generation: n[1], Position: n[2], Pen: n[3], Wanted: n[4] > 0}, n[0] == 2, nil
}

// Read implements [sqlstore.LogServer].
func (s *server) Read(ctx context.Context, after, last int64, each func(number int64, record []byte) error) error {
	for after < last {
		found, err := s.client.XRangeN(ctx, s.log, strconv.FormatInt(after+1, 10), strconv.FormatInt(last, 10), readBatch).Result()
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
}

// Trim implements [sqlstore.LogServer].
func (s *server) Trim(ctx context.Context, number int64) error {
	return s.client.XTrimMinID(ctx, s.log, strconv.FormatInt(number+1, 10)).Err()
}

// Begin implements [sqlstore.LogServer].
func (s *server) Begin(ctx context.Context, now sqlstore.LogState) error {
	return beginScript.Run(ctx, s.client, []string{s.head, s.log}, s.holder, now.Pen, now.Generation, now.Position).Err()
}

// Release implements [sqlstore.LogServer].
func (s *server) Release(ctx context.Context) error {
	return releaseScript.Run(ctx, s.client, []string{s.head}, s.holder).Err()
}

// Close implements [sqlstore.LogServer].
func (s *server) Close() error { return s.client.Close() }
