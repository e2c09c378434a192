package main

import "time"

// loadZone returns the time zone that a --zone flag names.
func loadZone(name string) (*time.Location, error) {
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, usagef("--zone is %q, must be a time zone such as Asia/Shanghai", name)
	}
	return zone, nil
}
