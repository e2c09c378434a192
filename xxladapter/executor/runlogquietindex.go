package executor

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"strconv"
)

// A quietIndex says in which parts of a day's file of quiet logs the log of a run may be, so that
// reading one log does not read the whole day. It is built by reading the file, and extended as the
// file grows.
//
// Log ids mostly grow from line to line, so few parts of the file have a given id between their
// lowest and their highest.
type quietIndex struct {
	day   string
	parts []quietPart // in the order of the file, without gaps
}

// A quietPart is a sequence of whole lines of the file, at [begin, end).
type quietPart struct {
	begin, end      int64
	lowest, highest int64 // of the log ids; lowest is above highest while there is none
}

// quietPartSize is the smallest size of a part, except the last one. A day of 500 runs a second
// fills about 250,000 parts; larger parts make each read slower, smaller ones make the index
// larger.
const quietPartSize = 32 << 10

// end returns the position up to which the file is indexed.
func (x *quietIndex) end() int64 {
	if len(x.parts) == 0 {
		return 0
	}
	return x.parts[len(x.parts)-1].end
}

// add indexes the next line.
//
// REQUIRES: size includes its line end.
func (x *quietIndex) add(line []byte, size int64) {
	last := len(x.parts) - 1
	if last < 0 || x.parts[last].end-x.parts[last].begin >= quietPartSize {
		x.parts = append(
			x.parts, quietPart{begin: x.end(), end: x.end(), lowest: math.MaxInt64, highest: math.MinInt64},
		)
		last++
	}
	p := &x.parts[last]
	p.end += size
	digits, _, _ := bytes.Cut(line, []byte(" "))
	if id, err := strconv.ParseInt(string(digits), 10, 64); err == nil { // else a crash cut the line
		p.lowest, p.highest = min(p.lowest, id), max(p.highest, id)
	}
}

// extend indexes all whole lines of f that are not indexed yet.
func (x *quietIndex) extend(f *os.File) error {
	if _, err := f.Seek(x.end(), io.SeekStart); err != nil {
		return err
	}
	in := bufio.NewReaderSize(f, 64<<10)
	for {
		begin, err := in.ReadSlice('\n')
		size := int64(len(begin))
		line := append([]byte(nil), begin[:min(len(begin), 32)]...) // at least its log id
		for errors.Is(err, bufio.ErrBufferFull) {
			var more []byte
			more, err = in.ReadSlice('\n')
			size += int64(len(more))
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		x.add(line, size)
	}
}

// with returns the parts that may contain the log, the newest first.
func (x *quietIndex) with(logID int64) (parts []quietPart) {
	for i := len(x.parts) - 1; i >= 0; i-- {
		if p := x.parts[i]; p.lowest <= logID && logID <= p.highest {
			parts = append(parts, p)
		}
	}
	return parts
}
