package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"runtime/metrics"
	"runtime/pprof"
	"time"
)

// watchHeap watches the memory of this process until ctx ends. It then writes to file the heap
// profile of the collection that left the most live memory. It prints the maxima of the live heap,
// of the memory that Go held, and of the whole process. The last two differ by the program itself
// and by SQLite, whose memory Go does not know.
func watchHeap(ctx context.Context, out io.Writer, file string) error {
	samples := []metrics.Sample{
		{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/released:bytes"},
	}
	var live, held uint64
	var whole int64
	var profile bytes.Buffer
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		metrics.Read(samples)
		held = max(held, samples[1].Value.Uint64()-samples[2].Value.Uint64())
		whole = max(whole, resident())
		if l := samples[0].Value.Uint64(); l > live {
			live = l
			profile.Reset()
			if err := pprof.WriteHeapProfile(&profile); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			fmt.Fprintf(
				out, "# live heap %d MiB, held by Go %d MiB, resident %d MiB, each at most\n", live>>20, held>>20,
				whole>>20,
			)
			return os.WriteFile(file, profile.Bytes(), 0o644)
		case <-tick.C:
		}
	}
}
