package executor

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

func TestADirectoryKnowsSinceWhenItKeepsRuns(t *testing.T) {
	first, later := time.UnixMilli(1_700_000_000_000), time.UnixMilli(1_800_000_000_000)
	dir := t.TempDir()
	require.Equal(t, first, dataSince(dir, first))
	require.Equal(t, first, dataSince(dir, later), "a restart changes nothing")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "journal"), nil, 0o600))
	require.Equal(t, first, dataSince(dir, later))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "since"), []byte("?"), 0o600))
	require.Zero(t, dataSince(dir, later), "nobody knows")

	old := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(old, "journal"), nil, 0o600))
	require.Zero(t, dataSince(old, later), "of an older release")
	require.Zero(t, dataSince(old, later))
}

func TestAnAnswerWithoutALogTellsHowOldTheLogsAre(t *testing.T) {
	logs := newRunLogs(t.TempDir(), 1<<20, quietLogger())
	unknown := func(int64, int64) bool { return false }
	require.Zero(t, logs.readLog(wire.LogRequest{LogID: 7}, unknown).LogsAge)
	logs.since = time.Now().Add(-time.Minute)
	result := logs.readLog(wire.LogRequest{LogID: 7}, unknown)
	require.Equal(t, wire.MsgNoLogFile, result.Content)
	require.GreaterOrEqual(t, int64(result.LogsAge), time.Minute.Milliseconds())
	logs.since = time.Now().Add(time.Hour)
	require.EqualValues(t, 1, logs.readLog(wire.LogRequest{LogID: 7}, unknown).LogsAge, "its clock was set back")
}
