package executor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/queue"
)

func TestAQueueTakesThePlaceOfAdminsAndListen(t *testing.T) {
	good := Options{Queue: queue.At("nats://u:p@127.0.0.1:4222/orders", ""), AppName: "orders"}
	_, err := New(good)
	require.NoError(t, err)
	for want, change := range map[string]func(o *Options){
		"Queue and Admins are set":            func(o *Options) { o.Admins = []string{"http://127.0.0.1:8080"} },
		"does not listen":                     func(o *Options) { o.Listen = "127.0.0.1:1" },
		"Options.AppName is \"\"":             func(o *Options) { o.AppName = "" },
		"QueuePlaces is -1":                   func(o *Options) { o.QueuePlaces = -1 },
		"queue URL must be nats://host:port":  func(o *Options) { o.Queue = queue.At("http://127.0.0.1:4222", "") },
		"queue namespace is \"A.b\"":          func(o *Options) { o.Queue = queue.At("nats://127.0.0.1:4222/A.b", "") },
		"queue URL must be nats":              func(o *Options) { o.Queue = queue.At("", "file") },
		"namespace in the first server alone": func(o *Options) { o.Queue = queue.At("nats://a:1/x,nats://b:1/x", "") },
	} {
		o := good
		change(&o)
		_, err := New(o)
		require.ErrorContains(t, err, want)
	}
}

func TestAnExecutorKeepsItsName(t *testing.T) {
	dir := t.TempDir()
	first, err := instanceName(dir)
	require.NoError(t, err)
	_, ok := xxladapter.ParseQueueAddress("nats://orders/" + first)
	require.True(t, ok, first)
	again, err := instanceName(dir)
	require.NoError(t, err)
	require.Equal(t, first, again)
	other, err := instanceName(t.TempDir())
	require.NoError(t, err)
	require.NotEqual(t, first, other)

	require.NoError(t, os.WriteFile(filepath.Join(dir, "instance"), []byte(strings.Repeat("x", 65)), 0o600))
	_, err = instanceName(dir)
	require.ErrorContains(t, err, "must have up to 64 letters")
}

// TestAnExecutorWithoutItsBrokerFailsAtOnce connects to a port on which nobody listens.
func TestAnExecutorWithoutItsBrokerFailsAtOnce(t *testing.T) {
	e, err := New(Options{Queue: queue.At("nats://u:s3cret@127.0.0.1:1", ""), AppName: "orders", DataDir: t.TempDir()})
	require.NoError(t, err)
	err = e.Run(t.Context())
	require.ErrorContains(t, err, "queue nats://127.0.0.1:1/default cannot be used")
	require.NotContains(t, err.Error(), "s3cret")
}
