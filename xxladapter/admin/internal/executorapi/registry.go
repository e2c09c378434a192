package executorapi

import (
	"context"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

func (s *Server) register(ctx context.Context, by access.Caller, body []byte) (any, error) {
	reg, err := registration(by, body)
	if err != nil {
		return nil, err
	}
	if err := s.checkKey(ctx, reg.Key); err != nil {
		return nil, err
	}
	if err := s.opts.Addresses.CheckURL("registryValue", reg.Value); err != nil {
		return nil, err
	}
	if at, queued := xxladapter.ParseQueueAddress(reg.Value); queued && (at.App != reg.Key || at.Instance == "") {
		return nil, xxladapter.Invalidf(errorrule.RegistryQueue,
			"%s is %q, must be nats://app/name with the app of registryKey",
			"registryValue", reg.Value)
	}
	return nil, s.opts.Registry.Register(ctx, reg.Key, reg.Value)
}

// checkKey refuses an app name that is not valid for a group, unless another tool has created a
// group with it.
func (s *Server) checkKey(ctx context.Context, key string) error {
	invalid := xxladapter.CheckAppName("registryKey", key)
	if invalid == nil {
		return nil
	}
	if known, err := s.opts.Groups.HasApp(ctx, key); err != nil || known {
		return err
	}
	return invalid
}

func (s *Server) unregister(ctx context.Context, by access.Caller, body []byte) (any, error) {
	reg, err := registration(by, body)
	if err != nil {
		return nil, err
	}
	return nil, s.opts.Registry.Unregister(ctx, reg.Key, reg.Value)
}

func registration(by access.Caller, body []byte) (wire.Registry, error) {
	var reg wire.Registry
	if err := decodeBody(body, &reg); err != nil {
		return reg, err
	}
	reg.Group, reg.Key, reg.Value = strings.TrimSpace(reg.Group), strings.TrimSpace(reg.Key),
		strings.TrimSpace(reg.Value)
	switch {
	case reg.Group == "" || reg.Key == "" || reg.Value == "":
		return reg, xxladapter.Invalidf(errorrule.Illegal, wire.MsgIllegal)
	case reg.Group != wire.RegistryGroup:
		return reg, xxladapter.Invalidf(errorrule.OneOf, "%s is %q, must be %s",
			"registryGroup", reg.Group, wire.RegistryGroup)
	case !by.May(reg.Key):
		return reg, xxladapter.Invalidf(errorrule.RegistryApp, "%s is %q, must be the app that the access token is for",
			"registryKey", reg.Key)
	}
	return reg, nil
}
