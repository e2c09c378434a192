package checker

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

func TestReadRefuses(t *testing.T) {
	const run = `{"kind":"run","job":1,"at":5,"by":"e","n":1}` + "\n"
	for _, test := range []struct{ text, want string }{
		// Not a flat object.
		{"hello", `line 1: is "hello", must be a JSON object`},
		{`[1]`, `line 1: is "[1]", must be a JSON object`},
		{`{"kind":"final","at":1} {}`, `line 1: continues with "{}" after the object, must end there`},
		{`{"kind":"final" "at":1}`, `line 1: continues with "\"at\":1}" after field kind, must continue with a comma or a closing brace`},
		{`{"kind"}`, `line 1: field kind has no value, must be followed by a colon and one`},
		{`{"kind":"fi`, `line 1: field kind is "\"fi", must end with a quote`},

		// Fields.
		{`{}`, `line 1: field kind is missing`},
		{`{"kind":"colour"}`, `line 1: field kind is "colour", must be one of change, run, start, end, misfire, loss, trigger, resend, result, acked, log and final`},
		{`{"kind":"final","when":1}`, `line 1: field "when" is unknown, must be one of those in the documentation of package checker`},
		{`{"kind":"final","at":1,"at":2}`, `line 1: field at occurs twice, must occur once`},
		{`{"kind":"final"}`, `line 1: field at is missing, a line of kind final must have it`},
		{`{"kind":"final","at":1,"job":2}`, `line 1: field job is present, a line of kind final must not have it`},

		// Values.
		{`{"kind":"final","at":"1"}`, `line 1: field at is "\"1\"", must be a whole number`},
		{`{"kind":"final","at":1.5}`, `line 1: field at is "1.5", must be a whole number`},
		{`{"kind":"final","at":99999999999999999999}`, `line 1: field at is "99999999999999999999", must be a whole number`},
		{`{"kind":"final","at":-1}`, `line 1: field at is -1, must be 0 to 253402300799999`},
		{`{"kind":"final","at":0}`, `line 1: field at is 0, must be an instant in milliseconds since 1970`},
		{`{"kind":7}`, `line 1: field kind is "7}", must be a string in quotes`},
		{`{"kind":"run","job":0,"at":1}`, `line 1: field job is 0, must be 1 to 9223372036854775807`},
		{`{"kind":"result","log":0,"at":1}`, `line 1: field log is 0, must be the id of a log row`},

		// Runs.
		{`{"kind":"run","job":1,"at":5,"shard":2,"shards":2}`, `line 1: field shard is 2, must be less than shards, which is 2`},
		{`{"kind":"run","job":1,"at":5,"start":9,"end":8}`, `line 1: field end is 8, must not be before start, which is 9`},
		{`{"kind":"run","job":1,"at":5,"n":1}`, `line 1: field by is missing, a line with n must have it`},
		{run + `{"kind":"run","job":1,"at":5,"by":"e","n":3}`, `line 2: field n is 3, must be 2, one more than in the run before by "e"`},
		{run + `{"kind":"end","at":5,"by":"e","n":2,"code":200}`, `line 2: field n is 2, must be that of a run line before it by "e"`},
		{run + strings.Repeat(`{"kind":"start","at":5,"by":"e","n":1}`+"\n", 2), `line 3: field n is 1, that run already has a start and must have only one`},

		// Changes.
		{`{"kind":"change","job":1,"op":"pause","asked":1}`, `line 1: field op is "pause", must be one of create, start, stop, edit and remove`},
		{`{"kind":"change","job":1,"op":"create","asked":1}`, `line 1: field type is missing, a line with op create must have it`},
		{`{"kind":"change","job":1,"op":"stop","asked":1,"conf":"5"}`, `line 1: field op is "stop", type, conf, zone, children and retries are allowed only with create and edit`},
		{`{"kind":"change","job":1,"op":"start","asked":5,"acked":4}`, `line 1: field acked is 4, must not be before asked, which is 5`},
		{`{"kind":"change","job":1,"op":"create","asked":1,"type":"FIX_RATE","conf":"0"}`, `line 1: field conf is "0": cron: period of FIX_RATE is "0", must be 0.1 to 2147483647 seconds`},
		{`{"kind":"change","job":1,"op":"create","asked":1,"type":"NONE","zone":"Moon"}`, `line 1: field zone is "Moon", must be an IANA name such as Asia/Shanghai`},
		{`{"kind":"change","job":1,"op":"create","asked":1,"type":"NONE","children":[2,x]}`, `line 1: field children is "x", must be a whole number`},
		{`{"kind":"change","job":1,"op":"create","asked":1,"type":"NONE","children":2}`, `line 1: field children is "2}", must be a list of whole numbers`},

		// The rest.
		{`{"kind":"misfire","job":1,"due":2,"until":1,"strategy":"ALL","at":3}`, `line 1: field until is 1, must not be before due, which is 2`},
		{`{"kind":"misfire","job":1,"due":2,"until":2,"strategy":"PERHAPS","at":3}`, `line 1: field strategy is "PERHAPS", must be one of DO_NOTHING, FIRE_ONCE_NOW, LATEST, ALL and STORE_LOST`},
		{`{"kind":"misfire","job":1,"due":2,"until":2,"strategy":"FIRE_ALL","at":3}`, `line 1: field strategy is "FIRE_ALL", must be one of DO_NOTHING, FIRE_ONCE_NOW, LATEST, ALL and STORE_LOST`},
		{`{"kind":"misfire","job":1,"due":2,"until":2,"strategy":"latest","at":3}`, `line 1: field strategy is "latest", must be one of DO_NOTHING, FIRE_ONCE_NOW, LATEST, ALL and STORE_LOST`},
		{`{"kind":"loss","since":2,"until":1}`, `line 1: field until is 1, must not be before since, which is 2`},
		{`{"kind":"trigger","job":1,"type":"WISH","asked":1}`, `line 1: field type is "WISH", must be one of CRON, MISFIRE, MANUAL, PARENT, RETRY, API and BACKFILL`},
		{`{"kind":"trigger","job":1,"type":"API"}`, `line 1: field asked is missing, a line of kind trigger without log must have it`},
		{strings.Repeat("x", maxLine+1), `line 1 has more than 1048576 bytes, the most allowed`},
	} {
		_, err := Read(strings.NewReader(test.text + "\n"))
		require.EqualError(t, err, "checker: "+test.want, "%.80s", test.text)
		require.NotContains(t, err.Error(), "\n")
	}
}

