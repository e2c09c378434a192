package wheel

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A transcript lists the calls of one wheel's methods, and the answers. Lines that begin with # are
// comments; an answer is indented by a tab below its question:
//
//	hashed N, layered N  a new wheel with N buckets, or N in its finest layer
//	add NAME TICK        the location: bucket/index, bucket ! for what is overdue
//	remove NAME
//	due NAME             the tick under which NAME is filed
//	collect TICK [ROOM]  what is handed over or "nothing"; "more" if there was no room for all
//	next, size
//	drain, shrink
//
// An entry that a call moves to another location is reported below that call.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Equal(t, string(want), replay(t, string(want)))
		})
	}
}

// replay makes the calls of a transcript again and returns the transcript with the new answers.
func replay(t *testing.T, transcript string) string {
	var out strings.Builder
	answer := func(format string, args ...any) { fmt.Fprintf(&out, "\t"+format+"\n", args...) }
	var w Wheel[string]
	at := map[string]Location{}
	moved := func(e string, l Location) {
		at[e] = l
		answer("%s moved to %v", e, place(l))
	}
	for line := range strings.Lines(transcript) {
		if strings.HasPrefix(line, "\t") {
			continue
		}
		out.WriteString(line)
		var question, name string
		var n uint64
		switch fields := strings.Fields(line); {
		case len(fields) == 0 || fields[0] == "#":
			continue
		default:
			question = fields[0]
		}
		scan := func(into ...any) {
			_, err := fmt.Sscan(strings.TrimPrefix(line, question), into...)
			require.NoError(t, err, line)
		}
		switch question {
		case "hashed", "layered":
			scan(&n)
			w = New(int(n), question == "layered", moved)
			clear(at)
		case "add":
			scan(&name, &n)
			at[name] = w.Add(n, name)
			answer("%v", place(at[name]))
		case "remove":
			scan(&name)
			w.Remove(at[name])
		case "due":
			scan(&name)
			answer("%d", w.DueAt(at[name]))
		case "collect":
			room := 100
			if len(strings.Fields(line)) == 3 {
				scan(&n, &room)
			} else {
				scan(&n)
			}
			due, done := w.Collect(n, make([]string, 0, room))
			if !done {
				due = append(due, "more")
			}
			if len(due) == 0 {
				due = []string{"nothing"}
			}
			answer("%s", strings.Join(due, " "))
		case "next":
			if next := w.Next(); next == Never {
				answer("never")
			} else {
				answer("%d", next)
			}
		case "size":
			answer("%d", w.Size())
		case "drain":
			var all []string
			w.Drain(func(e string) { all = append(all, e) })
			slices.Sort(all)
			answer("%s", strings.Join(all, " "))
		case "shrink":
			w.Shrink()
		default:
			t.Fatalf("unknown question: %s", line)
		}
	}
	return out.String()
}

// place formats a location.
func place(l Location) string {
	if l.Bucket == overdueBucket {
		return fmt.Sprintf("!/%d", l.Index)
	}
	return fmt.Sprintf("%d/%d", l.Bucket, l.Index)
}
