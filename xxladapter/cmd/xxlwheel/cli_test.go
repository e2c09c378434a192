package main

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/admin"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestEveryMistakeIsOneLine checks that a mistake gives a non-zero exit code and one line on stderr
// that says what is wrong, without anything like a stack trace.
func TestEveryMistakeIsOneLine(t *testing.T) {
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer busy.Close()
	dir := t.TempDir()
	noDatabase := filepath.Join(dir, "text")
	require.NoError(t, os.WriteFile(noDatabase, bytes.Repeat([]byte("this is no database\n"), 100), 0o600))

	tests := []struct {
		name string
		args []string
		code int
		line string // must be part of stderr
	}{
		{"wrong flag", []string{"serve", "--nosuch"}, 2, "unknown flag --nosuch"},
		{"wrong command", []string{"nosuch"}, 2, "unexpected argument nosuch"},
		{"flag that adopts jobs", []string{"apply", "--take-over"}, 2, "unknown flag --take-over"},
		{"flag that names XXL-JOB's database", []string{"serve", "--import-from=x"}, 2, "unknown flag --import-from"},
		{"command that takes jobs over", []string{"import"}, 2, "unexpected argument import"},
		{"wrong type", []string{"demo", "--for", "soon"}, 2, "--for: expected duration"},
		{"negative time", []string{"demo", "--for=-1s"}, 2, "--for is -1s, must be more than 0"},
		{"no time", []string{"demo", "--for=0s"}, 2, "--for is 0s, must be more than 0"},
		{"unknown level", []string{"serve", "--log-level=loud"}, 2, `--log-level must be one of "debug","info","warn","error" but got "loud"`},
		{"back up to a file that is there", []string{"backup", noDatabase, "--store", "sqlite:" + noDatabase}, 1, "the file exists, must be a new one"},
		{"back up a server", []string{"backup", dir + "/to", "--store", "mysql://bob:s3cret@db/xxl"}, 2, `--store is "mysql://bob:xxxxx@db/xxl", must be sqlite:FILE`},
		{"a store in memory", []string{"serve", "--listen", "127.0.0.1:0", "--store", "sqlite::memory:"}, 2, `--store is ":memory:", must be a file`},
		{"busy port", []string{"serve", "--listen", busy.Addr().String(), "--store", "sqlite:" + dir + "/a.db"}, 1, "--listen is " + busy.Addr().String() + ", must be a free port: address already in use"},
		{"no port", []string{"serve", "--listen", "127.0.0.1", "--store", "sqlite:" + dir + "/a.db"}, 2, `--listen is "127.0.0.1", must be host:port: `},
		{"no address", []string{"serve", "--listen="}, 2, `--listen is "", must be host:port: `},
		{"no such port", []string{"serve", "--listen", "127.0.0.1:99999"}, 2, `--listen is "127.0.0.1:99999", must be host:port: `},
		{"no port for metrics", []string{"serve", "--metrics-listen", "x"}, 2, `--metrics-listen is "x", must be host:port: `},
		{"busy port for metrics", []string{"serve", "--listen", "127.0.0.1:0", "--metrics-listen", busy.Addr().String()}, 1, "--metrics-listen is " + busy.Addr().String() + ", must be a free port"},
		{"open to others without a token", []string{"serve", "--listen", "0.0.0.0:0"}, 2, "--access-token is empty"},
		{"open to others with the well-known token", []string{"serve", "--listen", ":0", "--access-token", "default_token"}, 2, "which is well known"},
		{"open to others with a well-known operator token", []string{"serve", "--listen", ":0", "--access-token", "s3cret-1", "--operator-token", "default_token"}, 2, "--operator-token is default_token"},
		{"no network", []string{"serve", "--allow-address", "10.0.0"}, 2, `--allow-address: "10.0.0" is not a network such as 10.0.0.0/8`},
		{"no pool", []string{"serve", "--fast-pool=0"}, 2, "--fast-pool is 0, must be 1 to 10000"},
		{"a huge pool", []string{"serve", "--slow-pool=10001"}, 2, "--slow-pool is 10001, must be 1 to 10000"},
		{"nothing for each app", []string{"serve", "--pool-per-app=-1"}, 2, "--pool-per-app is -1, must be 1 to 10000"},
		{"too few connections", []string{"serve", "--store-connections=10"}, 2, "--store-connections is 10, must be 14 to 10000"},
		{"negative drain", []string{"serve", "--drain=-1s"}, 2, "--drain is -1s, must be 1ms to 1h0m0s"},
		{"negative skew", []string{"serve", "--clock-skew=-1s"}, 2, "--clock-skew is -1s, must be 0s to 1h0m0s"},
		{"successes that go at once", []string{"serve", "--keep-successes=0"}, 2, "--keep-successes is 0s, must be at least 1m"},
		{"two mistakes", []string{"serve", "--keep-logs=1d", "--fast-pool=0"}, 2, "--keep-logs is 24h0m0s"},
		{"unknown profile", []string{"serve", "--cron-profile", "spring"}, 2, `profile is "spring", must be one of quartz, xxl34, sane, unix`},
		{"unknown store", []string{"serve", "--store", "x"}, 2, `--store is "x", must be sqlite:FILE or mysql:// or postgres://`},
		{"migrate what is no MySQL", []string{"migrate", "--store", "sqlite:x.db"}, 2, "--store is \"sqlite:x.db\", must be mysql://USER:PASSWORD@HOST:PORT/DATABASE"},
		{"a MySQL that is not there", []string{"serve", "--listen", "127.0.0.1:0", "--store", "mysql://bob:s3cret@127.0.0.1:1/xxl"}, 1, "open mysql://bob@127.0.0.1:1/xxl: dial tcp 127.0.0.1:1: connect: connection refused"},
		{"a PostgreSQL URL that is none", []string{"serve", "--store", "postgres://bob:s3c%ret@db/xxl"}, 2, `--store is "postgres:...", cannot be read, must be postgres://USER:PASSWORD@HOST:PORT/DATABASE with special characters`},
		{"no such folder", []string{"serve", "--store", "sqlite:" + dir + "/no/such/a.db"}, 1, "no such file or directory"},
		{"a folder", []string{"serve", "--store", "sqlite:" + dir}, 1, dir},
		{"not a database", []string{"serve", "--store", "sqlite:" + noDatabase}, 1, "is not a SQLite database"},
		{"demo on no database", []string{"demo", "--db", noDatabase}, 1, "is not a SQLite database"},
		{"unknown zone", []string{"cron", "next", "* * * * * ?", "--zone", "Mars/Base"}, 2, `--zone is "Mars/Base", must be a time zone`},
		{"bad cron", []string{"cron", "next", "0 99 * * * ?"}, 1, "99"},
		{"cron that never fires", []string{"cron", "next", "0 0 0 30 2 ?"}, 1, "never fires"},
		{"five fields", []string{"cron", "next", "* * * * *"}, 1, "6 or 7 fields"},
		{"no count", []string{"cron", "next", "* * * * * ?", "-n", "0"}, 2, "-n is 0, must be at least 1"},
		{"no due times", []string{"job", "next", "1", "-n", "0"}, 2, "-n is 0, must be 1 to 100"},
		{"fewer backfills than none", []string{"backfill", "list", "--count=-1"}, 2, "-n is -1, must be 0 for all, or positive"},
		{"no server", []string{"job", "list", "--server", "http://127.0.0.1:1"}, 1, "reach scheduler at http://127.0.0.1:1"},
		{"no URL", []string{"job", "list", "--server", "http://bad host"}, 2, `--server is "http://bad host", must be a URL`},
		{"a URL without its scheme", []string{"job", "list", "--server", "localhost:8080"}, 2, `--server is "localhost:8080", must be a URL such as http://127.0.0.1:8080`},
		{"an empty URL", []string{"job", "list", "--server="}, 2, `--server is "", must be a URL`},
		{"a pause of no time", []string{"pause", "begin", "--all", "--for=0s"}, 2, "--for is 0s, must be more than 0"},
		{"a drain of no time", []string{"group", "drain", "1", "http://10.0.0.7:9999/", "--for=0s"}, 2, "--for is 0s, must be more than 0"},
		{"a backfill from no time", []string{"job", "backfill", "1", "--from", "yesterday", "--to", "2026-01-02T15:04:05Z"}, 2, `--from: is "yesterday", must be an RFC 3339 instant such as 2026-01-02T15:04:05Z`},
		{"copy a store that is not there", []string{"store", "copy", "--from", "sqlite:" + dir + "/none.db", "--to", "sqlite:" + dir + "/new.db"}, 2, `--from is "sqlite:` + dir + `/none.db", must be a store that exists`},
		{"copy from no store", []string{"store", "copy", "--from", "x", "--to", "sqlite:" + dir + "/new.db"}, 2, `--from is "x", must be sqlite:FILE or`},
		{"copy with an unknown journal", []string{"store", "copy", "--from", "sqlite:" + noDatabase + "?journal=no", "--to", "sqlite:" + dir + "/new.db"}, 2, "its journal must be on, off or lost"},
		{"back up with an unknown journal", []string{"backup", dir + "/new.db", "--store", "sqlite:" + noDatabase + "?journal=no"}, 2, "its journal must be on, off or lost"},
		{"take over with an unknown journal", []string{"takeover", "--from", "mysql://bob@127.0.0.1:1/xxl", "--store", "sqlite:" + dir + "/new.db?journal=no"}, 2, "its journal must be on, off or lost"},
		{"take over from nowhere", []string{"takeover", "--from", "mysql://bob@127.0.0.1:1/xxl", "--store", "sqlite:" + dir + "/new.db"}, 1, "connection refused"},
		{"an index and a zone", []string{"migrate", "--store", "mysql://bob@127.0.0.1:1/xxl", "--due-index", "--zone", "UTC"}, 2, "--due-index must not be together with --zone"},
		{"missing flags", []string{"job", "add"}, 2, "missing flags: --app, --handler, --name"},
		{"two schedules", []string{"job", "add", "--name=n", "--app=a", "--handler=h", "--cron=x", "--fixed-rate=1s"}, 2, "can't be used together"},
		{"executor open to others without a token", []string{"executor", "--listen", "0.0.0.0:0"}, 2, "--access-token is empty"},
		{"executor open to others with the well-known token", []string{"executor", "--listen", ":0", "--access-token", "default_token"}, 2, "(--allow-default-token overrides)"},
		{"no app", []string{"executor", "--app", "x", "--listen", "127.0.0.1:0"}, 2, `--app is "x", must have 4 to 64 characters`},
		{"no URL of an admin", []string{"executor", "--admin", "x", "--listen", "127.0.0.1:0"}, 2, `--admin is "x", must be http or https URLs`},
		{"no URL of an executor", []string{"executor", "--address", "x", "--listen", "127.0.0.1:0"}, 2, `--address is "x", must be an http or https URL`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			code, _, stderr := cli(t, tt.args...)
			require.Equal(t, tt.code, code, stderr)
			require.Contains(t, stderr, tt.line)
			require.True(t, strings.HasPrefix(stderr, "xxlwheel: "), stderr)
			require.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
		})
	}
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 1, "a mistake creates no store")
}

