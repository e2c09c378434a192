package serve

import (
	"net/netip"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/cron"
	"github.com/xxlwheel/xxlwheel/xxladapter/node"
)

// parseServe parses a command line of serve, including the environment.
func parseServe(t *testing.T, args ...string) *Cmd {
	t.Helper()
	var c Cmd
	parser, err := kong.New(&c, kong.DefaultEnvars("XXLWHEEL"))
	require.NoError(t, err)
	_, err = parser.Parse(args)
	require.NoError(t, err)
	return &c
}

func TestServeFlagsReachTheNode(t *testing.T) {
	// This machine's zone has a name that the test cannot know.
	opts, err := parseServe(t, "--zone=UTC", "--no-console", "--no-mcp").nodeOptions()
	require.NoError(t, err)
	require.Equal(t, node.Options{
		Scheduling: xxladapter.SchedulingAll, Spread: xxladapter.SpreadNone,
		Zone: time.UTC, FastPool: 200, SlowPool: 100, Drain: 10 * time.Second, SkewLimit: 2 * time.Second,
		KeepLogs: 30 * 24 * time.Hour, KeepSuccesses: 10 * time.Minute, KeepAudit: 180 * 24 * time.Hour,
		KeepStats: 90 * 24 * time.Hour, RunTexts: xxladapter.TextsFailures,
	}, opts)

	t.Setenv("XXLWHEEL_FAST_POOL", "7")
	t.Setenv("XXLWHEEL_CLOCK_SKEW", "0s")
	c := parseServe(t, "--no-console", "--no-mcp", "--slow-pool=8", "--pool-per-app=3", "--drain=1m", "--keep-successes=4d", "--store-connections=20", "--store-lock-life=3s", "--zone=UTC",
		"--access-token=a", "--operator-token=o", "--read-token=r", "--allow-default-token", "--allow-declare", "--allow-address=10.0.0.0/8",
		"--keep-logs=0", "--keep-audit=0", "--keep-stats=0", "--store-run-logs=all", "--cron-profile=xxl34", "--scheduling=leader", "--spread=round")
	require.Equal(t, 20, c.Limits.StoreConnections)
	require.Equal(t, 3*time.Second, c.Limits.StoreLockLife)
	opts, err = c.nodeOptions()
	require.NoError(t, err)
	require.Equal(t, node.Options{
		AccessToken: "a", OperatorTokens: []string{"o"}, ReadTokens: []string{"r"}, AllowDefaultToken: true, AllowDeclare: true,
		AllowAddresses: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")},
		Scheduling:     xxladapter.SchedulingLeader, Spread: xxladapter.SpreadRound,
		Zone: time.UTC, CronProfile: cron.XXL34,
		FastPool: 7, SlowPool: 8, PoolPerApp: 3, Drain: time.Minute, SkewLimit: -1,
		KeepSuccesses: 4 * 24 * time.Hour, RunTexts: xxladapter.TextsAll,
	}, opts)
}

func TestTheLockLifeIsBelowTheWindow(t *testing.T) {
	for life, wrong := range map[string]bool{"500ms": true, "1s": false, "4999ms": false, "5s": true, "10s": true} {
		_, err := parseServe(t, "--store-lock-life="+life).nodeOptions()
		if !wrong {
			require.NoError(t, err, life)
			continue
		}
		require.EqualError(t, err, "--store-lock-life is "+life+", must be at least 1s and less than the pre-read window of 5s")
	}
}

func TestServeHasAConsoleUnlessToldOtherwise(t *testing.T) {
	opts, err := parseServe(t, "--zone=UTC").nodeOptions()
	require.NoError(t, err)
	require.NotNil(t, opts.Console)

	_, err = parseServe(t, "--console-dir="+t.TempDir()).nodeOptions()
	require.ErrorContains(t, err, "must be a folder with index.html")
	_, err = parseServe(t, "--no-console", "--console-dir=x").nodeOptions()
	require.ErrorContains(t, err, "must not be together with --no-console")
}

func TestServeAnswersAssistantsUnlessToldOtherwise(t *testing.T) {
	require.NotNil(t, parseServe(t, "--zone=UTC").assistants(nil))
	require.Nil(t, parseServe(t, "--no-mcp").assistants(nil))
	_, err := parseServe(t, "--no-mcp", "--mcp-allow-changes").nodeOptions()
	require.EqualError(t, err, "--mcp-allow-changes must not be together with --no-mcp")
}
