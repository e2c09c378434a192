package main

import (
	"bytes"
	"context"
	"encoding/gob"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/executor"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// A receipt is one run as its executor saw it.
type receipt struct {
	Job int64
	At  int64 // when the handler began, in microseconds since 1970
}

// receipts hold what an executor can see of any scheduler: the runs that it got, and how many of
// their results were acknowledged.
type receipts struct {
	mu           sync.Mutex // guards the fields below
	Runs         []receipt
	Acknowledged int
}

func (r *receipts) handle(_ context.Context, run *executor.Run) error {
	at := time.Now().UnixMicro()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Runs = append(r.Runs, receipt{Job: run.JobID, At: at})
	return nil
}

// client returns a client that counts the results that are acknowledged through it.
func (r *receipts) client() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 16 // more than an executor has in flight at once
	return &http.Client{Transport: acknowledgements{r, transport}}
}

// write stores the receipts in a file, for readReceipts.
func (r *receipts) write(file string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	return errors.Join(gob.NewEncoder(f).Encode(r), f.Close())
}

func readReceipts(file string) (*receipts, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := new(receipts)
	return r, gob.NewDecoder(f).Decode(r)
}

// acknowledgements looks into callbacks and their answers.
type acknowledgements struct {
	to   *receipts
	next http.RoundTripper
}

func (a acknowledgements) RoundTrip(req *http.Request) (*http.Response, error) {
	if !strings.HasSuffix(req.URL.Path, "/"+wire.OpCallback) || req.GetBody == nil {
		return a.next.RoundTrip(req)
	}
	sent, err := req.GetBody()
	if err != nil {
		return nil, errors.Join(err, req.Body.Close())
	}
	var results []json.RawMessage
	err = json.NewDecoder(sent).Decode(&results)
	if err := errors.Join(err, sent.Close()); err != nil {
		return nil, errors.Join(err, req.Body.Close())
	}
	resp, err := a.next.RoundTrip(req)
	if err != nil {
		return resp, err
	}
	answer, err := io.ReadAll(resp.Body)
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(answer))
	var reply wire.Reply
	if json.Unmarshal(answer, &reply) == nil && reply.Code == wire.CodeOK {
		a.to.mu.Lock()
		a.to.Acknowledged += len(results)
		a.to.mu.Unlock()
	}
	return resp, nil
}
