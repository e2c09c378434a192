package journal

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
)

// read reads all segments and calls replay for each record. size is the length of the last segment
// up to the end of its last whole record, and next is the number after the last record.
func read(
	opts Options, replay func(number int64, record []byte) error,
) (segments []segment, size, next int64, err error) {
	found, err := list(opts.Prefix)
	if err != nil {
		return nil, 0, 0, err
	}
	for i, s := range found {
		data, err := os.ReadFile(s.name)
		if err != nil {
			return nil, 0, 0, err
		}
		h, err := decodeHeader(data)
		if errors.Is(err, errTorn) && i == len(found)-1 {
			break // a crash interrupted its creation; Open creates it again
		}
		switch {
		case err != nil:
			return nil, 0, 0, fmt.Errorf("journal %s %w", s.name, err)
		case h.generation != opts.Generation:
			return nil, 0, 0, fmt.Errorf("journal %s belongs to another store, or to an older copy of this one", s.name)
		case i > 0 && s.place != found[i-1].place+1:
			return nil, 0, 0, fmt.Errorf("journal %s is missing", nameOf(opts.Prefix, found[i-1].place+1))
		case i > 0 && h.first < next && i == len(found)-1 && len(data) == headerSize:
			return segments, size, next, nil // its creation failed, and the file before it continued
		case i > 0 && h.first != next:
			return nil, 0, 0, fmt.Errorf("journal %s begins with record %d, must begin with %d", s.name, h.first, next)
		}
		if s.first = h.first; next < s.first {
			next = s.first
		}
		segments = append(segments, s)
		rest := data[headerSize:]
		for len(rest) > 0 {
			payload, after, ok := unframe(rest, next)
			if !ok {
				if i < len(found)-1 && (i < len(found)-2 || !leftOver(found[i+1].name, next)) {
					return nil, 0, 0, fmt.Errorf("journal %s is damaged at %d", s.name, len(data)-len(rest))
				}
				opts.Logger.Warn("journal ends in a torn or damaged record, which is dropped with what follows",
					"file", s.name, "at", len(data)-len(rest), "dropped_bytes", len(rest))
				return segments, int64(len(data) - len(rest)), next, nil
			}
			if err := replay(next, payload); err != nil {
				return nil, 0, 0, fmt.Errorf("journal %s, record %d: %w", s.name, next, err)
			}
			rest, next = after, next+1
		}
		size = int64(len(data) - len(rest))
	}
	return segments, size, next, nil
}

// leftOver reports whether the creation of the last segment failed, so that it has no record: its
// header is incomplete, or it should begin with a record that the segment before it has, whole or
// torn. next is the number after the last whole record there.
func leftOver(name string, next int64) bool {
	data, err := os.ReadFile(name)
	if err != nil {
		return false
	}
	h, err := decodeHeader(data)
	return errors.Is(err, errTorn) || err == nil && len(data) == headerSize && h.first <= next
}

// Verify returns an error unless the journal is undamaged and has the records after oldest up to
// newest.
func Verify(opts Options, oldest, newest int64) error {
	opts.Logger = slog.New(slog.DiscardHandler) // Open logs what read would log here
	segments, _, next, err := read(opts, func(int64, []byte) error { return nil })
	switch {
	case err != nil:
		return err
	case len(segments) == 0:
		return fmt.Errorf("there is no %s*", opts.Prefix)
	case segments[0].first > oldest+1:
		return fmt.Errorf(
			"%s begins with record %d, must begin with %d or before", segments[0].name, segments[0].first, oldest+1,
		)
	case next <= newest:
		return fmt.Errorf(
			"%s ends with record %d, must end with %d or later", segments[len(segments)-1].name, next-1, newest,
		)
	}
	return nil
}
