package redisstore

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore"
)

// joined returns the records of a batch in one text, each behind its length: a batch is one entry
// of the stream.
func joined(records [][]byte) []byte {
	size := 0
	for _, record := range records {
		size += binary.MaxVarintLen32 + len(record)
	}
	text := make([]byte, 0, size)
	for _, record := range records {
		text = append(binary.AppendUvarint(text, uint64(len(record))), record...)
	}
	return text
}

// entriesOf returns the entries that a script answers as XRANGE does.
func entriesOf(found []any, err error) ([]redis.XMessage, error) {
	if err != nil {
		return nil, err
	}
	entries := make([]redis.XMessage, 0, len(found))
	for _, one := range found {
		parts, _ := one.([]any)
		if len(parts) != 2 {
			return nil, fmt.Errorf("redis answered an entry of %d parts, must be 2", len(parts))
		}
		id, _ := parts[0].(string)
		fields, _ := parts[1].([]any)
		values := make(map[string]any, len(fields)/2)
		for i := 0; i+1 < len(fields); i += 2 {
			name, _ := fields[i].(string)
			values[name] = fields[i+1]
		}
		entries = append(entries, redis.XMessage{ID: id, Values: values})
	}
	return entries, nil
}

// eachOf calls each with the records of an entry whose numbers are above after, and returns the
// number of the last one. It returns [sqlstore.ErrLogGap] if record after+1 is missing.
func eachOf(entry redis.XMessage, after int64, each func(number int64, record []byte) error) (int64, error) {
	last, err := strconv.ParseInt(strings.TrimSuffix(entry.ID, "-0"), 10, 64)
	if err != nil {
		return after, fmt.Errorf("%w: entry %s has no number", sqlstore.ErrLogGap, entry.ID)
	}
	count, _ := entry.Values["n"].(string)
	text, _ := entry.Values["r"].(string)
	n, err := strconv.ParseInt(count, 10, 64)
	if err != nil || n < 1 || last-n > after {
		return after, fmt.Errorf(
			"%w: record %d is missing, entry %s of %q records follows", sqlstore.ErrLogGap, after+1, entry.ID, count,
		)
	}
	rest := []byte(text)
	for number := last - n + 1; number <= last; number++ {
		size, read := binary.Uvarint(rest)
		if read <= 0 || size > uint64(len(rest)-read) {
			return after, fmt.Errorf("%w: record %d of entry %s is cut off", sqlstore.ErrLogGap, number, entry.ID)
		}
		record := rest[read : read+int(size)]
		rest = rest[read+int(size):]
		if number <= after {
			continue // the tables have it
		}
		if err := each(number, record); err != nil {
			return after, err
		}
		after = number
	}
	return after, nil
}
