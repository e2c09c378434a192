package queuetest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nkeys"
	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// A signer is a key of NATS with its public part.
type signer struct {
	nkeys.KeyPair
	public string
}

func newSigner(t *testing.T, make func() (nkeys.KeyPair, error)) signer {
	t.Helper()
	pair, err := make()
	require.NoError(t, err)
	public, err := pair.PublicKey()
	require.NoError(t, err)
	return signer{pair, public}
}

func encoded(t *testing.T, claims jwt.Claims, by signer) string {
	t.Helper()
	text, err := claims.Encode(by)
	require.NoError(t, err)
	return text
}

// writeCredentials writes what nsc writes for a user with these rights. by signs it.
func writeCredentials(t *testing.T, file string, by signer, publish, subscribe []string) {
	t.Helper()
	user := newSigner(t, nkeys.CreateUser)
	claims := jwt.NewUserClaims(user.public)
	claims.Pub.Allow.Add(publish...)
	claims.Sub.Allow.Add(subscribe...)
	claims.Resp = &jwt.ResponsePermission{MaxMsgs: 1, Expires: time.Minute}
	seed, err := user.Seed()
	require.NoError(t, err)
	text, err := jwt.FormatUserConfig(encoded(t, claims, by), seed)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, text, 0o600))
}

// TestTLSAndCredentialsFiles runs a broker that accepts only TLS. Its users have credentials files
// that an operator signed. An executor's file grants what docs/queue.md says for a single account.
func TestTLSAndCredentialsFiles(t *testing.T) {
	t.Parallel()
	s := emptySite(t)
	in := func(name string) string { return filepath.Join(s.dir, name) }
	var key string
	s.ca, key = testserver.Certificate(t)
	s.credentials = func(user string) string { return in(user + ".creds") }
	n := &natsBroker{t: t, dir: s.dir, port: testserver.FreePort(t), credentials: s.credentials}
	s.broker = n

	operator, account, system := newSigner(t, nkeys.CreateOperator), newSigner(t, nkeys.CreateAccount), newSigner(t, nkeys.CreateAccount)
	operates := jwt.NewOperatorClaims(operator.public)
	operates.SystemAccount = system.public
	holds := jwt.NewAccountClaims(account.public)
	holds.Limits.JetStreamLimits = jwt.JetStreamLimits{MemoryStorage: jwt.NoLimit, DiskStorage: jwt.NoLimit, Streams: jwt.NoLimit, Consumer: jwt.NoLimit}
	config := fmt.Sprintf("operator: %s\nsystem_account: %s\nresolver: MEMORY\nresolver_preload: { %s: %s, %s: %s }\njetstream {}\ntls { cert_file: %q, key_file: %q }\n",
		encoded(t, operates, operator), system.public, account.public, encoded(t, holds, operator),
		system.public, encoded(t, jwt.NewAccountClaims(system.public), operator), s.ca, key)
	require.NoError(t, os.WriteFile(in("nats.conf"), []byte(config), 0o600))
	writeCredentials(t, s.credentials("schedulers"), account,
		[]string{"xw.default.run.>", "xw.default.call.>", "xw.default.reply.app.>", "$JS.API.>"}, []string{"xw.default.up.>", "xw.default.reply.schedulers.>"})
	writeCredentials(t, s.credentials(app), account, []string{
		"xw.default.up.*.orders", "$JS.API.CONSUMER.INFO.xw_default_orders.*", "$JS.API.CONSUMER.MSG.NEXT.xw_default_orders.*", "$JS.ACK.xw_default_orders.>",
	}, []string{"xw.default.call.orders.>", "xw.default.reply.app.orders.>"})
	writeCredentials(t, in("stranger.creds"), newSigner(t, nkeys.CreateAccount), []string{">"}, []string{">"})

	s.begin("sqlite:DIR/x.db")
	s.startExecutor("e1")
	s.executors(1)
	job := s.job("job", nil)
	s.trigger(job)
	r := s.ended(job, 1, 30*time.Second)[0]
	require.Equal(t, 200, r.HandleCode, "%+v", r)

	for _, c := range []struct {
		want string
		args []string
	}{
		{"refuses the credentials", []string{"--queue-credentials", in("stranger.creds"), "--tls-ca", s.ca}},
		{"refuses the credentials", []string{"--tls-ca", s.ca}},
		{"certificate signed by unknown authority", []string{"--queue-credentials", s.credentials(app)}},
		{"no such file", []string{"--queue-credentials", in("missing"), "--tls-ca", s.ca}},
	} {
		args := append([]string{"executor", "--app", app, "--data-dir", in("other"), "--access-token", accessToken, "--queue", n.url(app)}, c.args...)
		out, err := exec.Command(xxlwheel, args...).CombinedOutput()
		require.Error(t, err, "%v", c.args)
		require.Contains(t, string(out), c.want)
		require.Equal(t, 1, strings.Count(string(out), "\n"), "%s", out)
	}

	plain := newSite(t, newNATS, "sqlite:DIR/x.db")
	out, err := exec.Command(xxlwheel, "executor", "--app", app, "--data-dir", in("plain"), "--access-token", accessToken,
		"--queue", strings.Replace(plain.broker.url(app), "nats://", "tls://", 1)).CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "secure connection not available")
}
