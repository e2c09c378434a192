package flags

import (
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
)

// Zone returns the time zone that a --zone flag names.
func Zone(name string) (*time.Location, error) {
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, command.Usagef("--zone is %q, must be a time zone such as Asia/Shanghai", name)
	}
	return zone, nil
}
