package hashedwheel

import (
	"math"
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// Tasks of every shape that Go has for a value in an interface.
type (
	intTask            int
	emptyTask          struct{}
	structTask         struct{ a, b string }
	chanTask           chan int
	arrayTask          [1]*int
	genericTask[T any] struct{ x T }
)

func (intTask) Run(*Timeout)               {}
func (emptyTask) Run(*Timeout)             {}
func (structTask) Run(*Timeout)            {}
func (chanTask) Run(*Timeout)              {}
func (chanTask) Cancelled(*Timeout)        {}
func (arrayTask) Run(*Timeout)             {}
func (genericTask[T]) Run(*Timeout)        {}
func (*genericTask[T]) Cancelled(*Timeout) {}

func TestTaskComesBackAsItWas(t *testing.T) {
	w := newTestTimer(t, Options{})
	tasks := []TimerTask{
		intTask(0), intTask(7), intTask(math.MaxInt), emptyTask{}, structTask{"a", "b"}, chanTask(nil), make(chanTask, 1),
		arrayTask{new(int)}, genericTask[int]{1}, &genericTask[int]{1}, genericTask[string]{"x"}, &genericTask[string]{"x"},
		(*periodicTask)(nil),
	}
	handles := make([]Timeout, len(tasks))
	for round := range 2 { // first seen, and known
		for i, task := range tasks {
			w.Init(&handles[i], task)
		}
		for i, task := range tasks {
			require.Equal(t, task, handles[i].Task(), "round %d", round)
			_, tells := task.(canceller)
			require.Equal(t, tells, handles[i].load()&notify != 0, "%T", task)
		}
	}
	require.Nil(t, new(Timeout).Task())
}

// Many types share the places where a type is looked for first.
func TestTaskTypesDoNotGetMixedUp(t *testing.T) {
	const types = 300
	var (
		table  taskTypeTable
		places [types][64 << 5]byte // apart by as much as makes them share one place
		all    sync.WaitGroup
	)
	seen := make([][types]taskType, 8)
	for g := range seen {
		all.Go(func() {
			for range 3 {
				for i := range types {
					i = (i + 37*g) % types
					seen[g][i] = table.of(unsafe.Pointer(&places[i]), emptyTask{})
				}
			}
		})
	}
	all.Wait()
	numbers := map[taskType]bool{}
	for i, k := range seen[0] {
		require.NotZero(t, k)
		require.Equal(t, unsafe.Pointer(&places[i]), table.info(k).table)
		numbers[k] = true
		for g := range seen {
			require.Equal(t, k, seen[g][i])
		}
	}
	require.Len(t, numbers, types)
}

// A goroutine has one number, which is not 0 and no other's.
func TestGoroutineID(t *testing.T) {
	id := goroutineID()
	require.NotZero(t, id, "stack traces of this release begin otherwise")
	require.Equal(t, id, goroutineID())
	other := make(chan uint64)
	go func() { other <- goroutineID() }()
	require.NotContains(t, []uint64{0, id}, <-other)
}

// When the runtime's traces do not tell the goroutine, no goroutine is taken for a worker.
func TestStopWithoutGoroutineNumbers(t *testing.T) {
	require.Zero(t, parseGoroutineID([]byte("a goroutine, number 18")))
	require.Zero(t, parseGoroutineID(nil))
	require.EqualValues(t, 18, parseGoroutineID([]byte("goroutine 18 [running]:\nmain.main()")))
	w := newTestTimer(t, Options{})
	w.mu.workers[0] = new(worker)
	require.False(t, w.insideLocked(0))
	require.False(t, w.insideLocked(7))
	w.mu.workers[7] = new(worker)
	require.True(t, w.insideLocked(7))
}
