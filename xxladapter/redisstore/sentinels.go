package redisstore

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// sentinels know the primary. The server that more than half of them name is the primary, until
// their answers are older than trust.
type sentinels struct {
	*quorum
	address *address
	votes   []vote // of each sentinel; guarded by mu
}

// A vote is a sentinel's last answer.
type vote struct {
	promotion
	asked time.Time // before the question
	err   error     // of the last question
}

// sentinelsAt returns sentinels that are not asked yet.
func sentinelsAt(a *address, mayLose bool) *sentinels {
	s := &sentinels{address: a, votes: make([]vote, len(a.hosts))}
	s.quorum = newQuorum(a.server, mayLose, s.majority)
	return s
}

// newSentinels begins to ask the sentinels.
func newSentinels(a *address, mayLose bool) (*sentinels, error) {
	s := sentinelsAt(a, mayLose)
	for i, host := range a.hosts {
		opts, err := a.sentinel(host)
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		opts.MaxRetries, opts.ContextTimeoutEnabled = -1, true
		sentinel := redis.NewSentinelClient(opts)
		s.asking.Go(func() { // Close ends it
			s.ask(i, sentinel)
			_ = sentinel.Close() // nobody waits for what it says
		})
	}
	return s, nil
}

// ask asks one sentinel until Close.
func (s *sentinels) ask(i int, sentinel *redis.SentinelClient) {
	for {
		asked := time.Now()
		n, err := primaryOf(s.ctx, sentinel, s.address.name)
		s.note(func() {
			if s.votes[i].err = err; err == nil {
				s.votes[i] = vote{promotion: n, asked: asked}
			}
		})
		select {
		case <-s.ctx.Done():
			return
		case <-time.After(askPause):
		}
	}
}

// primaryOf returns the primary that a sentinel names.
func primaryOf(ctx context.Context, sentinel *redis.SentinelClient, name string) (promotion, error) {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	known, err := sentinel.Master(ctx, name).Result()
	if err != nil {
		return promotion{}, err
	}
	// This answer names a promoted server while others still have to follow it; the one before does
	// not yet.
	at, err := sentinel.GetMasterAddrByName(ctx, name).Result()
	if err != nil {
		return promotion{}, err
	}
	if len(at) != 2 {
		return promotion{}, fmt.Errorf("it answers %d texts, must answer 2", len(at))
	}
	return promotion{address: net.JoinHostPort(at[0], at[1]), epoch: known["config-epoch"]}, nil
}

// majority returns the primary that more than half of the sentinels name.
//
// REQUIRES: s.mu is held.
func (s *sentinels) majority() (promotion, error) {
	votes, need, most := map[promotion]int{}, len(s.votes)/2+1, 0
	for _, v := range s.votes {
		if v.address != "" && age(v.asked) < trust {
			votes[v.promotion]++
			most = max(most, votes[v.promotion])
			if votes[v.promotion] == need {
				return v.promotion, nil
			}
		}
	}
	unknown := 0
	var said []string
	for i, v := range s.votes {
		switch {
		case v.err != nil && strings.Contains(v.err.Error(), "No such master"):
			unknown++
			said = append(said, s.address.hosts[i]+" does not know it")
		case v.err != nil:
			said = append(said, s.address.hosts[i]+": "+oneLine{v.err}.Error())
		case v.address != "":
			said = append(said, s.address.hosts[i]+" names "+v.address)
		}
	}
	if unknown >= need {
		return promotion{}, xxladapter.Invalidf(errorrule.RedisPrimary,
			"%s names the primary %q, must be one that its sentinels know",
			"redis", s.address.name)
	}
	return promotion{}, fmt.Errorf(
		"primary %q of redis: %d of %d sentinels agree on it, must be %d at least (%s)", s.address.name, most,
		len(s.votes), need, strings.Join(said, "; "),
	)
}
