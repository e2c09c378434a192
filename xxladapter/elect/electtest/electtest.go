// Package electtest is the suite that every [elect.Elector] passes, and has an elector within one
// process for other tests.
package electtest

import (
	"context"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/elect"
)

// A Place is where processes campaign for one leadership, and what a test may do to its
// coordinator.
type Place struct {
	// Elector returns the elector of one more process.
	Elector func() elect.Elector
	// Cut ends all contact between the coordinator and the processes, and Heal restores it.
	Cut, Heal func()
}

// patience limits the wait for each expected event: a session of a silent process ends within two
// lives at the slowest coordinator.
const patience = 4 * elect.SessionLife

// Run runs the suite. It calls open for each test, which has the place to itself.
func Run(t *testing.T, open func(t *testing.T) Place) {
	for name, test := range map[string]func(*testing.T, Place){
		"OneLeadsAtATimeAndNumbersGrow":            oneLeads,
		"AResignationElectsTheNextAtOnce":          resigns,
		"ACampaignEndsWithItsContext":              givesUp,
		"ASessionThatEndsClosesDone":               losesItsSession,
		"ACampaignWithoutContactFailsWithinLimits": cannotReach,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

// lead campaigns until it is elected.
func lead(t *testing.T, e elect.Elector) elect.Leadership {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	l, err := e.Campaign(ctx, nil)
	require.NoError(t, err)
	require.Positive(t, l.Number())
	requireLeads(t, l)
	return l
}

func requireLeads(t *testing.T, l elect.Leadership) {
	t.Helper()
	select {
	case <-l.Done():
		t.Fatal("the leadership is over")
	default:
	}
}

func requireOver(t *testing.T, l elect.Leadership) {
	t.Helper()
	select {
	case <-l.Done():
	case <-time.After(patience):
		t.Fatal("the leadership is not over")
	}
}

// A campaign runs in the background.
type campaign struct {
	stands  chan struct{} // closed when the coordinator accepts the campaign; a second time panics
	elected chan elect.Leadership
	failed  chan error
}

func begin(ctx context.Context, e elect.Elector) *campaign {
	c := &campaign{make(chan struct{}), make(chan elect.Leadership, 1), make(chan error, 1)}
	go func() { // wins, waits and winner wait for it
		if l, err := e.Campaign(ctx, func() { close(c.stands) }); err != nil {
			c.failed <- err
		} else {
			c.elected <- l
		}
	}()
	return c
}

// wins returns the leadership.
func (c *campaign) wins(t *testing.T) elect.Leadership {
	t.Helper()
	select {
	case l := <-c.elected:
		return l
	case err := <-c.failed:
		t.Fatal(err)
	case <-time.After(patience):
		t.Fatal("nobody is elected")
	}
	return nil
}

// waits checks that the coordinator accepts the campaign, and that it neither wins nor fails for a
// while.
func (c *campaign) waits(t *testing.T) {
	t.Helper()
	select {
	case <-c.stands:
	case err := <-c.failed:
		t.Fatal(err)
	case <-time.After(patience):
		t.Fatal("nobody says that it is a candidate")
	}
	select {
	case l := <-c.elected:
		t.Fatalf("two lead, the second one with number %d", l.Number())
	case err := <-c.failed:
		t.Fatal(err)
	case <-time.After(300 * time.Millisecond):
	}
}

func oneLeads(t *testing.T, p Place) {
	last := int64(0)
	first := lead(t, p.Elector())
	campaigns := []*campaign{
		begin(t.Context(), p.Elector()), begin(t.Context(), p.Elector()), begin(t.Context(), p.Elector()),
	}
	for i := range campaigns {
		require.Greater(t, first.Number(), last)
		last = first.Number()
		for _, c := range campaigns[i:] {
			c.waits(t)
		}
		requireLeads(t, first)
		require.NoError(t, first.Resign(t.Context()))
		first = winner(t, campaigns, i)
	}
	require.Greater(t, first.Number(), last)
	require.NoError(t, first.Resign(t.Context()))
}

// winner returns the leadership of the campaign that wins, and puts that campaign at index i.
func winner(t *testing.T, campaigns []*campaign, i int) elect.Leadership {
	t.Helper()
	cases := []reflect.SelectCase{{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(time.After(patience))}}
	for _, c := range campaigns[i:] {
		cases = append(cases,
			reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(c.elected)},
			reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(c.failed)})
	}
	chosen, event, _ := reflect.Select(cases)
	if chosen == 0 {
		t.Fatal("nobody is elected")
	}
	l, elected := event.Interface().(elect.Leadership)
	if !elected {
		t.Fatal(event)
	}
	j := i + (chosen-1)/2
	campaigns[i], campaigns[j] = campaigns[j], campaigns[i]
	return l
}

