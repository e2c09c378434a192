package hashedwheel

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func BenchmarkStartStop(b *testing.B) {
	w, err := New(Options{TickDuration: 10 * time.Millisecond})
	require.NoError(b, err)
	defer w.Stop()
	b.Run("embedded", func(b *testing.B) {
		var t Timeout
		w.Init(&t, plainFunc(func() {}))
		b.ReportAllocs()
		for b.Loop() {
			t.Reset(30 * time.Second)
			t.Stop()
		}
	})
	b.Run("allocating", func(b *testing.B) {
		b.ReportAllocs()
		f := func() {}
		for b.Loop() {
			w.AfterFunc(30*time.Second, f).Stop()
		}
	})
	b.Run("time", func(b *testing.B) {
		b.ReportAllocs()
		f := func() {}
		for b.Loop() {
			time.AfterFunc(30*time.Second, f).Stop()
		}
	})
}
