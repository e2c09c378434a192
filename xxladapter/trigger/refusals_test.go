package trigger

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// TestRefusedFiresAreAllOfferedAgain compares refusals with a plain list of what was refused: apps
// get room and lose it at random, and a reader reads page after page, from the position that next
// returns. No fire is taken while an earlier one of its app is refused, and in the end none is.
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
			key := laneApp{0, int64(app)}
			if r.precede(key, f) {
				r.refuse(key, f)
				refused[f.ID] = true
				return false
			}
			if room[app] > 0 {
				room[app]--
				delete(refused, f.ID)
				for _, other := range waiting {
					require.False(t, appOf(other) == app && refused[other.ID] && other.ID < f.ID, "seed %d", seed)
				}
				return true
			}
			r.refuse(key, f)
			r.noRoomFor(key)
			refused[f.ID] = true
			return false
		}
		becomeDue := func() {
			ids++
			f := xxladapter.Fire{ID: ids, JobID: rnd.Int64N(apps), Due: time.UnixMilli(ids / 2)}
			if !offer(f) {
				waiting = append(waiting, f)
			}
		}
		// offerAgain offers up to limit fires from a position on.
		offerAgain := func(from position, limit int) {
			page := waiting[:0:0]
			for _, f := range waiting {
				if positionOf(f).compare(from) >= 0 && len(page) < limit {
					page = append(page, f)
				}
			}
			if rnd.IntN(2) == 0 {
				becomeDue() // and the reader has not seen it
			}
			var last *position
			if len(page) == limit {
				at := positionOf(page[limit-1])
				last = &at
			}
			r.offered(from, last)
			for _, f := range page {
				if offer(f) {
					waiting = slices.DeleteFunc(waiting, func(w xxladapter.Fire) bool { return w.ID == f.ID })
				}
			}
		}
		for range 300 {
			switch rnd.IntN(3) {
			case 0:
				becomeDue()
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
				offerAgain(from, 1+rnd.IntN(5))
			}
		}
		// With room for all of them they are all found.
		for app := range apps {
			room[app] = 1000
			r.roomFor(laneApp{0, int64(app)})
		}
		for from, ok := r.next(); ok; from, ok = r.next() {
			offerAgain(from, 1000)
		}
		require.Empty(t, refused, "seed %d", seed)
		require.Empty(t, r.of)
	}
}

// TestAnAppThatIsRefusedIsNotAskedFor checks that the refused fires of an app are read again only
// when the app has room.
func TestAnAppThatIsRefusedIsNotAskedFor(t *testing.T) {
	var r refusals
	fire := func(id int64) xxladapter.Fire { return xxladapter.Fire{ID: id, Due: time.UnixMilli(id)} }
	hangs, answers := laneApp{0, 1}, laneApp{0, 2}
	for id := range int64(100) {
		r.refuse(hangs, fire(id))
		r.noRoomFor(hangs)
	}
	r.refuse(answers, fire(50))
	_, ok := r.next()
	require.False(t, ok)
	r.roomFor(answers)
	from, ok := r.next()
	require.True(t, ok)
	require.Equal(t, position{50, 50}, from)
	last := positionOf(fire(60))
	r.offered(from, &last)
	_, ok = r.next()
	require.False(t, ok)
	require.Len(t, r.of, 1)
}

// TestARefusalCostsNoMemory checks further refusals of an app, of which an overload has thousands
// in each sweep.
func TestARefusalCostsNoMemory(t *testing.T) {
	var r refusals
	app, due := laneApp{0, 1}, time.UnixMilli(0)
	r.refuse(app, xxladapter.Fire{ID: 1, Due: due})
	id := int64(1)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		id++
		r.refuse(app, xxladapter.Fire{ID: id, Due: due})
	}))
}
