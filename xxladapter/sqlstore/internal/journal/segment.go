package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// A journal is a sequence of files, its segments. A segment is a header followed by records, all
// numbers little endian:
//
//	header  magic, generation (8 bytes), number of its first record (8), CRC-32C of these (4)
//	record  length of the payload (4), CRC-32C of the record's number and the payload (4), payload
const (
	magic      = "xxlwheel journal 1\n"
	headerSize = len(magic) + 20
	frameSize  = 8
	// maxRecord limits a payload, in bytes, so that a damaged length is not taken for a long
	// record.
	maxRecord = 1 << 30
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// A segment is one file of a journal.
type segment struct {
	name  string
	place int64 // in the order of the segments
	first int64 // the number of its first record
}

// A header is the beginning of a segment.
type header struct {
	generation uint64
	first      int64
}

func (h header) encode() []byte {
	buf := []byte(magic)
	buf = binary.LittleEndian.AppendUint64(buf, h.generation)
	buf = binary.LittleEndian.AppendUint64(buf, uint64(h.first))
	return binary.LittleEndian.AppendUint32(buf, crc32.Checksum(buf, castagnoli))
}

// errTorn means that a segment was not created completely. It has no record then.
var errTorn = errors.New("has no whole header")

func decodeHeader(data []byte) (header, error) {
	if len(data) < headerSize {
		return header{}, errTorn
	}
	body, sum := data[:headerSize-4], binary.LittleEndian.Uint32(data[headerSize-4:headerSize])
	switch {
	case crc32.Checksum(body, castagnoli) == sum:
	case len(data) > headerSize: // a record follows, so the header was on disk
		return header{}, errors.New("has a damaged header")
	default:
		return header{}, errTorn
	}
	if string(body[:len(magic)]) != magic {
		return header{}, errors.New("is no journal of this version")
	}
	return header{
		generation: binary.LittleEndian.Uint64(body[len(magic):]),
		first:      int64(binary.LittleEndian.Uint64(body[len(magic)+8:])),
	}, nil
}

// frame appends the record with a number to buf.
func frame(buf []byte, number int64, payload []byte) []byte {
	buf = binary.LittleEndian.AppendUint32(buf, uint32(len(payload)))
	buf = binary.LittleEndian.AppendUint32(buf, checksum(number, payload))
	return append(buf, payload...)
}

func checksum(number int64, payload []byte) uint32 {
	var n [8]byte
	binary.LittleEndian.PutUint64(n[:], uint64(number))
	return crc32.Update(crc32.Checksum(n[:], castagnoli), castagnoli, payload)
}

// unframe splits the first record off data. ok is false if data does not begin with the whole
// record of that number.
func unframe(data []byte, number int64) (payload, rest []byte, ok bool) {
	if len(data) < frameSize {
		return nil, data, false
	}
	n := int64(binary.LittleEndian.Uint32(data))
	if n == 0 || n > maxRecord || int64(len(data)-frameSize) < n {
		return nil, data, false
	}
	payload = data[frameSize : frameSize+n]
	if checksum(number, payload) != binary.LittleEndian.Uint32(data[4:]) {
		return nil, data, false
	}
	return payload, data[frameSize+n:], true
}

// list returns the segments of the journal whose files begin with prefix, in order. It does not
// read the files, so first is not set.
func list(prefix string) ([]segment, error) {
	entries, err := os.ReadDir(filepath.Dir(prefix))
	if err != nil {
		return nil, err
	}
	var found []segment
	for _, e := range entries {
		rest, ok := strings.CutPrefix(e.Name(), filepath.Base(prefix))
		place, err := strconv.ParseInt(rest, 10, 64)
		if ok && err == nil && place > 0 && strconv.FormatInt(place, 10) == rest {
			found = append(found, segment{name: prefix + rest, place: place})
		}
	}
	slices.SortFunc(found, func(a, b segment) int { return int(a.place - b.place) })
	return found, nil
}

// nameOf returns the name of the segment at a place.
func nameOf(prefix string, place int64) string { return fmt.Sprintf("%s%d", prefix, place) }

// syncDir makes what was created, renamed and removed in a directory durable. Windows flushes no
// directory that is open for reading; NTFS logs such changes, in order, with those of the files in
// it.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}
