package queue

import (
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/queue/delivery"
	"github.com/xxlwheel/xxlwheel/xxladapter/queue/internal/broker"
)

// TestAnEndpointShowsNoSecrets prints endpoints as a program would that logs its options.
func TestAnEndpointShowsNoSecrets(t *testing.T) {
	for url, good := range map[string]bool{
		"nats://u:s3cret@127.0.0.1:4222/orders":    true,
		"redis://u:s3cret@127.0.0.1:6379/0/orders": true,
		"nats://u:s3cret@127.0.0.1:4222/A.b":       false,
		"redis://u:s3cret@127.0.0.1:6379/x":        false,
		"http://u:s3cret@127.0.0.1:4222":           false,
	} {
		e := At(url, "")
		require.Equal(t, good, e.Check() == nil, url)
		options := struct{ Queue any }{e}
		for _, text := range []string{
			fmt.Sprintf("%v %+v %#v", e, e, e), fmt.Sprintf("%v %+v %#v", options, options, options),
			slog.AnyValue(options).String(),
		} {
			require.NotContains(t, text, "s3cret")
		}
		if !good {
			_, err := e.connect(t.Context(), broker.Options{})
			require.Equal(t, e.Check(), err, "a wrong URL is never dialled")
		}
	}
}

func TestTheZeroEndpointIsRefused(t *testing.T) {
	_, err := Endpoint{}.Connect(t.Context(), delivery.Options{})
	require.EqualError(t, err, "queue: the Endpoint is zero, must be made by At")
}
