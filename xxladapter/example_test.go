package xxladapter_test

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/executor"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/node"
)

// A scheduler inside a program, on a store in memory (sqlstore.OpenSQLite keeps it in a file), with
// an executor beside it.
func Example() {
	quiet := slog.New(slog.DiscardHandler)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}

	store := memstore.New(time.Now)
	scheduler, err := node.New(node.Options{Store: store, Logger: quiet})
	if err != nil {
		panic(err)
	}

	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	exec, err := executor.New(executor.Options{
		Admins: []string{"http://" + ln.Addr().String()}, AppName: "example", Listen: "127.0.0.1:0", DataDir: dir, Logger: quiet,
	})
	if err != nil {
		panic(err)
	}
	greeted := make(chan string, 1)
	if err := exec.Handle("greet", func(_ context.Context, run *executor.Run) error {
		select {
		case greeted <- "hello " + run.Param:
		default: // it fires every second, and one greeting is enough
		}
		return nil
	}); err != nil {
		panic(err)
	}

	group, err := store.SaveGroup(ctx, &xxladapter.Group{AppName: "example", Title: "example"})
	if err != nil {
		panic(err)
	}
	job := &xxladapter.Job{
		GroupID: group, Name: "greeting", Author: "me", Handler: "greet", Param: "world",
		ScheduleType: xxladapter.ScheduleCron, ScheduleConf: "* * * * * ?",
	}
	job.SetDefaults()
	id, err := xxladapter.CreateJob(ctx, store, job)
	if err != nil {
		panic(err)
	}
	first := func(now time.Time) time.Time { return now.Add(time.Second) }
	if _, err := xxladapter.StartJob(ctx, store, id, time.Time{}, first); err != nil {
		panic(err)
	}

	run, stop := context.WithCancel(ctx)
	var parts errgroup.Group
	parts.Go(func() error { return scheduler.Run(run, ln) })
	parts.Go(func() error { return exec.Run(run) })

	select {
	case greeting := <-greeted:
		fmt.Println(greeting)
	case <-ctx.Done():
		fmt.Println("nothing fired")
	}
	stop()
	if err := parts.Wait(); err != nil {
		panic(err)
	}
	// Output: hello world
}
