package executor

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/queue/delivery"
)

// A Broker has the queue from which an executor can take runs. The errors do not show secrets.
type Broker interface {
	// Check returns an error if the queue can never be connected to. It opens nothing; [New] calls
	// it.
	Check() error
	// Connect connects an executor; [Executor.Run] calls it, and closes the connection.
	Connect(ctx context.Context, o delivery.Options) (delivery.Conn, error)
}

// checkQueue checks the options of a queue, which takes the place of Admins and Listen.
func (o *Options) checkQueue() error {
	switch {
	case o.QueuePlaces < 0:
		return invalid("QueuePlaces", o.QueuePlaces, "must not be negative")
	case o.Queue == nil:
		return nil
	case len(o.Admins) > 0:
		return errors.New("executor: Options.Queue and Admins are set, must be one of them")
	case o.Listen != "" || o.Address != "" || o.NoListen || o.TLSCert != "":
		return errors.New(
			"executor: Options.Queue is set with Listen, NoListen, Address or TLSCert; an executor with a queue does " +
				"not listen",
		)
	case o.AppName == "":
		return invalid("AppName", o.AppName, "must be set with Queue")
	}
	if err := o.Queue.Check(); err != nil {
		return fmt.Errorf("executor: Options.Queue: %w", err)
	}
	setZero(&o.QueuePlaces, 256)
	o.NoListen = true
	return nil
}

// connectQueue connects to the queue and sets the address. It returns nil without a queue.
func (e *Executor) connectQueue(ctx context.Context) (delivery.Conn, error) {
	if e.opts.Queue == nil {
		return nil, nil
	}
	name, err := instanceName(e.opts.DataDir)
	if err != nil {
		return nil, err
	}
	at := xxladapter.QueueAddress{App: e.opts.AppName, Instance: name}
	e.addr = at.String()
	conn, err := e.opts.Queue.Connect(
		ctx, delivery.Options{Executor: at, TLS: e.opts.clientTLS, Logger: e.opts.Logger},
	)
	if err != nil {
		return nil, fmt.Errorf("executor: %w", err)
	}
	return conn, nil
}

// instanceName returns the name of the executor, which lies in the data directory like the journal:
// a restarted executor continues with the runs that were sent to it. The host in it is for people.
func instanceName(dir string) (string, error) {
	path := filepath.Join(dir, "instance")
	data, err := os.ReadFile(path)
	if name := strings.TrimSpace(string(data)); err == nil && name != "" {
		if !xxladapter.IsQueueAddress("nats://app/" + name) {
			return "", fmt.Errorf(
				"executor: %s has %q, must have up to 64 letters, digits, hyphens and underscores", path, name,
			)
		}
		return name, nil
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("executor: read name: %w", err)
	}
	host, _ := os.Hostname() // without one the random part suffices
	odd := func(r rune) rune {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') {
			return '-'
		}
		return r
	}
	var random [4]byte
	_, _ = rand.Read(random[:]) // never fails
	name := fmt.Sprintf("%.40s-%s", strings.Map(odd, host), hex.EncodeToString(random[:]))
	if err := writeSynced(path+".new", []byte(name+"\n")); err != nil {
		return "", fmt.Errorf("executor: write name: %w", err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return "", fmt.Errorf("executor: write name: %w", err)
	}
	return name, syncDir(dir)
}
