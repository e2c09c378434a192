// Package recorded reads the exchanges between programs of XXL-JOB and this project that stand in
// wire/testdata/recorded; the README of wire/testdata says who wrote what. The tests of wire, admin
// and executor use it; it knows nothing of the protocol, which they test.
package recorded

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An Exchange is a request and its reply, byte by byte as they went over the wire.
type Exchange struct {
	Release   string        // of XXL-JOB, such as "3.4.2"
	Direction string        // who wrote the request, and to whom: the name of a folder
	Kind      string        // what the request is, and what is special about it
	Sent      []byte        // the whole request
	Request   *http.Request // Sent, parsed; Body has its body
	Body      []byte
	Status    int    // of the reply
	Reply     []byte // the body of the reply
}

// String names the exchange in the messages of tests.
func (e Exchange) String() string { return e.Release + " " + e.Direction + " " + e.Kind }

// All reads the exchanges of each release and direction below folder, in the order of their names.
func All(t testing.TB, folder string) (all []Exchange) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*", "*", "*.http"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatalf("%s has no recorded exchanges", folder)
	}
	for _, file := range files {
		all = append(all, read(t, file))
	}
	return all
}

// One reads a single exchange below folder.
func One(t testing.TB, folder, release, direction, kind string) Exchange {
	t.Helper()
	return read(t, filepath.Join(folder, release, direction, kind+".http"))
}

func read(t testing.TB, file string) Exchange {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	e, err := parse(data)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	e.Kind = strings.TrimSuffix(filepath.Base(file), ".http")
	e.Direction = filepath.Base(filepath.Dir(file))
	e.Release = filepath.Base(filepath.Dir(filepath.Dir(file)))
	return e
}

// parse splits an exchange where the body of the request ends.
func parse(data []byte) (e Exchange, err error) {
	left := bytes.NewReader(data)
	b := bufio.NewReader(left)
	if e.Request, err = http.ReadRequest(b); err != nil {
		return e, err
	}
	if e.Body, err = io.ReadAll(e.Request.Body); err != nil {
		return e, err
	}
	e.Sent = data[:len(data)-left.Len()-b.Buffered()]
	reply, err := http.ReadResponse(b, e.Request)
	if err != nil {
		return e, err
	}
	defer reply.Body.Close()
	e.Status = reply.StatusCode
	e.Reply, err = io.ReadAll(reply.Body)
	return e, err
}
