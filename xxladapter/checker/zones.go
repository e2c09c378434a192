package checker

import (
	"fmt"
	"sync"
	"time"
)

// zones caches the loaded zones, as thousands of jobs share one.
var zones sync.Map // name to *time.Location

// loadZone returns the zone with an IANA name, or UTC for the empty name.
func loadZone(name string) (*time.Location, error) {
	if name == "" {
		return time.UTC, nil
	}
	if z, ok := zones.Load(name); ok {
		return z.(*time.Location), nil
	}
	z, err := time.LoadLocation(name)
	if err != nil || name == "Local" {
		return nil, fmt.Errorf("checker: zone is %q, must be an IANA name such as Asia/Shanghai", name)
	}
	zones.Store(name, z)
	return z, nil
}
