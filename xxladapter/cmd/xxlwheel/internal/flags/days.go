package flags

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Days is a time span on the command line: a Go duration, or a number of days such as 30d.
type Days time.Duration

// UnmarshalText reads the span.
func (d *Days) UnmarshalText(text []byte) error {
	if number, ok := strings.CutSuffix(string(text), "d"); ok {
		n, err := strconv.Atoi(number)
		if err != nil || n > 100_000 || n < -100_000 {
			return fmt.Errorf("is %q, must be a number of days such as 30d", text)
		}
		*d = Days(n) * Days(24*time.Hour)
		return nil
	}
	// A zero or negative number needs no unit, as in XXL-JOB's logretentiondays.
	if n, err := strconv.Atoi(string(text)); err == nil && n <= 0 {
		*d = Days(n)
		return nil
	}
	span, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("is %q, must be a span such as 30d or 12h", text)
	}
	*d = Days(span)
	return nil
}
