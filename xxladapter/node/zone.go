package node

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// agreeZone returns an error if the other schedulers of the store read schedules in another time
// zone: each would compute the next times differently. It retries while the store does not answer.
func agreeZone(ctx context.Context, opts *Options) error {
	mine := ZoneName(opts.Zone)
	for ctx.Err() == nil {
		agreed, err := opts.Store.AgreeZone(ctx, mine)
		if err == nil && sameZone(agreed, mine) {
			return nil
		}
		if err == nil {
			return xxladapter.Conflictf(errorrule.ZoneAgreed,
				"%s is %s, must be %s as the store's schedulers have agreed; xxlwheel migrate --zone changes it "+
					"while none of them runs",
				"zone", mine, agreed)
		}
		if ctx.Err() != nil {
			return nil
		}
		opts.Logger.Error("zone not compared with the store's", "err", err)
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
	return nil
}

// ZoneName returns the name of a zone that other machines know; nil and time.Local are this
// machine's zone. If that has no known name, it is named by its present offset, such as UTC+05:30.
func ZoneName(zone *time.Location) string {
	if zone == nil {
		zone = time.Local
	}
	if name := zone.String(); name != "Local" {
		return name
	}
	return localName(os.LookupEnv, os.Readlink)
}

func localName(env func(string) (string, bool), readlink func(string) (string, error)) string {
	if name, set := env("TZ"); set {
		name = strings.TrimPrefix(name, ":")
		if name == "" {
			return "UTC"
		}
		if _, err := time.LoadLocation(name); err == nil && name != "Local" {
			return name
		}
	}
	if path, err := readlink("/etc/localtime"); err == nil {
		if _, name, found := strings.Cut(path, "zoneinfo/"); found {
			if _, err := time.LoadLocation(name); err == nil {
				return name
			}
		}
	}
	return "UTC" + time.Now().Format("-07:00")
}

// sameZone reports whether clocks show the same time in two zones, which may be one zone with two
// names.
func sameZone(a, b string) bool {
	if a == b {
		return true
	}
	one, err1 := load(a)
	two, err2 := load(b)
	if err1 != nil || err2 != nil {
		return false
	}
	// Every hour is compared, since neighbouring zones change their clocks within hours of each
	// other.
	for t := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC); t.Year() < 2030; t = t.Add(time.Hour) {
		_, first := t.In(one).Zone()
		if _, second := t.In(two).Zone(); first != second {
			return false
		}
	}
	return true
}

// load parses a name that [ZoneName] returned.
func load(name string) (*time.Location, error) {
	if t, err := time.Parse("UTC-07:00", name); err == nil {
		_, offset := t.Zone()
		return time.FixedZone(name, offset), nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("zone %q: %w", name, err)
	}
	return zone, nil
}
