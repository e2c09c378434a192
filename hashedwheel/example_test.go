package hashedwheel_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/hashedwheel"
)

func Example() {
	timer, err := hashedwheel.New(hashedwheel.Options{TickDuration: time.Millisecond})
	if err != nil {
		panic(err)
	}
	defer timer.Stop()

	cancelled := timer.AfterFunc(time.Minute, func() { fmt.Println("never printed") })
	fmt.Println("cancelled:", cancelled.Stop())

	done := make(chan struct{})
	timer.AfterFunc(20*time.Millisecond, func() {
		fmt.Println("fired")
		close(done)
	})
	<-done
	// Output:
	// cancelled: true
	// fired
}

// The request is a struct of the program and contains its own timeout.
func ExampleHashedWheelTimer_Init() {
	timer, _ := hashedwheel.New(hashedwheel.Options{TickDuration: time.Millisecond})
	defer timer.Stop()

	r := &request{id: 7, expired: make(chan int, 1)}
	timer.Init(&r.timeout, r)

	r.timeout.Reset(time.Minute)                                  // armed
	fmt.Println("answered in time:", r.timeout.Stop())            // cancelled
	fmt.Println("was pending:", r.timeout.Reset(time.Minute))     // armed again
	fmt.Println("was pending:", r.timeout.Reset(time.Nanosecond)) // and moved
	fmt.Println("expired:", <-r.expired)
	// Output:
	// answered in time: true
	// was pending: false
	// was pending: true
	// expired: 7
}

type request struct {
	id      int
	timeout hashedwheel.Timeout
	expired chan int
}

func (r *request) Run(*hashedwheel.Timeout) { r.expired <- r.id }

// Heartbeats: a peer that says nothing for a period is gone.
func ExampleHashedWheelTimer_NewIdle() {
	timer, _ := hashedwheel.New(hashedwheel.Options{TickDuration: time.Millisecond})
	defer timer.Stop()

	gone := make(chan string)
	idle, err := timer.NewIdle(50*time.Millisecond, func(m *hashedwheel.IdleMember) {
		gone <- m.Value.(string)
	})
	if err != nil {
		panic(err)
	}
	var peer hashedwheel.IdleMember
	peer.Value = "peer 1"
	if err := idle.Add(&peer); err != nil {
		panic(err)
	}
	peer.Touch() // on every message
	fmt.Println("gone:", <-gone)
	// Output:
	// gone: peer 1
}

// ExampleNewIdleOf gives each session its own period. The value needs no type assertion.
func ExampleNewIdleOf() {
	timer, _ := hashedwheel.New(hashedwheel.Options{TickDuration: time.Millisecond})
	defer timer.Stop()

	type session struct{ user string }
	gone := make(chan string)
	idle, err := hashedwheel.NewIdleOf(timer, time.Hour, func(m *hashedwheel.IdleMemberOf[session]) {
		gone <- m.Value.user
	})
	if err != nil {
		panic(err)
	}
	member := hashedwheel.IdleMemberOf[session]{Value: session{user: "guest"}}
	if err := idle.AddPeriod(&member, 10*time.Minute); err != nil {
		panic(err)
	}
	fmt.Println("period:", member.Period())
	_ = member.SetPeriod(20 * time.Millisecond) // counts as a touch
	fmt.Println("gone:", <-gone)
	idle.Stop() // the timer continues
	fmt.Println(idle.Add(&member))
	// Output:
	// period: 10m0s
	// gone: guest
	// hashedwheel: idle stopped
}

// The time that remains until a timeout fires is time.Until of its deadline.
func ExampleTimeout_Due() {
	timer, _ := hashedwheel.New(hashedwheel.Options{})
	defer timer.Stop()
	t := timer.AfterFunc(time.Hour, func() {})
	fmt.Println("minutes left:", time.Until(t.Due()).Round(time.Minute))
	t.Stop()
	fmt.Println("pending:", !t.Due().IsZero())
	// Output:
	// minutes left: 1h0m0s
	// pending: false
}