// TestOutputThatIsLostIsAFailure lets commands write to a full disk.
func TestOutputThatIsLostIsAFailure(t *testing.T) {
	for _, words := range []string{"version", "--version", "--help", "cron next --help", "man", "config example", "job list", "job list -q", "job list -o json", "job show 1"} {
		server := apiServer(t, admin.Options{Store: memstore.New(time.Now)})
		args := strings.Fields(words)
		if args[0] == "job" {
			args = append(args, "--server", server.URL)
			mustCLI(t, "job", "add", "--app", "some-app", "--name", "n", "--handler", "h", "--server", server.URL)
		}
		var stderr bytes.Buffer
		code := run(t.Context(), args, command.Console{Stdin: strings.NewReader(""), Stdout: fullDisk{}, Stderr: &stderr})
		require.Equal(t, command.ExitFail, code, words)
		require.Equal(t, "xxlwheel: no space left on device\n", stderr.String(), words)
	}
}

// fullDisk is a file on a full disk.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// TestAnAnswerOfAnotherServerIsRefused calls a server that answers all calls as an executor does.
func TestAnAnswerOfAnotherServerIsRefused(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"code":500,"msg":"invalid request"}`)
	}))
	t.Cleanup(other.Close)
	code, stdout, stderr := cli(t, "job", "list", "-o", "json", "--server", other.URL)
	require.Equal(t, command.ExitFail, code)
	require.Empty(t, stdout)
	require.Equal(t, "xxlwheel: "+other.URL+" answers without jobs, must be a scheduler's API\n", stderr)
}

func TestHelpEverywhere(t *testing.T) {
	for _, args := range [][]string{
		{}, {"--help"}, {"demo", "--help"}, {"serve", "--help"}, {"executor", "--help"}, {"job", "--help"},
		{"job", "add", "--help"}, {"job", "trigger", "--help"}, {"job", "update", "--help"}, {"group", "--help"}, {"node", "--help"}, {"run", "list", "--help"}, {"user", "--help"}, {"user", "create", "--help"}, {"token", "--help"}, {"token", "create", "--help"}, {"cron", "next", "--help"}, {"alarm", "test", "--help"},
	} {
		code, stdout, stderr := cli(t, args...)
		require.Zero(t, code)
		require.Contains(t, stdout, "Usage: xxlwheel")
		require.Empty(t, stderr)
	}
}

func TestCronDescribe(t *testing.T) {
	require.Equal(t, "at 09:00, on Monday to Friday", mustCLI(t, "cron", "describe", "0 0 9 ? * MON-FRI"))
	require.Equal(t, "周一至周五，09:00", mustCLI(t, "cron", "describe", "0 0 9 ? * MON-FRI", "--lang", "zh"))
	code, _, stderr := cli(t, "cron", "describe", "0 0 9 ? * XXX")
	require.Equal(t, command.ExitFail, code)
	require.Contains(t, stderr, "XXX")
	code, _, stderr = cli(t, "cron", "describe", "0 0 9 ? * MON-FRI", "--lang", "tlh")
	require.Equal(t, command.ExitUsage, code)
	require.Contains(t, stderr, `--lang must be one of "en","zh"`)
}

func TestCronNext(t *testing.T) {
	require.Equal(t, strings.Join([]string{
		"2026-11-27T12:00:00+08:00", "2026-12-25T12:00:00+08:00", "2027-01-29T12:00:00+08:00",
	}, "\n"), mustCLI(t, "cron", "next", "0 0 12 ? * 6L", "--zone", "Asia/Shanghai", "-n", "3", "--from", "2026-11-21T00:00:00Z"))
	require.Equal(t, "2026-12-31T23:59:59Z", mustCLI(t, "cron", "next", "59 59 23 31 12 ? 2026", "--zone", "UTC", "--from", "2026-11-21T00:00:00Z"),
		"fewer than asked for when the schedule ends")
}

// TestJobCommands takes a job through its life against a scheduler in another process.
func TestJobCommands(t *testing.T) {
	t.Parallel()
	serve := start(t, "xxlwheel", "serve", "--listen", "127.0.0.1:0", "--store", "sqlite:"+t.TempDir()+"/x.db", "--access-token", "s3cret")
	fields := strings.Fields(serve.line("serves on"))
	server := strings.TrimSuffix(fields[3], ",")
	job := func(args ...string) []string {
		return append([]string{"job", "--server", server, "--access-token", "s3cret"}, args...)
	}
	code, _, stderr := cli(t, job("add", "--name=a job", "--app=some-app", "--handler=h", "--cron=0 99 * * * ?")...)
	require.Equal(t, 1, code)
	require.Contains(t, stderr, "99")
	require.NotContains(t, stderr, "created group", "nothing is half stored")

	code, stdout, stderr := cli(t, job("add", "--name=a job", "--app=some-app", "--handler=h", "--cron=0 0 2 * * ?", "--param=p")...)
	require.Zero(t, code, stderr)
	require.Equal(t, "1\n", stdout)
	require.Equal(t, "xxlwheel: created group some-app\n", stderr)
	require.Contains(t, mustCLI(t, job("list")...), "a job")
	require.Contains(t, mustCLI(t, job("show", "1")...), "stopped")
	mustCLI(t, job("start", "1")...)
	require.Contains(t, mustCLI(t, job("show", "1")...), "running")
	mustCLI(t, job("trigger", "1", "--param", "now")...)
	testserver.Eventually(t, 10*time.Second, "the trigger fails for want of an executor", func() bool {
		return regexp.MustCompile(`500 +0`).MatchString(mustCLI(t, job("show", "1")...))
	})
	theirs := start(t, "xxlwheel", "executor", "--admin", server, "--app", "some-app", "--listen", "127.0.0.1:0",
		"--access-token", "s3cret", "--data-dir", t.TempDir())
	theirs.line("accepts runs at")
	good := mustCLI(t, job("add", "--name=another", "--app=some-app", "--handler=demoJobHandler")...)
	testserver.Eventually(t, 20*time.Second, "a run ends well on the sample executor", func() bool {
		mustCLI(t, job("trigger", good)...)
		return regexp.MustCompile(`200 +200`).MatchString(mustCLI(t, job("show", good)...))
	})
	onRuns := func(args ...string) []string {
		return append([]string{"run", "--server", server, "--access-token", "s3cret"}, args...)
	}
	// runWith returns the id of the run in the row of job show that has the two codes.
	runWith := func(id, codes string) string {
		row := regexp.MustCompile(`(?m)^(\d+) .* ` + codes).FindStringSubmatch(mustCLI(t, job("show", id)...))
		require.NotNil(t, row)
		return row[1]
	}
	require.Contains(t, mustCLI(t, onRuns("log", runWith(good, "200 +200"))...), "hello from xxlwheel")
	long := mustCLI(t, job("add", "--name=long", "--app=some-app", "--handler=sleepJobHandler", "--param=1h")...)
	mustCLI(t, job("trigger", long)...)
	testserver.Eventually(t, 20*time.Second, "the long run is taken", func() bool {
		return regexp.MustCompile(`200 +0`).MatchString(mustCLI(t, job("show", long)...))
	})
	mustCLI(t, onRuns("kill", runWith(long, "200 +0"))...)
	testserver.Eventually(t, 20*time.Second, "the killed run is reported", func() bool {
		return regexp.MustCompile(`200 +500 +scheduling center kill job`).MatchString(mustCLI(t, job("show", long)...))
	})
	failing := mustCLI(t, job("add", "--name=failing", "--app=some-app", "--handler=failJobHandler", "--param=as asked", "--retry=2")...)
	mustCLI(t, job("trigger", failing)...)
	testserver.Eventually(t, 20*time.Second, "a failed run is tried twice more", func() bool {
		return strings.Count(mustCLI(t, job("show", failing)...), "as asked") == 1+3 // the job's own param, and the results
	})
	require.Zero(t, theirs.terminate())

	mustCLI(t, job("stop", "1")...)
	mustCLI(t, job("remove", "1", "--yes")...)
	code, _, stderr = cli(t, job("show", "1")...)
	require.Equal(t, 1, code)
	require.Equal(t, "xxlwheel: job 1 does not exist\n", stderr)

	for _, wrong := range [][]string{
		{"job", "list", "--server", server},
		{"executor", "--admin", server, "--app", "some-app", "--listen", "127.0.0.1:0", "--data-dir", t.TempDir()},
	} {
		code, _, stderr = cli(t, append(wrong, "--access-token", "wrong")...)
		require.Equal(t, 1, code)
		require.Contains(t, stderr, "The access token is wrong.\n")
		require.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
	}
	require.Zero(t, serve.terminate())
}

// TestOperatorCommands covers the other operator commands, against a server in another process that
// has a token for operators and one for readers.
func TestOperatorCommands(t *testing.T) {
	serve := start(t, "xxlwheel", "serve", "--listen", "127.0.0.1:0", "--store", "sqlite:"+t.TempDir()+"/x.db",
		"--access-token", "s3cret", "--operator-token", "0perator", "--read-token", "r3ader", "--cron-profile", "xxl34", "--metrics-listen", "127.0.0.1:0")
	fields := strings.Fields(serve.line("serves on"))
	server := strings.TrimSuffix(fields[3], ",")
	as := func(token, words string, more ...string) []string {
		args := strings.Fields(words)
		return append(append(args, "--server", server, "--access-token", token), more...)
	}
	run := func(words string, more ...string) string { return mustCLI(t, as("0perator", words, more...)...) }

	require.Equal(t, "1", run("group add billing", "--title", "Billing", "--group-token", "billing-token"))
	require.Regexp(t, `1 +billing +Billing +registered +its own`, run("group list"))
	run("group update 1 --group-token=", "--address", "http://127.0.0.1:1")
	require.Regexp(t, `(?s)typed in.*the scheduler's.*http://127.0.0.1:1 .*connection refused`, run("group show 1"))
	run("group update 1", "--address", "nats://billing")
	require.Regexp(t, `nats://billing +any with room`, run("group show 1"))
	run("group update 1 --register")

	// 0/0 is valid only in XXL-JOB's profile.
	require.Equal(t, "1", run("job add --app billing --handler h --name nightly --zone Asia/Shanghai", "--cron", "0 0/0 2 * * ?"))
	run("job update 1 --param p --misfire-limit 7 --retry 2", "--cron", "0 0/0 3 * * ?")
	require.Regexp(t, `(?s)CRON 0 0/0 3.*retries +2`, run("job show 1"))
	require.Regexp(t, `^\S+T03:00:00\+08:00\n\S+T03:00:00\+08:00$`, run("job next 1 -n 2"), "the zone stays")
	require.Equal(t, "2", run("job copy 1 --name another"))
	require.Regexp(t, `2 +another +billing +\S+ +CRON 0 0/0 3`, run("job list"))
	require.Regexp(t, `(?s)2 +another.*1 +nightly`, run("job list --sort name"))
	require.Regexp(t, `(?s)1 +nightly.*2 +another`, run("job list --sort name --desc --type cron"))
	code, _, stderr := cli(t, as("0perator", "job update 1")...)
	require.Equal(t, command.ExitUsage, code)
	require.Contains(t, stderr, "no field of job 1 is given, must be at least one")

	run("job trigger 2")
	testserver.Eventually(t, 10*time.Second, "the trigger fails for want of an executor", func() bool {
		return strings.Contains(run("run list --job 2 --status FAIL --since 1h"), " FAIL ")
	})
	require.NotContains(t, run("run list --status SUCCESS --group 1"), " FAIL ")
	code, _, stderr = cli(t, as("0perator", "run list --since tomorrow")...)
	require.Equal(t, command.ExitUsage, code)
	require.Contains(t, stderr, `--since is "tomorrow", must be an RFC 3339 instant`)
	require.Regexp(t, `all +plans +- +64 of 64 +[+-]\d+ ms +\d+ of 200, 0 waiting +\d+ of 100, 0 waiting +- +joined \d{4}-`, run("node list"))
	require.Regexp(t, `(?m)joined +\S+ +1 +64$`, run("node moves"))
	code, _, stderr = cli(t, as("0perator", "node drain nobody")...)
	require.Equal(t, command.ExitFail, code)
	require.Contains(t, stderr, `node "nobody" holds no lease`)

	require.Contains(t, mustCLI(t, as("r3ader", "job list")...), "another")
	for token, refusal := range map[string]string{
		"r3ader": "DELETE /api/v1/jobs/2 needs the role editor",
		"s3cret": "The access token is wrong.",
	} {
		code, _, stderr = cli(t, as(token, "job remove 2 --yes")...)
		require.Equal(t, command.ExitFail, code)
		require.Equal(t, "xxlwheel: "+refusal+"\n", stderr)
	}
	run("job update 2 --children 1")
	require.Regexp(t, `(?s)0 +2 +another +FAIL +1\n1 +1 +nightly +- *$`, run("graph"))
	run("job start 1")
	require.Regexp(t, `(?m)^\S+ +1 +0s$`, run("forecast"))
	require.Regexp(t, `(?s)running jobs +1\n.*failing +2 another, \d+ in a row.*next +\S+ 1 nightly`, run("overview"))
	run("job stop 1")
	require.Equal(t, "2", run("job list -q --last-result fail"))
	require.Empty(t, run("job list -q --last-result success"))
	require.Equal(t, "1", run("job list -q --last-result none"))
	require.Regexp(t, `(?s)^GROUP +RUNS +SUCCESS .*\ntotal +\d+ +\d+`, run("stats --by group"))
	require.Equal(t, strings.Join([]string{
		"02:30 (Europe/Berlin)",
		"2026-03-28T02:30:00+01:00",
		"2026-03-29T03:00:00+02:00  -- the clock goes from +01:00 to +02:00 and skips 2026-03-29T02:30:00",
		"2026-03-30T02:30:00+02:00",
		"", "2026-03-28  1", "2026-03-30  1",
	}, "\n"), strings.Join(strings.Split(strings.Replace(
		run("schedule preview --zone Europe/Berlin --from 2026-03-28T00:00:00+01:00 -n 2 --lang zh --months 1", "0 30 2 * * ?"), "每天，", "", 1), "\n")[:7], "\n"))
	code, _, stderr = cli(t, as("0perator", "schedule preview", "0 0 25 * * ?")...)
	require.Equal(t, command.ExitFail, code)
	require.Contains(t, stderr, `scheduleConf: cron: hour "25" at column 5 must be 0 to 23`)
	run("job remove 1 --yes")
	run("job remove 2 --yes")
	run("group remove 1 --yes")
	require.Zero(t, serve.terminate())
}

