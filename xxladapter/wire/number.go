package wire

import (
	"bytes"
	"fmt"
	"strconv"
)

// An Int is an integer as Gson reads one: a JSON integer, a float without a fraction, either of
// these in a string, or null for 0. It is encoded as a plain integer.
type Int int64

// UnmarshalJSON refuses everything else, including integers beyond 64 bits.
func (i *Int) UnmarshalJSON(data []byte) error {
	text := bytes.TrimSpace(data)
	if string(text) == "null" {
		*i = 0
		return nil
	}
	if len(text) >= 2 && text[0] == '"' {
		text = text[1 : len(text)-1]
		// Hexadecimal floats, which strconv takes, are refused.
		if bytes.ContainsAny(text, "xXpP_") {
			return fmt.Errorf("%.40s is not an integer", data)
		}
	}
	if n, err := strconv.ParseInt(string(text), 10, 64); err == nil {
		*i = Int(n)
		return nil
	}
	f, err := strconv.ParseFloat(string(text), 64)
	// Above 2^53 a float no longer shows whether it was an integer.
	if err != nil || f != float64(int64(f)) || f > 1<<53 || f < -1<<53 {
		return fmt.Errorf("%.40s is not an integer", data)
	}
	*i = Int(f)
	return nil
}
