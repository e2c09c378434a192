package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/node"
)

// createdTogether is how many jobs bulk creates in one transaction.
const createdTogether = 500

// bulk measures how long edits of all jobs take: creation through the store, as an import does it,
// and then calls of the API.
func bulk(ctx context.Context, out io.Writer, p plan) (err error) {
	o, err := open(ctx, p)
	if err != nil {
		return err
	}
	defer o.cleanUp()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	n, err := node.New(node.Options{Store: o.Store, Logger: logger})
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	var server errgroup.Group
	server.Go(func() error { return n.Serve(serving, ln) })
	defer func() {
		stop()
		err = errors.Join(err, server.Wait())
	}()

	var figures []figure
	measure := func(name string, act func() error) error {
		begun := time.Now()
		err := act()
		figures = append(figures, figure{time.Since(begun).Seconds(), name + "-s"})
		return err
	}
	if err := measure("create", func() error { return createAll(ctx, o, p.jobs) }); err != nil {
		return err
	}
	for _, call := range []struct{ name, body string }{
		{"start", `{"action":"start","filter":{"all":true}}`},
		{"change", `{"action":"change","filter":{"all":true},"change":{"author":"bulk"}}`},
		{"reschedule", `{"action":"change","filter":{"all":true},"change":{"scheduleConf":"0 0 4 * * ?"}}`},
		{"stop", `{"action":"stop","filter":{"all":true}}`},
		{"delete", `{"action":"delete","filter":{"all":true}}`},
	} {
		err := measure(call.name, func() error { return callBulk(ctx, ln.Addr().String(), call.body, p.jobs) })
		if err != nil {
			return fmt.Errorf("%s: %w", call.name, err)
		}
	}
	printFigures(out, "Bulk", p, figures...)
	return nil
}

// createAll creates n jobs as a caller of the API does: with versions and rows in the audit.
func createAll(ctx context.Context, o *opened, n int) error {
	group, err := addGroup(ctx, o, nowhere)
	if err != nil {
		return err
	}
	ctx = xxladapter.WithCall(
		xxladapter.WithActor(ctx, xxladapter.Actor{Kind: xxladapter.ActorCommand, Name: "load"}), "load bulk",
	)
	edits := make([]xxladapter.JobEdit, n)
	for i := range edits {
		j := newJob(group, xxladapter.ScheduleCron, "0 0 3 * * ?")
		j.Name = fmt.Sprintf("job %d", i)
		edits[i] = xxladapter.JobEdit{Act: xxladapter.ActCreate, Job: j}
	}
	for part := range slices.Chunk(edits, createdTogether) {
		if _, err := o.EditJobs(ctx, part, true); err != nil {
			return err
		}
	}
	return nil
}

// callBulk makes a bulk call and checks that it succeeded for all jobs.
func callBulk(ctx context.Context, addr, body string, jobs int) error {
	r, err := http.NewRequestWithContext(
		ctx, http.MethodPost, "http://"+addr+"/api/v1/jobs/bulk", bytes.NewReader([]byte(body)),
	)
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(answer.Body)
		return fmt.Errorf("%s: %s", answer.Status, text)
	}
	var last struct {
		Done      bool
		Succeeded int
	}
	lines := bufio.NewScanner(answer.Body)
	for lines.Scan() {
		if err := json.Unmarshal(lines.Bytes(), &last); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	if !last.Done || last.Succeeded != jobs {
		return fmt.Errorf("%d of %d jobs succeeded", last.Succeeded, jobs)
	}
	return nil
}
