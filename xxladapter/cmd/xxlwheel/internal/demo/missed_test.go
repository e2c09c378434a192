package demo

import (
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
)

// TestMissedDueTimes checks the figure for jobs that nobody planned: only due times that are known
// count. Nothing is known of a job that was stopped, changed or removed, and of a job with a fixed
// delay only the first due time.
func TestMissedDueTimes(t *testing.T) {
	now := time.Now().Truncate(time.Second)
	store := memstore.New(func() time.Time { return now })
	ctx := t.Context()
	group, err := store.SaveGroup(ctx, &xxladapter.Group{AppName: demoApp, Title: "demo"})
	require.NoError(t, err)
	d := &demo{store: store, ledger: newLedger(io.Discard)}
	add := func(kind xxladapter.ScheduleType, conf, zone string, first time.Time) int64 {
		id, err := xxladapter.CreateJob(ctx, store, &xxladapter.Job{
			GroupID: group, Name: "j", Author: "demo", Handler: "h", ScheduleType: kind, ScheduleConf: conf,
			Settings: xxladapter.Settings{Zone: zone},
		})
		require.NoError(t, err)
		_, err = xxladapter.StartJob(ctx, store, id, time.Time{}, func(time.Time) time.Time { return first })
		require.NoError(t, err)
		j, err := store.Job(ctx, id)
		require.NoError(t, err)
		d.jobs = append(d.jobs, j)
		return id
	}
	missed := func(ended time.Time) int {
		t.Helper()
		n, err := d.missed(ctx, ended)
		require.NoError(t, err)
		return n
	}
	soon := now.Add(10 * time.Second)
	stopped := add(xxladapter.ScheduleFixRate, "3", "", now)
	removed := add(xxladapter.ScheduleFixRate, "3", "", now)
	require.Equal(t, 6, missed(soon), "due after 0, 3 and 6 s")
	require.NoError(t, xxladapter.StopJob(ctx, store, stopped, time.Time{}))
	require.NoError(t, xxladapter.RemoveJob(ctx, store, removed))
	assert.Zero(t, missed(soon), "stopped and removed")

	d.jobs = nil
	add(xxladapter.ScheduleFixDelay, "1", "", now)
	assert.Equal(t, 1, missed(soon), "a fixed delay")

	d.jobs = nil
	zone, err := time.LoadLocation("Asia/Kathmandu") // no other zone has its minutes
	require.NoError(t, err)
	year, month, day := now.In(zone).Date()
	noon := time.Date(year, month, day, 12, 0, 0, 0, zone)
	add(xxladapter.ScheduleCron, "0 0 12 * * ?", zone.String(), noon)
	assert.Equal(t, 1, missed(noon.Add(23*time.Hour)), "a zone of its own")
}