var totalsLine = regexp.MustCompile(`(?m)^fires=(\d+) results=(\d+) failed=(\d+) missed=(\d+) early=(\d+) late_p50=[\d.]+ms late_p99=[\d.]+ms late_max=[\d.]+ms$`)

func TestDemoContinuesWhereItWas(t *testing.T) {
	testserver.Long(t)
	t.Parallel()
	file := filepath.Join(t.TempDir(), "demo.db")
	for range 2 {
		out := mustCLI(t, "demo", "--for", "4s", "--db", file)
		totals := totalsLine.FindStringSubmatch(out)
		require.NotNil(t, totals, out)
		require.NotEqual(t, "0", totals[1], out)
		require.Equal(t, totals[1], totals[2], "every fire has its result\n%s", out)
		require.Equal(t, []string{"0", "0", "0"}, totals[3:6], "failed, missed, early\n%s", out)
		require.Contains(t, out, file)
	}
	require.NoFileExists(t, file+"-wal", "the database was closed")
}

func TestDemoEndsCleanlyWhenInterrupted(t *testing.T) {
	t.Parallel()
	p := start(t, "xxlwheel", "demo", "--db", filepath.Join(t.TempDir(), "demo.db"))
	p.line(" ok ")
	require.Zero(t, p.end(os.Interrupt))
	require.Regexp(t, totalsLine, p.line("fires="))
	require.Empty(t, p.stderr.String())
}
