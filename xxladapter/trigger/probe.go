package trigger

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// A Probe holds what a call finds out about an executor.
type Probe struct {
	// Generation names the executor's protocol: G1 to G4 as in package wire, or "xxlwheel", whose
	// replies fit all of them. Empty means that the replies do not show it.
	Generation string
	RoundTrip  time.Duration // of the call that asked whether it lives
}

// Probe calls an executor and finds out what it is, without starting or ending anything there. A
// beat identifies G1; the refusal of a call without an app name identifies G4; the others differ in
// how they answer for a log that does not exist.
func (c *Client) Probe(ctx context.Context, addr, appName string) (Probe, error) {
	begun := time.Now()
	reply, err := c.call(ctx, addr, appName, wire.PathBeat, nil)
	p := Probe{RoundTrip: time.Since(begun)}
	switch {
	case err != nil:
		return p, err
	case reply.Code != wire.CodeOK:
		return p, fmt.Errorf("%s%s: code %d: %s", addr, wire.PathBeat, reply.Code, reply.Msg)
	case reply.Msg == "":
		p.Generation = "G1"
		return p, nil
	}
	appName, token := c.sent(ctx, addr, appName)
	deadline := time.Now().Add(c.timeout)
	answer, err := c.post(ctx, deadline, addr, "", token, wire.PathBeat, []byte(`""`))
	if err != nil {
		return p, nil // it is alive, and its generation unknown
	}
	if reply, err = wire.DecodeReply(answer.Body); err == nil && strings.HasPrefix(reply.Msg, wire.PrefixNoAppName) {
		p.Generation = "G4"
		return p, nil
	}
	// Log ids begin at 1. The time is today's, because some executors make the folder of the day
	// that they are asked for.
	req, err := json.Marshal(wire.LogRequest{LogTime: wire.Int(time.Now().UnixMilli()), FromLine: 1})
	if err != nil {
		return p, err
	}
	answer, err = c.post(ctx, deadline, addr, appName, token, wire.PathLog, req)
	var keys struct{ Content, Data json.RawMessage }
	if err != nil || json.Unmarshal(answer.Body, &keys) != nil {
		return p, nil
	}
	switch {
	case keys.Content != nil && keys.Data != nil:
		p.Generation = "xxlwheel"
	case keys.Content != nil:
		p.Generation = "G2"
	case keys.Data != nil:
		p.Generation = "G3"
	}
	return p, nil
}
