package xxladapter_test

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin"
	"github.com/xxlwheel/xxlwheel/xxladapter/executor"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/scheduler"
	"github.com/xxlwheel/xxlwheel/xxladapter/trigger"
	"golang.org/x/sync/errgroup"
)

// A scheduler inside a program: the same pieces that the command xxlwheel wires
// together, on a store in memory (sqlstore.OpenSQLite keeps it in a file), with
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
	over := trigger.NewHandOver(trigger.Options{Store: store, Sender: trigger.NewClient(trigger.ClientOptions{}), Node: "node-1", Logger: quiet})
	pool := trigger.NewPool(over, trigger.PoolOptions{Logger: quiet})
	sched, err := scheduler.New(scheduler.Options{Store: store, Pool: pool, Node: "node-1", Logger: quiet})
	if err != nil {
		panic(err)
	}
	server := &http.Server{Handler: admin.New(admin.Options{Store: store, Completer: over, JobChanged: sched.Wake, Logger: quiet})}

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
	id, err := store.CreateJob(ctx, job)
	if err != nil {
		panic(err)
	}
	if err := store.StartJob(ctx, id, time.Now().Add(time.Second)); err != nil {
		panic(err)
	}

	run, stop := context.WithCancel(ctx)
	var parts errgroup.Group
	parts.Go(func() error { return server.Serve(ln) })
	parts.Go(func() error { return exec.Run(run) })
	parts.Go(func() error { return pool.Run(run) })
	parts.Go(func() error { return sched.Run(run) })

	select {
	case greeting := <-greeted:
		fmt.Println(greeting)
	case <-ctx.Done():
		fmt.Println("nothing fired")
	}
	stop()
	_ = server.Close()
	_ = parts.Wait() // http.ErrServerClosed
	// Output: hello world
}