// TestCutOffLine cuts a history after every byte and checks that complete lines are kept.
func TestCutOffLine(t *testing.T) {
	text := `{"kind":"run","job":1,"at":5,"by":"e\u0031","n":1}` + "\n" + `{"kind":"end","by":"e1","n":1,"at":70,"code":200}` + "\n"
	first := strings.Index(text, "\n")
	for n := range len(text) + 1 {
		h, err := Read(strings.NewReader(text[:n]))
		require.NoError(t, err, "%q", text[:n])
		runs, cut := 0, 1
		if n >= first {
			runs = 1
		}
		if n == 0 || n == first || n == first+1 || n >= len(text)-1 {
			cut = 0
		}
		require.Len(t, h.Runs, runs, "%q", text[:n])
		require.Equal(t, cut, h.Cut, "%q", text[:n])
		if n >= len(text)-1 {
			require.Equal(t, Run{Job: 1, At: 5, Start: 5, End: 70, Code: 200}, h.Runs[0])
			require.Equal(t, []string{"e1"}, h.Writers)
		}
	}
	_, err := Read(strings.NewReader(`{"kind":"run","job":1,` + "\n" + text))
	require.ErrorContains(t, err, "line 1: ", "only the last line may be cut off")
}

// record writes a history as lines.
func record(t *testing.T, h *History) []byte {
	t.Helper()
	var b bytes.Buffer
	r := NewRecorder(&b, "test")
	for _, c := range h.Changes {
		require.NoError(t, r.Change(c))
	}
	for _, run := range h.Runs {
		_, err := r.Run(run)
		require.NoError(t, err)
	}
	for _, m := range h.Misfires {
		require.NoError(t, r.Misfire(m))
	}
	for _, l := range h.Losses {
		require.NoError(t, r.Loss(l))
	}
	for _, x := range h.Triggers {
		require.NoError(t, r.Trigger(x))
	}
	for _, s := range h.Resends {
		require.NoError(t, r.Resend(s))
	}
	for _, res := range h.Results {
		require.NoError(t, r.Result(res))
	}
	for _, a := range h.Acks {
		require.NoError(t, r.Ack(a))
	}
	for _, l := range h.Logs {
		require.NoError(t, r.Log(l))
	}
	require.NoError(t, r.Final(h.End.Time()))
	return b.Bytes()
}

// TestRoundTrip checks that what a recorder writes is read back unchanged.
func TestRoundTrip(t *testing.T) {
	for seed := range uint64(20) {
		h := newWorld(seed, 24, 150_000).history()
		h.Writers = []string{"test"}
		h.Losses = []Loss{{Since: 1, Until: 2}}
		got, err := Read(bytes.NewReader(record(t, h)))
		require.NoError(t, err)
		require.Equal(t, h, got)
	}
}

func TestCheckFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, text []byte) string {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, text, 0o600))
		return file
	}
	w := newWorld(1, 24, 150_000)
	lines := bytes.SplitAfter(record(t, w.history()), []byte("\n"))
	one := write("one", bytes.Join(lines[:100], nil))
	two := write("two", bytes.Join(lines[100:], nil))

	var out bytes.Buffer
	clean, err := CheckFiles(t.Context(), []string{one, two}, Options{}, &out)
	require.NoError(t, err)
	require.True(t, clean)
	require.Contains(t, out.String(), "CLEAN: 24 jobs")

	out.Reset()
	extra := write("extra", []byte(`{"kind":"run","job":99,"log":99999,"at":1772323240000}`+"\n"))
	clean, err = CheckFiles(t.Context(), []string{one, two, extra}, Options{}, &out)
	require.NoError(t, err)
	require.False(t, clean)
	require.Contains(t, out.String(), "extra: job 99: log 99999 came at 2026-03-01T00:00:40.000Z, and nothing explains it")

	// Not judged.
	_, err = CheckFiles(t.Context(), nil, Options{}, &out)
	require.EqualError(t, err, "checker: list of files is empty, must name at least one")
	_, err = CheckFiles(t.Context(), []string{filepath.Join(dir, "none")}, Options{}, &out)
	require.ErrorIs(t, err, os.ErrNotExist)
	bad := write("bad", []byte("x\n"))
	_, err = CheckFiles(t.Context(), []string{bad}, Options{}, &out)
	require.EqualError(t, err, "checker: "+bad+`: line 1: is "x", must be a JSON object`)
	_, err = CheckFiles(t.Context(), []string{one}, Options{Grace: -1}, &out)
	require.EqualError(t, err, "checker: Options.Grace is -1ns, must not be negative")

	// Reading an endless file ends with its context.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, newReader().read(ctx, endless{}, "endless"), context.Canceled)
}

type endless struct{}

func (endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = '\n'
	}
	return len(b), nil
}

func TestUnreadableScheduleIsNotJudged(t *testing.T) {
	h := &History{Changes: []Change{
		{Job: 4, Op: OpCreate, Asked: 1, Acked: 2, Type: xxladapter.ScheduleFixRate, Conf: "soon"},
		{Job: 4, Op: OpStart, Asked: 3, Acked: 4},
	}}
	r := Check(h, Options{})
	require.False(t, r.Clean())
	require.EqualError(t, r.Err, `checker: schedule of job 4: cron: period of FIX_RATE is "soon", must be seconds as decimal digits such as 30 or 0.1`)
	require.Equal(t, "not judged: "+r.Err.Error()+"\n", r.String())
}

// FuzzRead checks that no input breaks the reader, and that errors are one line.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"kind":"change","job":7,"op":"create","asked":1,"type":"CRON","conf":"0/5 * * * * ?","children":[8]}` + "\n"))
	f.Add([]byte(`{"kind":"run","job":1,"at":5,"by":"e","n":1}` + "\n" + `{"kind":"end","by":"e","n":1,"at":7,"code":200}` + "\n"))
	f.Add([]byte(`{"kind":"log","log":3,"job":1,"due":4,"trigger_code":500}` + "\n" + `{"kind":"final","at":9}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		h, err := Read(bytes.NewReader(text))
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Fatalf("%q", err)
			}
			return
		}
		// Centuries of due times would be right, but take long.
		opts := Options{}
		for _, c := range h.Changes {
			if opts.End == 0 || c.Asked.Add(1e12) < opts.End {
				opts.End = c.Asked.Add(1e12)
			}
		}
		_ = Check(h, opts).String()
	})
}

func TestSpaceAfterANumberIsRead(t *testing.T) {
	for _, space := range []string{" ", "\t", "\r"} {
		h, err := Read(strings.NewReader(`{"kind":"final","at":1` + space + "}\n"))
		require.NoError(t, err)
		require.EqualValues(t, 1, h.End)
	}
}

func TestTheLongestLineIsRead(t *testing.T) {
	begin := `{"kind":"final","at":1`
	longest := begin + strings.Repeat(" ", maxLine-len(begin)-1) + "}"
	for _, text := range []string{longest, longest + "\n"} {
		_, err := Read(strings.NewReader(text))
		require.NoError(t, err)
	}
	_, err := Read(strings.NewReader(" " + longest + "\n"))
	require.ErrorContains(t, err, "has more than 1048576 bytes")
}
