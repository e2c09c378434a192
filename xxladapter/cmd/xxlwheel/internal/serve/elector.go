package serve

import (
	"context"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/flags"
	"github.com/xxlwheel/xxlwheel/xxladapter/elect"
	"github.com/xxlwheel/xxlwheel/xxladapter/elect/etcd"
	"github.com/xxlwheel/xxlwheel/xxladapter/elect/zookeeper"
)

// electorFlags name a coordinator that elects the leader.
type electorFlags struct {
	Elector flags.Secret `placeholder:"URL" help:"Coordinator that elects the leader of --scheduling leader: etcd://[USER:PASSWORD@]HOST:PORT[,HOST:PORT]/PATH or zookeeper://..., or etcds:// and zookeepers:// for TLS with the authorities of --tls-ca, or @FILE that contains it (default: none, the store elects)."`
}

// check refuses flags that cannot be used, before anything is opened.
func (f *electorFlags) check(scheduling string) error {
	if f.Elector == "" {
		return nil
	}
	if scheduling != string(xxladapter.SchedulingLeader) {
		return command.Usagef("--elector needs --scheduling leader")
	}
	if _, err := elect.ParseAddress(string(f.Elector)); err != nil {
		return command.Usagef("--elector: %v", err)
	}
	return nil
}

// connect connects a scheduler to the coordinator under a name. It returns nil without --elector.
func (f *electorFlags) connect(ctx context.Context, name, ca string) (elect.Elector, error) {
	if f.Elector == "" {
		return nil, nil
	}
	address, err := elect.ParseAddress(string(f.Elector))
	if err != nil {
		return nil, command.Usagef("--elector: %v", err)
	}
	trusted, err := access.ClientTLS(ca)
	if err != nil {
		return nil, command.Usagef("--tls-ca: %v", err)
	}
	if address.TLS != nil && trusted != nil {
		address.TLS = trusted
	}
	// A nil pointer must not get into the interface.
	if address.Scheme == "zookeeper" {
		e, err := zookeeper.New(ctx, address, name)
		if err != nil {
			return nil, err
		}
		return e, nil
	}
	e, err := etcd.New(ctx, address, name)
	if err != nil {
		return nil, err
	}
	return e, nil
}
