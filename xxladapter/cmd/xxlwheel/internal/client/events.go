package client

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Events calls each with the data of every server-sent event of a stream, until the stream ends or
// each returns an error. last is the id of the last event, from which the stream continues, and
// connected becomes true with the first answer. A refusal sets connected to false.
//
// The format is that of the HTML Living Standard, 9.2.6; an event here has one line of data.
func (c API) Events(
	ctx context.Context, path string, last *string, connected *bool, each func(data []byte) error,
) error {
	c.Patient, c.LastEvent = true, *last
	resp, err := c.Send(ctx, http.MethodGet, path, nil)
	if err != nil {
		var refusal *Error
		*connected = *connected && !errors.As(err, &refusal)
		return err
	}
	defer resp.Body.Close()
	*connected = true
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		field, value, _ := strings.Cut(lines.Text(), ": ")
		switch field {
		case "id":
			*last = value
		case "data":
			if err := each([]byte(value)); err != nil {
				return err
			}
		}
	}
	if err := lines.Err(); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read events: %w", err)
	}
	return nil
}
