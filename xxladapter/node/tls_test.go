package node

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/executor"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// A whole trip over TLS: the executor registers, is handed a run, and reports.
func TestATripOverTLS(t *testing.T) {
	cert, key := testserver.Certificate(t)
	theirCert, theirKey := testserver.Certificate(t)
	const token = "a token of executors"
	r := runNode(t, Options{AccessToken: token, TLSCert: cert, TLSKey: key, TLSCA: theirCert})
	url := strings.Replace(r.url, "http://", "https://", 1)
	e, err := executor.New(executor.Options{
		Admins: []string{url}, AppName: "tls-app", AccessToken: token, Listen: "127.0.0.1:0",
		TLSCert: theirCert, TLSKey: theirKey, TLSCA: cert,
		DataDir: t.TempDir(), NoSync: true, StopGrace: -1, Logger: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	require.NoError(t, e.Handle("h", func(_ context.Context, run *executor.Run) error {
		run.SetResult(200, "over TLS")
		return nil
	}))
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- e.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-ended)
	})
	<-e.Ready()
	require.True(t, strings.HasPrefix(e.Address(), "https://127.0.0.1:"), e.Address())
	group, err := r.store.SaveGroup(t.Context(), &xxladapter.Group{AppName: "tls-app", Title: "tls"})
	require.NoError(t, err)
	within(t, "the registration", func() bool {
		g, err := r.store.Group(t.Context(), group)
		return err == nil && len(g.Addresses) == 1 && g.Addresses[0] == e.Address()
	})
	job := r.job(group, nil)
	r.trigger(job)
	within(t, "the result over TLS", func() bool {
		logs, err := r.store.Logs(t.Context(), xxladapter.LogFilter{JobID: job})
		return err == nil && len(logs) == 1 && logs[0].HandleMsg == "over TLS"
	})

	_, err = http.Get(url + "/healthz")
	require.ErrorContains(t, err, "certificate", "nobody trusts it unasked")
}

// A renewed certificate is used without a restart.
func TestARenewedCertificateIsServed(t *testing.T) {
	t.Parallel()
	cert, key := testserver.Certificate(t)
	r := runNode(t, Options{TLSCert: cert, TLSKey: key})
	served := func() string {
		conn, err := tls.Dial("tcp", strings.TrimPrefix(r.url, "http://"), &tls.Config{InsecureSkipVerify: true})
		if err != nil {
			return err.Error()
		}
		defer conn.Close()
		return conn.ConnectionState().PeerCertificates[0].SerialNumber.String()
	}
	number := func(file string) string {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		block, _ := pem.Decode(text)
		c, err := x509.ParseCertificate(block.Bytes)
		require.NoError(t, err)
		return c.SerialNumber.String()
	}
	require.Equal(t, number(cert), served())
	renewed, renewedKey := testserver.Certificate(t)
	want := number(renewed)
	require.NoError(t, os.Rename(renewed, cert))
	require.NoError(t, os.Rename(renewedKey, key))
	within(t, "the new certificate", func() bool { return served() == want })
}

func TestTLSFilesAreChecked(t *testing.T) {
	cert, key := testserver.Certificate(t)
	_, other := testserver.Certificate(t)
	for _, opts := range []Options{{TLSCert: cert}, {TLSKey: key}, {TLSCert: cert, TLSKey: other}, {TLSCert: "none.pem", TLSKey: key}, {TLSCA: key}, {TLSCA: "none.pem"}} {
		opts.Store = refusingNothing{}
		_, err := New(opts)
		require.ErrorContains(t, err, "node: Options.TLS")
		_, err = executor.New(executor.Options{TLSCert: opts.TLSCert, TLSKey: opts.TLSKey, TLSCA: opts.TLSCA, Listen: "127.0.0.1:0"})
		require.ErrorContains(t, err, "executor: Options.TLS")
	}
	config, err := access.ServerTLS("", "")
	require.NoError(t, err)
	require.Nil(t, config)
}

// refusingNothing is a store that nobody asks.
type refusingNothing struct{ xxladapter.Store }
