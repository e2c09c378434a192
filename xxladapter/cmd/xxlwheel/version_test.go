package main

import (
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheVersionNamesTheBuild(t *testing.T) {
	system := runtime.GOOS + "/" + runtime.GOARCH
	build := func(version string, settings ...string) *debug.BuildInfo {
		info := &debug.BuildInfo{GoVersion: "go1.26.8", Main: debug.Module{Version: version}}
		for i := 0; i < len(settings); i += 2 {
			info.Settings = append(info.Settings, debug.BuildSetting{Key: settings[i], Value: settings[i+1]})
		}
		return info
	}
	require.Equal(t, "xxlwheel v1.2.3, go1.26.8, "+system, version(build("v1.2.3"), true))
	require.Equal(t, "xxlwheel (devel), go1.26.8, "+system, version(build(""), true))
	require.Equal(t, "xxlwheel v1.2.3, revision abc from 2026-01-02T03:04:05Z, modified, go1.26.8, "+system,
		version(build("v1.2.3", "vcs.revision", "abc", "vcs.time", "2026-01-02T03:04:05Z", "vcs.modified", "true"), true))
	require.Equal(t, "xxlwheel (unknown version), "+runtime.Version(), version(nil, false))

	for _, words := range [][]string{{"version"}, {"--version"}, {"serve", "--version"}} {
		code, stdout, stderr := cli(t, words...)
		require.Zero(t, code)
		require.Regexp(t, `^xxlwheel \S+, .*`+runtime.Version(), stdout)
		require.Empty(t, stderr)
	}
}
