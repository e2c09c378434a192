package executor_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/executor"
	"github.com/xxlwheel/xxlwheel/xxladapter/queue"
)

// An application that runs jobs until it is interrupted.
func Example() {
	e, err := executor.New(executor.Options{
		Admins:      []string{"http://127.0.0.1:8080/xxl-job-admin"},
		AppName:     "orders",
		AccessToken: "a secret of your own",
	})
	if err != nil {
		log.Fatal(err)
	}
	err = e.Handle("closeOrders", func(ctx context.Context, run *executor.Run) error {
		run.Logger.Info("closing", "shop", run.Param)
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := e.Run(ctx); err != nil {
		log.Fatal(err)
	}
}

// A service that declares its job. The scheduler permits that with --allow-declare, and the token
// is that of the group orders.
func ExampleExecutor_Declare() {
	e, err := executor.New(executor.Options{
		Admins:      []string{"http://127.0.0.1:8080"},
		AppName:     "orders",
		AccessToken: "a secret of the group",
	})
	if err != nil {
		log.Fatal(err)
	}
	err = e.Handle("closeOrders", func(ctx context.Context, run *executor.Run) error { return nil })
	if err != nil {
		log.Fatal(err)
	}
	err = e.Declare(executor.Job{
		Key: "closeOrders", ScheduleType: xxladapter.ScheduleCron, ScheduleConf: "0 0 2 * * ?", Running: true,
		Timeout: 10 * time.Minute,
	})
	fmt.Println(err) // Run creates or changes the job
	// Output: <nil>
}

// A run as a scheduler would start it.
func ExampleExecutor_Handle() {
	dir, err := os.MkdirTemp("", "executor")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	e, err := executor.New(executor.Options{Listen: "127.0.0.1:0", DataDir: dir})
	if err != nil {
		log.Fatal(err)
	}
	done := make(chan struct{})
	err = e.Handle("greet", func(ctx context.Context, run *executor.Run) error {
		defer close(done)
		fmt.Printf("hello %s, shard %d of %d\n", run.Param, run.ShardIndex, run.ShardTotal)
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- e.Run(ctx) }()
	<-e.Ready()

	body := `{"jobId":1,"logId":1,"glueType":"BEAN","executorHandler":"greet","executorParams":"world","broadcastTotal":1}`
	w := httptest.NewRecorder()
	e.ServeHTTP(w, httptest.NewRequest(http.MethodPost, e.Address()+"run", strings.NewReader(body)))
	<-done
	fmt.Println(w.Body)
	stop()
	fmt.Println(<-ended)
	// Output:
	// hello world, shard 0 of 1
	// {"code":200,"msg":"Success"}
	// <nil>
}

// An executor that takes its runs from a broker, and needs no open port.
func ExampleBroker() {
	e, err := executor.New(executor.Options{
		Queue:       queue.At("nats://orders:password@10.0.0.5:4222", ""),
		AppName:     "orders",
		AccessToken: "a secret of your own",
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := e.Run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

// The executor inside a server that the application already has.
func ExampleExecutor_ServeHTTP() {
	e, err := executor.New(executor.Options{
		Admins:      []string{"http://127.0.0.1:8080"},
		AppName:     "orders",
		AccessToken: "a secret of your own",
		NoListen:    true,
		Address:     "http://10.0.0.7:80/jobs/",
	})
	if err != nil {
		log.Fatal(err)
	}
	http.Handle("/jobs/", http.StripPrefix("/jobs", e))
	go func() { log.Fatal(http.ListenAndServe(":80", nil)) }()
	if err := e.Run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

type orders struct{ region string }

func (o *orders) CloseOrders(ctx context.Context, run *executor.Run) error { return nil }
func (o *orders) ShipOrders(ctx context.Context, run *executor.Run) error  { return nil }

// Every method with the signature of a handler becomes one: closeOrders and shipOrders.
func ExampleExecutor_HandleMethods() {
	e, err := executor.New(executor.Options{Listen: "127.0.0.1:9999"})
	if err != nil {
		log.Fatal(err)
	}
	if err := e.HandleMethods(&orders{region: "north"}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(e.HandleMethods(&orders{}))
	// Output: executor: handler name "closeOrders" is taken
}
