package checker_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/checker"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// at returns the instant ms milliseconds after noon.
func at(ms int) checker.Instant { return checker.At(noon.Add(time.Duration(ms) * time.Millisecond)) }

// A job for every second is started at noon. One of its runs is missing.
func ExampleCheck() {
	h := &checker.History{
		Changes: []checker.Change{
			{Job: 7, Op: checker.OpCreate, Asked: at(-500), Acked: at(-400), Type: xxladapter.ScheduleCron, Conf: "* * * * * ?"},
			{Job: 7, Op: checker.OpStart, Asked: at(0), Acked: at(12)},
		},
		End: at(6000),
	}
	for log, due := range []int{1000, 2000, 4000, 5000} {
		h.Runs = append(h.Runs, checker.Run{Job: 7, Log: int64(log + 1), Due: at(due), At: at(due + 3), Start: at(due + 4), End: at(due + 20), Code: 200})
	}
	report := checker.Check(h, checker.Options{})
	fmt.Println("clean:", report.Clean())
	fmt.Print(report)

	// Output:
	// clean: false
	// NOT CLEAN: 1 jobs, 4 runs, 6 due times until 2026-03-01T12:00:06.000Z: 2 matched, 2 optional and 1 open, 0 misfired in 0 records, 0 refused; latest 3ms after its due time; epsilon 2s
	// 1 missed
	//
	// missed: job 7 (CRON * * * * * ?): due 2026-03-01T12:00:03.000Z, no run came until 2026-03-01T12:00:05.000Z
	//   run    log 2 due 2026-03-01T12:00:02.000Z arrived 2026-03-01T12:00:02.003Z (3ms) ended 2026-03-01T12:00:02.020Z with 200
	//   run    log 3 due 2026-03-01T12:00:04.000Z arrived 2026-03-01T12:00:04.003Z (3ms) ended 2026-03-01T12:00:04.020Z with 200
	//   record {"kind":"change","job":7,"op":"start","asked":1772366400000,"acked":1772366400012}
}

// A test driver and an executor each record to a file, and the files are judged together.
func ExampleCheckFiles() {
	dir, err := os.MkdirTemp("", "history")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	files := []string{filepath.Join(dir, "driver"), filepath.Join(dir, "executor")}

	driver, err := checker.OpenRecorder(files[0])
	if err != nil {
		panic(err)
	}
	defer driver.Close()
	_ = driver.Change(checker.Change{Job: 7, Op: checker.OpCreate, Asked: at(-500), Acked: at(-400), Type: xxladapter.ScheduleOnce, Conf: "2026-03-01T12:00:01Z"})
	_ = driver.Change(checker.Change{Job: 7, Op: checker.OpStart, Asked: at(0), Acked: at(12)})

	executor, err := checker.OpenRecorder(files[1])
	if err != nil {
		panic(err)
	}
	defer executor.Close()
	n, _ := executor.Run(checker.Run{Job: 7, Log: 1, Due: at(1000), At: at(1004)})
	_ = executor.End(n, at(1030).Time(), xxladapter.ResultOK)

	_ = driver.Final(noon.Add(time.Minute))

	clean, err := checker.CheckFiles(context.Background(), files, checker.Options{}, os.Stdout)
	fmt.Println(clean, err)

	// Output:
	// CLEAN: 1 jobs, 1 runs, 1 due times until 2026-03-01T12:01:00.000Z: 1 matched, 0 optional and 0 open, 0 misfired in 0 records, 0 refused; latest 4ms after its due time; epsilon 2s
	// true <nil>
}

// A history can be written by hand, or by programs in any language.
func ExampleRead() {
	f, err := os.Open(filepath.Join("testdata", "example.jsonl"))
	if err != nil {
		panic(err)
	}
	defer f.Close()
	h, err := checker.Read(f)
	if err != nil {
		panic(err)
	}
	fmt.Print(checker.Check(h, checker.Options{Epsilon: time.Second}))

	// Output:
	// NOT CLEAN: 2 jobs, 4 runs, 2 due times until 2026-03-01T12:01:00.000Z: 2 matched, 0 optional and 0 open, 0 misfired in 0 records, 0 refused; latest 21ms after its due time; epsilon 1s
	// 1 after stop
	//
	// after stop: job 7 (CRON 0/10 * * * * ? Europe/Berlin): log 4 came at 2026-03-01T12:00:30.007Z, after the stop that was acknowledged at 2026-03-01T12:00:25.060Z
	//   run    log 4 due 2026-03-01T12:00:30.000Z arrived 2026-03-01T12:00:30.007Z (7ms) did not start, by e1
	//   run    log 2 due 2026-03-01T12:00:20.000Z arrived 2026-03-01T12:00:20.021Z (21ms) ended 2026-03-01T12:00:20.050Z with 200, by e1
	//   record {"kind":"change","job":7,"op":"stop","asked":1772366425000,"acked":1772366425060}
}
