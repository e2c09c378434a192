package main

import (
	"errors"
	"net"
	"net/http"
	"time"
)

// A distant server answers each request later than the handler behind it, as an executor behind a
// slow network does. The delay takes no processor.
type distant struct {
	url    string
	server http.Server
	ended  chan error
}

// newDistant serves a handler on a free port until close is called.
func newDistant(h http.Handler, delay time.Duration) (*distant, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	d := &distant{url: "http://" + ln.Addr().String(), ended: make(chan error, 1)}
	d.server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(delay) // what is measured
		h.ServeHTTP(w, r)
	})
	go func() { d.ended <- d.server.Serve(ln) }() // close waits for it
	return d, nil
}

// close ends the server and waits for it.
func (d *distant) close() error {
	err := d.server.Close()
	if ended := <-d.ended; !errors.Is(ended, http.ErrServerClosed) {
		err = errors.Join(err, ended)
	}
	return err
}