func resigns(t *testing.T, p Place) {
	first := lead(t, p.Elector())
	next := begin(t.Context(), p.Elector())
	next.waits(t)
	began := time.Now()
	require.NoError(t, first.Resign(t.Context()))
	requireOver(t, first)
	second := next.wins(t)
	require.Less(t, time.Since(began), elect.SessionLife/2, "it does not wait for the session")
	require.Greater(t, second.Number(), first.Number())
	require.NoError(t, first.Resign(t.Context()), "again")
	requireLeads(t, second)
	require.NoError(t, second.Resign(t.Context()))
}

func givesUp(t *testing.T, p Place) {
	e := p.Elector()
	first := lead(t, p.Elector())
	ctx, cancel := context.WithCancel(t.Context())
	second, third := begin(ctx, e), begin(t.Context(), p.Elector())
	second.waits(t)
	third.waits(t)
	cancel()
	select {
	case err := <-second.failed:
		require.ErrorIs(t, err, context.Canceled)
	case <-time.After(patience):
		t.Fatal("the campaign continues")
	}
	third.waits(t)
	require.NoError(t, first.Resign(t.Context()))
	l := third.wins(t)
	again := begin(t.Context(), e)
	again.waits(t)
	require.NoError(t, l.Resign(t.Context()))
	require.NoError(t, again.wins(t).Resign(t.Context()))
	_, err := e.Campaign(ctx, nil)
	require.ErrorIs(t, err, context.Canceled)
}

func losesItsSession(t *testing.T, p Place) {
	leader, other := p.Elector(), p.Elector()
	first := lead(t, leader)
	waiting := begin(t.Context(), other)
	waiting.waits(t)
	began := time.Now()
	p.Cut()
	requireOver(t, first)
	require.Less(t, time.Since(began), 2*elect.SessionLife, "nothing was heard for as long as a session lasts")
	select {
	case err := <-waiting.failed:
		require.Error(t, err)
	case l := <-waiting.elected:
		// The coordinator ended the leader's session first.
		require.Greater(t, l.Number(), first.Number())
		requireOver(t, l)
	case <-time.After(patience):
		t.Fatal("the campaign continues without contact")
	}
	require.NoError(t, first.Resign(t.Context()), "it is over")
	p.Heal()
	began = time.Now()
	again := lead(t, leader)
	require.Less(t, time.Since(began), elect.ContactLimit, "it does not wait for its own former session")
	require.Greater(t, again.Number(), first.Number())
	require.NoError(t, again.Resign(t.Context()))
}

func cannotReach(t *testing.T, p Place) {
	e := p.Elector()
	p.Cut()
	for range 2 {
		began := time.Now()
		_, err := e.Campaign(t.Context(), func() { t.Error("it is a candidate without contact") })
		require.Error(t, err)
		require.NotContains(t, err.Error(), "\n")
		require.Less(t, time.Since(began), elect.ContactLimit+3*time.Second)
	}
	p.Heal()
	require.NoError(t, lead(t, e).Resign(t.Context()))
}
