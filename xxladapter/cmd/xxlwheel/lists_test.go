package main

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// listCommands returns the words of the commands that print a list: those called list, and those
// whose Run uses a listing.
func listCommands(t *testing.T) (words []string) {
	t.Helper()
	sources, err := filepath.Glob("internal/*/*.go")
	require.NoError(t, err)
	lists := map[string]bool{}
	runs := regexp.MustCompile(`(?s)\nfunc \(c \*(\w+)\) Run\(.*?\n}\n`)
	for _, source := range sources {
		text, err := os.ReadFile(source)
		require.NoError(t, err)
		for _, run := range runs.FindAllStringSubmatch(string(text), -1) {
			name := filepath.Base(filepath.Dir(source)) + "." + run[1]
			lists[name] = lists[name] || strings.Contains(run[0], "client.Listing[")
		}
	}
	parser, err := newParser(new(commands))
	require.NoError(t, err)
	for _, leaf := range parser.Model.Leaves(true) {
		if leaf.Name != "list" && !lists[leaf.Target.Type().String()] {
			continue
		}
		path := leaf.Name
		for n := leaf.Parent; n.Type != kong.ApplicationNode; n = n.Parent {
			path = n.Name + " " + path
		}
		words = append(words, path)
	}
	return words
}

// TestEveryListInEveryFormat prints each list of the command tree as a table, as JSON, as YAML and
// as ids, and checks that the four say the same.
func TestEveryListInEveryFormat(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.must("user create root --role admin --all", "pass of root\n")
	d.must("token create deploy --user root", "")
	require.Equal(t, http.StatusOK, d.login("root", "pass of root"))
	script := writeFile(t, "echo one\n")
	d.must("job add --app some-app --name nightly --author 张三 --glue-type GLUE_SHELL --fixed-rate 1h --tag billing --glue-file "+script, "")
	d.must("job glue save 1 --remark second --file "+writeFile(t, "echo two\n"), "")
	d.must("group update 1 --address http://127.0.0.1:1", "")
	now := time.Now().UTC()
	d.must("job backfill 1 --from "+now.Add(-3*time.Hour).Format(time.RFC3339)+" --to "+now.Format(time.RFC3339), "")
	d.must("pause begin --all --note maintenance", "")
	d.must("job trigger 1", "")
	testserver.Eventually(t, time.Minute, "the run failed", func() bool {
		return strings.Contains(d.must("run list -o json --job 1", ""), "connection refused")
	})
	testserver.Eventually(t, time.Minute, "the backfill has ended", func() bool {
		return !strings.Contains(d.must("backfill list -o json", ""), "RUNNING")
	})

	lists := map[string]struct {
		args  string // beside the command's words
		stdin string
		empty bool // there is nothing to print
	}{
		"audit list":    {args: "-n 1000"},
		"backfill list": {}, "calendar list": {}, "group list": {}, "job list": {},
		"job fires": {empty: true}, "job glue list": {args: "1"}, "job misfires": {args: "1", empty: true}, "job tags": {}, "job versions": {args: "1"},
		"run list": {}, "node list": {}, "node moves": {}, "pause list": {}, "session list": {args: "--user root", stdin: "pass of root\n"}, "token list": {args: "--all"}, "user list": {},
	}
	var words []string
	for name := range lists {
		words = append(words, name)
	}
	require.ElementsMatch(t, listCommands(t), words, "each list of the command tree is tested")
	for name, list := range lists {
		t.Run(name, func(t *testing.T) {
			d := d
			d.t = t
			line := name + " " + list.args
			var objects []map[string]any
			for text := range strings.Lines(d.must(line+" -o json", list.stdin)) {
				var object map[string]any
				require.NoError(t, json.Unmarshal([]byte(text), &object), text)
				objects = append(objects, object)
			}
			require.Equal(t, list.empty, len(objects) == 0)

			documents := yaml.NewDecoder(strings.NewReader(d.must(line+" -o yaml", list.stdin)))
			for i := 0; ; i++ {
				var document map[string]any
				err := documents.Decode(&document)
				if errors.Is(err, io.EOF) {
					require.Len(t, objects, i)
					break
				}
				require.NoError(t, err)
				require.Len(t, document, len(objects[i]))
				for field := range objects[i] {
					require.Contains(t, document, field)
				}
			}

			head, ids := headAndIDs(d.must(line+" -o table", list.stdin))
			require.Regexp(t, `^[A-Z][A-Z0-9 ]*$`, head)
			require.Len(t, ids, len(objects))
			require.Equal(t, strings.Join(ids, "\n"), d.must(line+" -q", list.stdin))
			otherHead, otherIDs := headAndIDs(d.must(line, list.stdin))
			require.Equal(t, head, otherHead, "a table is the default")
			require.Equal(t, ids, otherIDs) // other columns may have moved, such as the end of a lease
		})
	}
	for _, name := range words {
		code, _, stderr := d.run(name+" "+lists[name].args+" -o xml", "")
		require.Equal(t, command.ExitUsage, code, name)
		require.Contains(t, stderr, "--output must be one of", name)
	}
}

