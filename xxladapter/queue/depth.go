package queue

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/nats-io/nats.go/jetstream"
)

// Depths returns how many runs lie in the queue, by app. Apps without any are left out.
func (c *Conn) Depths(ctx context.Context) (map[string]int64, error) {
	ctx, cancel := context.WithTimeout(ctx, connectLimit)
	defer cancel()
	stream, err := c.js.Stream(ctx, c.names.stream())
	if err != nil {
		return nil, fmt.Errorf("look into queue %s: %w", c.shown, err)
	}
	info, err := stream.Info(ctx, jetstream.WithSubjectFilter(c.names.runs()))
	if err != nil {
		return nil, fmt.Errorf("look into queue %s: %w", c.shown, err)
	}
	depths := map[string]int64{}
	for subject, n := range info.State.Subjects {
		if app, ok := c.names.appOf(subject); ok {
			depths[app] += int64(n)
		}
	}
	return depths, nil
}

// appOf returns the app whose runs have a subject.
func (n names) appOf(subject string) (string, bool) {
	rest, ok := strings.CutPrefix(subject, strings.TrimSuffix(n.runs(), ">"))
	token, _, _ := strings.Cut(rest, ".")
	app, err := url.PathUnescape(token)
	return app, ok && err == nil && app != ""
}
