package jetstream

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

func TestSubjectsHaveOneTokenForAnApp(t *testing.T) {
	n := names{"tests"}
	for _, app := range []string{"orders", "my app.*>/,", "订单服务", "a%2Eb"} {
		for _, to := range []xxladapter.QueueAddress{{App: app}, {App: app, Instance: "a-1"}} {
			subject := n.run(to)
			require.NotContains(t, subject, " ")
			require.NotContains(t, subject, "*")
			require.NotContains(t, subject, ">")
			want := 5
			if to.Instance != "" {
				want = 6
			}
			require.Len(t, strings.Split(subject, "."), want, subject)
			got, ok := n.appOf(subject)
			require.True(t, ok)
			require.Equal(t, app, got)
		}
	}
	_, ok := n.appOf("xw.others.run.orders.any")
	require.False(t, ok)
}

func TestAShownURLHasNoSecrets(t *testing.T) {
	for url, want := range map[string]string{
		"nats://u:s3cret@h:4222":                    "nats://h:4222/default",
		"tls://s3cret@h:4222/orders":                "tls://h:4222/orders",
		"nats://u:s3cret@a:1/x,nats://u:s3cret@b:1": "nats://a:1,nats://b:1/x",
	} {
		got, err := Parse(url)
		require.NoError(t, err)
		require.Equal(t, want, got.Shown)
	}
	for _, url := range []string{"", "http://h:1", "nats://", "nats://u:s3cret@h:1/A", "nats://u:s3cret@h:1/a.b", "nats://u:s3cret@h:1?x=1"} {
		_, err := Parse(url)
		require.Error(t, err, url)
		require.NotContains(t, err.Error(), "s3cret")
	}
}