// A wrapped connection is used in place of the plain one, and still has CloseWrite.
func ExampleConnIdle_Wrap() {
	timer, _ := hashedwheel.New(hashedwheel.Options{TickDuration: time.Millisecond})
	defer timer.Stop()
	watch, err := timer.NewConnIdle(hashedwheel.ConnIdleOptions{Writer: time.Minute})
	if err != nil {
		panic(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	defer listener.Close()
	go func() {
		plain, err := listener.Accept()
		if err != nil {
			return
		}
		conn, err := watch.Wrap(plain)
		if err != nil {
			_ = plain.Close() // the timer is full or has stopped
			return
		}
		defer conn.Close()
		_, _ = io.Copy(conn, strings.NewReader("hello"))
		if half, ok := conn.(interface{ CloseWrite() error }); ok {
			_ = half.CloseWrite() // the wrapped connection has it because a *net.TCPConn has it
		}
	}()
	client, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		panic(err)
	}
	defer client.Close()
	got, _ := io.ReadAll(client)
	fmt.Println(string(got))
	// Output: hello
}

// A TCP server closes connections that have read and written nothing for 500ms.
func ExampleHashedWheelTimer_NewConnIdle() {
	timer, _ := hashedwheel.New(hashedwheel.Options{TickDuration: time.Millisecond})
	defer timer.Stop()
	watch, err := timer.NewConnIdle(hashedwheel.ConnIdleOptions{All: 500 * time.Millisecond})
	if err != nil {
		panic(err)
	}

	plain, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	listener := watch.Listener(plain)
	defer listener.Close()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() { // an echo server
				defer conn.Close()
				_, _ = io.Copy(conn, conn)
			}()
		}
	}()

	client, err := net.Dial("tcp", plain.Addr().String())
	if err != nil {
		panic(err)
	}
	defer client.Close()
	_, _ = client.Write([]byte("hello"))
	answer := make([]byte, 5)
	_, _ = io.ReadFull(client, answer)
	fmt.Println(string(answer))
	_, err = client.Read(answer) // silence
	fmt.Println("closed by the server:", errors.Is(err, io.EOF))
	// Output:
	// hello
	// closed by the server: true
}

// http.Server on a watched listener: no deadline is set for a request.
func ExampleConnIdle_Listener() {
	timer, _ := hashedwheel.New(hashedwheel.Options{TickDuration: time.Millisecond})
	defer timer.Stop()
	watch, err := timer.NewConnIdle(hashedwheel.ConnIdleOptions{Reader: time.Minute})
	if err != nil {
		panic(err)
	}
	plain, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "hello")
	})}
	go server.Serve(watch.Listener(plain))
	defer server.Close()

	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Get("http://" + plain.Addr().String())
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	body, _ := io.ReadAll(response.Body)
	fmt.Println(string(body))
	// Output: hello
}

// Delayed messages: a Batch delivers payloads to one function, with no closure for each.
func ExampleNewBatch() {
	done := make(chan struct{})
	orders, err := hashedwheel.NewBatch(
		hashedwheel.Options{TickDuration: time.Millisecond},
		func(due []int64) {
			fmt.Println("cancel unpaid orders", due)
			close(done)
		})
	if err != nil {
		panic(err)
	}
	defer orders.Stop()
	paid, _ := orders.Add(1001, time.Minute)
	_, _ = orders.Add(1002, 20*time.Millisecond)
	fmt.Println("paid:", orders.Cancel(paid))
	<-done
	// Output:
	// paid: true
	// cancel unpaid orders [1002]
}

func ExampleHashedWheelTimer_Every() {
	timer, _ := hashedwheel.New(hashedwheel.Options{TickDuration: time.Millisecond})
	defer timer.Stop()
	beats := make(chan struct{}, 1)
	heartbeat := timer.Every(10*time.Millisecond, func() {
		select {
		case beats <- struct{}{}:
		default: // the previous beat has not been received
		}
	})
	<-beats
	<-beats
	fmt.Println("stopped:", heartbeat.Cancel())
	// Output: stopped: true
}

func ExampleHashedWheelTimer_WithTimeout() {
	timer, _ := hashedwheel.New(hashedwheel.Options{TickDuration: time.Millisecond})
	defer timer.Stop()
	ctx, cancel := timer.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	<-ctx.Done()
	fmt.Println(ctx.Err())
	// Output: context deadline exceeded
}
