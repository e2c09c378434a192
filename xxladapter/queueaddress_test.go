package xxladapter_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

func TestQueueAddressesHaveOneForm(t *testing.T) {
	for _, a := range []xxladapter.QueueAddress{{App: "orders"}, {App: "orders", Instance: "a1"}, {App: "my app.*>,/", Instance: "A-_9"}, {App: "订单服务"}} {
		got, ok := xxladapter.ParseQueueAddress(a.String())
		require.True(t, ok, "%+v", a)
		require.Equal(t, a, got)
		require.NoError(t, xxladapter.CheckAddress("address", a.String()))
	}
	for _, text := range []string{
		"", "http://orders/a", "nats://", "nats:///a", "nats://orders/", "nats://orders/a/b", "nats://orders/a.b",
		"nats://orders/*", "nats://a b/c", "nats://orders,b", "nats://%6frders/a", "nats://%zz/a", "nats://user@orders?x=1",
	} {
		_, ok := xxladapter.ParseQueueAddress(text)
		require.False(t, ok, text)
	}
}