// headAndIDs returns the first line of a table and the first column of its rows.
func headAndIDs(table string) (head string, ids []string) {
	lines := strings.Split(table, "\n")
	for _, row := range lines[1:] {
		if id, _, _ := strings.Cut(row, " "); id != "" { // else it continues the row above
			ids = append(ids, id)
		}
	}
	return lines[0], ids
}

// TestOperationsOfARealScheduler walks through commands that other tests do not call.
func TestOperationsOfARealScheduler(t *testing.T) {
	t.Parallel()
	posted := make(chan string, 10)
	target := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		posted <- string(body)
	}))
	t.Cleanup(target.Close)
	_, server := serveOn(t, t.TempDir()+"/x.db", "--alarm-webhook", target.URL, "--alarm-allow-private", "--zone", "Asia/Shanghai")
	d := desk{t: t, server: server}

	info := d.must("info", "")
	require.Regexp(t, `(?m)^store +sqlite \S+, tables of version \d+$`, info)
	require.Regexp(t, `(?m)^zone +Asia/Shanghai$`, info)
	require.Regexp(t, `(?m)^keeps statistics +2160h0m0s$`, info)
	require.Regexp(t, `(?m)^pools +200 fast, 100 slow$`, info)
	require.Contains(t, d.must("info -o json", ""), `"zone":"Asia/Shanghai"`)

	require.Regexp(t, `(?s)^CHANNEL +RESULT +TOOK +ERROR\nwebhook +SENT `, d.must("alarm probe", ""))
	require.NotEmpty(t, <-posted)
	target.CloseClientConnections()
	target.Close()
	code, stdout, stderr := d.run("alarm probe -o json", "")
	require.NotZero(t, code)
	require.Contains(t, stdout, `"result":"FAILED"`)
	require.Equal(t, 1, strings.Count(stderr, "\n"), stderr)

	theirs := start(t, "xxlwheel", "executor", "--admin", server, "--app", "some-app", "--listen", "127.0.0.1:0", "--data-dir", t.TempDir())
	theirs.line("accepts runs at")
	d.must("job add --app some-app --name nightly --handler demoJobHandler --fixed-rate 1h --tag billing,nightly", "")
	d.must("job add --app some-app --name hourly --handler demoJobHandler --fixed-rate 1h --tag billing", "")
	require.Regexp(t, `^TAG +JOBS\nbilling +2\nnightly +1$`, d.must("job tags", ""))
	var group struct{ AddressList []string }
	testserver.Eventually(t, time.Minute, "the executor has registered", func() bool {
		require.NoError(t, json.Unmarshal([]byte(d.must("group list -o json", "")), &group))
		return len(group.AddressList) == 1
	})
	address := group.AddressList[0]

	d.must("group drain 1 "+address+" --note upgrade --for 2h", "")
	require.Regexp(t, `(?s)DRAINED +SINCE +UNTIL +BY +NOTE\n`+regexp.QuoteMeta(address)+` .* upgrade\n`, d.must("group show 1", ""))
	code, _, _ = d.run("job trigger 1 --wait", "")
	require.Equal(t, command.ExitRunFailed, code, "the only executor is drained")
	code, _, stderr = d.run("group drain 1 "+address+" --for -1h", "")
	require.Equal(t, command.ExitUsage, code)
	require.Contains(t, stderr, "--for")
	d.must("group undrain 1 "+address, "")
	code, _, stderr = d.run("group undrain 1 "+address, "")
	require.Equal(t, command.ExitFail, code)
	require.Contains(t, stderr, "is not drained")
	d.must("job trigger 1 --wait", "")

	now := time.Now().UTC().Truncate(time.Hour)
	span := " --from " + now.Add(-3*time.Hour).Format(time.RFC3339) + " --to " + now.Format(time.RFC3339)
	code, stdout, stderr = d.run("job backfill 1 --dry-run"+span, "")
	require.Zero(t, code, stderr)
	require.Equal(t, 3, strings.Count(stdout, "\n"), stdout)
	require.Equal(t, "xxlwheel: 3 due times\n", stderr)
	require.Empty(t, d.must("backfill list -q", ""))
	require.Equal(t, "1", d.must("job backfill 1 --wait --parallel 2"+span, ""))
	require.Regexp(t, `\n1 +1 +DONE .* 3 +3 +0 +0 `, d.must("backfill list --job 1", ""))
	code, _, stderr = d.run("backfill cancel 1", "")
	require.Equal(t, command.ExitFail, code)
	require.Contains(t, stderr, "backfill 1 is DONE")
}
