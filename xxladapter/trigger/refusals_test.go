package trigger

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// TestRefusedFiresAreAllOfferedAgain compares refusals with a plain list of what was refused: apps
// get room and lose it at random, and a reader reads page after page, from the position that next
// returns.
func TestRefusedFiresAreAllOfferedAgain(t *testing.T) {
	const apps = 3
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 5))
		var (
			r       refusals
			waiting []xxladapter.Fire // planned, in their order
			refused = map[int64]bool{}
			room    [apps]int
			ids     int64
		)
		appOf := func(f xxladapter.Fire) int { return int(f.JobID) }
		offer := func(f xxladapter.Fire) (taken bool) {
			app := appOf(f)
			if room[app] > 0 {
				room[app]--
				delete(refused, f.ID)
				return true
			}
			r.refuse(laneApp{0, int64(app)}, f)
			refused[f.ID] = true
			return false
		}
		for range 300 {
			switch rnd.IntN(3) {
			case 0: // a fire becomes due
				ids++
				f := xxladapter.Fire{ID: ids, JobID: rnd.Int64N(apps), Due: time.UnixMilli(ids / 2)}
				if !offer(f) {
					waiting = append(waiting, f)
				}
			case 1: // an app has room
				app := rnd.IntN(apps)
				room[app] += rnd.IntN(4)
				if room[app] > 0 {
					r.roomFor(laneApp{0, int64(app)})
				}
			case 2: // somebody looks
				from, ok := r.next()
				if !ok {
					continue
				}
				limit, left := 1+rnd.IntN(5), waiting[:0:0]
				var last *place
				for _, f := range waiting {
					at := placeOf(f)
					if at.compare(from) < 0 || limit == 0 {
						left = append(left, f)
						continue
					}
					if limit--; limit == 0 {
						last = &at
					}
					if !offer(f) {
						left = append(left, f)
					}
				}
				waiting = left
				r.offered(from, last)
			}
		}
		// With room for all of them they are all found.
		for app := range apps {
			room[app] = 1000
			r.roomFor(laneApp{0, int64(app)})
		}
		for from, ok := r.next(); ok; from, ok = r.next() {
			left := waiting[:0:0]
			for _, f := range waiting {
				if placeOf(f).compare(from) < 0 || !offer(f) {
					left = append(left, f)
				}
			}
			waiting = left
			r.offered(from, nil)
		}
		require.Empty(t, refused, "seed %d", seed)
		require.Empty(t, r.of)
	}
}

// TestAnAppThatIsRefusedIsNotAskedFor checks that only the room of an app makes others read its
// fires again.
func TestAnAppThatIsRefusedIsNotAskedFor(t *testing.T) {
	var r refusals
	fire := func(id int64) xxladapter.Fire { return xxladapter.Fire{ID: id, Due: time.UnixMilli(id)} }
	hangs, answers := laneApp{0, 1}, laneApp{0, 2}
	for id := range int64(100) {
		r.refuse(hangs, fire(id))
	}
	r.refuse(answers, fire(50))
	_, ok := r.next()
	require.False(t, ok)
	r.roomFor(answers)
	from, ok := r.next()
	require.True(t, ok)
	require.Equal(t, place{50, 50}, from)
	last := placeOf(fire(60))
	r.offered(from, &last)
	_, ok = r.next()
	require.False(t, ok)
	require.Len(t, r.of, 1)
}
