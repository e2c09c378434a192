package queuetest

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// isDenied flushes what was sent and waits for the broker's refusal.
func (c *client) isDenied(what string) {
	c.t.Helper()
	require.NoError(c.t, c.Flush())
	select {
	case err := <-c.denied:
		require.ErrorIs(c.t, err, nats.ErrPermissionViolation, what)
	case <-time.After(5 * time.Second):
		c.t.Fatalf("the broker permits %s", what)
	}
}

// waiting starts and kills an executor of an app, and triggers a new job of the app, so that one
// run waits in the queue. It returns the job and the run.
func (s *site) waiting(app string, group int64) (job, run int64) {
	s.t.Helper()
	s.group = group
	e := s.startExecutorOf(app, app)
	at := addressOf(s.t, s.executors(1)[0])
	e.kill()
	// An executor registers before it asks for what it feeds on, and this one may not have asked.
	require.NoError(s.t, s.connect("schedulers").Prepare(s.t.Context(), at))
	job = s.job("of "+app, nil)
	s.trigger(job)
	testserver.Eventually(s.t, 20*time.Second, "it was handed over", func() bool { return len(s.rows(job)) == 1 })
	return job, s.rows(job)[0].ID
}

// TestAnAppReachesNothingOfAnother uses the broker users that docs/queue.md shows. The user of one
// app tries everything that would read, take, remove or answer a run of the other app, or forge a
// run of its own app.
func TestAnAppReachesNothingOfAnother(t *testing.T) {
	t.Parallel()
	s := newSite(t, newNATS, "sqlite:DIR/x.db")
	n := s.broker.(*natsBroker)
	orders := s.group
	payments := s.addGroup(otherApp)
	job, run := s.waiting(otherApp, payments)
	ownJob, ownRun := s.waiting(app, orders)
	var theirs, own []string
	testserver.Eventually(t, 20*time.Second, "each app and its executor have a consumer", func() bool {
		theirs, own = n.consumers(otherApp), n.consumers(app)
		return len(theirs) == 2 && len(own) == 2
	})
	c := n.client(app)

	var publish []string
	for _, consumer := range append(theirs, own...) {
		publish = append(publish, "$JS.API.CONSUMER.MSG.NEXT.xw_default_payments."+consumer, "$JS.API.CONSUMER.INFO.xw_default_payments."+consumer,
			"xw.default.js.CONSUMER.MSG.NEXT.xw_default_payments."+consumer, "xw.default.js.CONSUMER.INFO.xw_default_payments."+consumer,
			"$JS.ACK.xw_default_payments."+consumer+".1.1.1.1.0")
	}
	for _, stream := range []string{"xw_default_payments", "xw_default_orders"} {
		publish = append(publish,
			"$JS.API.STREAM.MSG.GET."+stream, "$JS.API.DIRECT.GET."+stream, "$JS.API.STREAM.INFO."+stream, "$JS.API.STREAM.CREATE."+stream,
			"$JS.API.STREAM.UPDATE."+stream, "$JS.API.STREAM.DELETE."+stream, "$JS.API.STREAM.PURGE."+stream, "$JS.API.STREAM.MSG.DELETE."+stream,
			"$JS.API.CONSUMER.CREATE."+stream+".x", "$JS.API.CONSUMER.CREATE."+stream+".x.xw.default.run.>", "$JS.API.CONSUMER.DURABLE.CREATE."+stream+".x",
			"$JS.API.CONSUMER.DELETE."+stream+"."+theirs[0], "$JS.API.CONSUMER.LIST."+stream)
	}
	publish = append(publish, "$JS.API.STREAM.LIST", "$JS.API.INFO",
		"xw.default.run.payments.any", "xw.default.run.orders.any", "xw.default.call.payments.x.kill", "xw.default.call.orders.x.kill",
		"xw.default.up.callback.payments", "xw.default.up.accept.payments", "xw.default.up.registry.payments", "xw.default.up.feed.payments",
		"xw.default.reply.schedulers.x", "xw.default.reply.app.payments.x", "_INBOX.x")
	for _, subject := range publish {
		require.NoError(t, c.PublishRequest(subject, "xw.default.reply.app.orders.x", []byte("{}")))
		c.isDenied("a message on " + subject)
	}
	for _, subject := range []string{
		">", "xw.>", "xw.default.run.>", "xw.default.run.payments.any", "xw.default.call.payments.>", "xw.default.call.*.>", "xw.default.up.>",
		"xw.default.reply.>", "xw.default.reply.app.payments.>", "xw.default.reply.schedulers.>", "$JS.>", "_INBOX.>", "xw.default.run.orders.>",
	} {
		_, err := c.SubscribeSync(subject)
		require.NoError(t, err)
		c.isDenied("a subscription to " + subject)
	}

	// The broker permits calls for the user's own app, about any run. The scheduler refuses those
	// about the runs of other apps.
	call := func(op, body string) json.RawMessage {
		m := nats.NewMsg("xw.default.up." + op + ".orders")
		m.Data = []byte(body)
		m.Header.Set("Xxl-Job-Access-Token", accessToken)
		m.Header.Set("Xxl-Job-Appname", otherApp) // a false claim
		reply, err := c.RequestMsg(m, 10*time.Second)
		require.NoError(t, err)
		var got struct {
			Code int
			Data json.RawMessage
		}
		require.NoError(t, json.Unmarshal(reply.Data, &got), "%s", reply.Data)
		require.Equal(t, 200, got.Code, "%s: %s", op, reply.Data)
		return got.Data
	}
	for _, address := range []string{"nats://payments/x", "nats://orders/x"} {
		require.Equal(t, "[false]", string(call("accept", fmt.Sprintf(`[{"logId":%d,"address":%q}]`, run, address))))
	}
	call("callback", fmt.Sprintf(`[{"logId":%d,"logDateTim":1,"handleCode":200,"handleMsg":"forged"}]`, run))
	require.Zero(t, s.rows(job)[0].HandleCode)
	_, err := c.Request("xw.default.js.CONSUMER.INFO.xw_default_orders."+own[0], nil, 5*time.Second)
	require.NoError(t, err)
	require.Empty(t, s.counts())

	// Schedulers and the broker may publish what an app may not. A caller that names where the
	// reply goes must not have them publish there: JetStream takes an empty reply for a request to
	// delete a stream.
	sub, err := c.SubscribeSync("xw.default.reply.app.orders.run")
	require.NoError(t, err)
	for _, consumer := range own {
		require.NoError(t, c.PublishRequest("xw.default.js.CONSUMER.MSG.NEXT.xw_default_orders."+consumer, sub.Subject, []byte("1")))
	}
	taken, err := sub.NextMsg(10 * time.Second)
	require.NoError(t, err)
	for _, to := range []string{
		"$JS.API.STREAM.DELETE.xw_default_payments", "$JS.API.STREAM.PURGE.xw_default_payments",
		"xw.default.run.payments.any", "xw.default.run.orders.any",
	} {
		require.NoError(t, c.PublishRequest(taken.Reply, to, []byte("+WPI")))
		for _, op := range []string{"registry", "no-operation"} {
			require.NoError(t, c.PublishRequest("xw.default.up."+op+".orders", to, nil))
		}
	}
	require.NoError(t, taken.Nak())
	call("accept", "[]")    // a scheduler takes it after those before it
	time.Sleep(time.Second) // for what must not happen
	for _, app := range []string{otherApp, app} {
		_, stream := n.stream(app)
		state := stream.CachedInfo().State
		require.Equal(t, []uint64{1, 1}, []uint64{state.LastSeq, state.Msgs}, "runs published for %s, and waiting", app)
	}

	s.startExecutorOf(app, app)
	s.startExecutorOf(otherApp, otherApp)
	for _, id := range []int64{job, ownJob} {
		require.Equal(t, 200, s.ended(id, 1, 60*time.Second)[0].HandleCode)
	}
	require.Equal(t, map[int64]int{run: 1, ownRun: 1}, s.counts())
	select {
	case err := <-c.denied:
		require.NoError(t, err)
	default:
	}
}
