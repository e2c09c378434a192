package maintenance

import (
	"fmt"
	"log/slog"
)

// A need is an option that a service cannot work without.
type need struct {
	name    string
	missing bool
}

// check returns an error that names the first option that is missing. It gives a service without a
// logger slog's default one.
func check(logger **slog.Logger, needs ...need) error {
	for _, n := range needs {
		if n.missing {
			return fmt.Errorf("maintenance: %s is nil, must be set", n.name)
		}
	}
	if *logger == nil {
		*logger = slog.Default()
	}
	return nil
}

// checkNotNegative returns an error that names an option that is negative.
func checkNotNegative[T ~int | ~int64](name string, value T) error {
	if value < 0 {
		return fmt.Errorf("maintenance: %s is %v, must not be negative", name, value)
	}
	return nil
}
