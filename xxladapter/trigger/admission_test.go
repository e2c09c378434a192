package trigger

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// taken takes the items that may go now, and returns their apps in order.
func taken(a *admission[int]) (apps []int64) {
	for {
		_, app, ok := a.next()
		if !ok {
			return apps
		}
		apps = append(apps, app)
	}
}

func offerMany(a *admission[int], app int64, n int) (admitted int) {
	for i := range n {
		if a.offer(app, i) {
			admitted++
		}
	}
	return admitted
}

func TestHowManyPlacesGreedyAppsGet(t *testing.T) {
	tests := []struct {
		name                  string
		places, queue, perApp int
		greedy                int // apps, each with more than fits
		each                  int // places of the first of them
		left                  int // places that the next app still finds
	}{
		{"one alone gets half", 200, 1000, 0, 1, 100, 100},
		{"two leave a quarter", 90, 10_000, 0, 2, 45, 22}, // the second comes when 45 are left
		{"one place", 1, 10, 0, 1, 1, 0},
		{"a bound of its own", 200, 1000, 30, 1, 30, 170},
		{"a bound above the share", 200, 1000, 300, 1, 100, 100},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := newAdmission[int](tt.places, tt.queue, tt.perApp)
			for app := range tt.greedy {
				offerMany(a, int64(app), tt.places)
				taken(a)
			}
			require.Equal(t, tt.each, a.apps[0].inFlight)
			require.Equal(t, tt.left, tt.places-a.inFlight)
		})
	}
}

func TestAGreedyAppLeavesRoomInTheQueue(t *testing.T) {
	a := newAdmission[int](1, 100, 0)
	require.Equal(t, 50, offerMany(a, 1, 1000))
	require.Equal(t, 25, offerMany(a, 2, 1000))
	require.True(t, a.offer(3, 0))
}

func TestAppsTakeTurnsAndKeepTheirOrder(t *testing.T) {
	a := newAdmission[int](100, 100, 0)
	offerMany(a, 1, 4)
	offerMany(a, 2, 2)
	offerMany(a, 3, 1)
	require.Equal(t, []int64{1, 2, 3, 1, 2, 1, 1}, taken(a))

	a = newAdmission[int](1, 100, 0)
	offerMany(a, 1, 3)
	for want := range 3 {
		item, app, ok := a.next()
		require.True(t, ok)
		require.Equal(t, want, item)
		_, _, ok = a.next()
		require.False(t, ok, "the place is taken")
		a.finish(app)
	}
	require.Empty(t, a.apps, "nothing is kept of an app that has nothing")
}

func TestAnAppAtItsBoundDoesNotHoldUpTheNext(t *testing.T) {
	a := newAdmission[int](10, 100, 2)
	offerMany(a, 1, 5)
	offerMany(a, 2, 1)
	require.Equal(t, []int64{1, 2, 1}, taken(a))
	a.finish(2)
	require.Empty(t, taken(a))
	a.finish(1)
	require.Equal(t, []int64{1}, taken(a))
}

func TestRoomIsReportedOnceAndNotForASinglePlace(t *testing.T) {
	a := newAdmission[int](1, 60, 0)
	require.Equal(t, 30, offerMany(a, 1, 31))
	require.Empty(t, a.takeRoom())
	for a.waiting > 20 {
		require.Empty(t, a.takeRoom(), "%d wait", a.waiting)
		_, app, ok := a.next()
		require.True(t, ok)
		a.finish(app)
	}
	require.NotEmpty(t, a.takeRoom())
	require.Empty(t, a.takeRoom(), "told once")
	taken(a)
	require.Empty(t, a.takeRoom(), "nobody was refused since")

	a = newAdmission[int](1, 1, 0)
	require.True(t, a.offer(1, 0))
	require.False(t, a.offer(2, 0), "for all there is one place, and it is taken")
	taken(a)
	require.NotEmpty(t, a.takeRoom(), "also for an app that has nothing in the queue")
}

func TestDropEmptiesTheQueueAndNothingElse(t *testing.T) {
	a := newAdmission[int](2, 100, 0)
	offerMany(a, 1, 3)
	offerMany(a, 2, 2)
	_, app, _ := a.next()
	require.Len(t, a.drop(), 4)
	require.Empty(t, taken(a))
	require.Len(t, a.apps, 1)
	a.finish(app)
	require.Empty(t, a.apps)
	require.Zero(t, a.inFlight+a.waiting)
}

// TestAdmissionKeepsItsBounds compares an admission with plain lists of what is where.
func TestAdmissionKeepsItsBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		places, queue := rapid.IntRange(1, 20).Draw(t, "places"), rapid.IntRange(1, 40).Draw(t, "queue")
		a := newAdmission[int](places, queue, rapid.IntRange(0, 8).Draw(t, "per app"))
		waiting, inFlight := map[int64][]int{}, map[int64]int{}
		app := rapid.Int64Range(0, 4)
		count, serial := func() (n int) {
			for _, items := range waiting {
				n += len(items)
			}
			return n
		}, 0
		t.Repeat(map[string]func(*rapid.T){
			"offer": func(t *rapid.T) {
				id := app.Draw(t, "app")
				room := len(waiting[id]) < queue-count()
				serial++
				require.Equal(t, room, a.offer(id, serial))
				if room {
					waiting[id] = append(waiting[id], serial)
				}
			},
			"next": func(t *rapid.T) {
				total := 0
				for _, n := range inFlight {
					total += n
				}
				item, id, ok := a.next()
				if !ok {
					for id, items := range waiting {
						if len(items) > 0 && inFlight[id] < min(a.perApp, places-total) {
							t.Fatalf("app %d has %d waiting and %d in flight, and may not go", id, len(items), inFlight[id])
						}
					}
					return
				}
				require.Less(t, inFlight[id], min(a.perApp, places-total))
				require.Equal(t, waiting[id][0], item)
				waiting[id] = waiting[id][1:]
				inFlight[id]++
			},
			"finish": func(t *rapid.T) {
				id := app.Draw(t, "app")
				if inFlight[id] == 0 {
					t.Skip("nothing to finish")
				}
				inFlight[id]--
				a.finish(id)
			},
			"": func(t *rapid.T) {
				require.Equal(t, count(), a.waiting)
				require.LessOrEqual(t, a.inFlight, places)
				require.LessOrEqual(t, a.waiting, queue)
				for id := range int64(5) {
					_, known := a.apps[id]
					require.Equal(t, len(waiting[id])+inFlight[id] > 0, known)
				}
			},
		})
	})
}
