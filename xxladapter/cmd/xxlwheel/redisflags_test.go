package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

func TestRedisFlagsAreChecked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"serve", "--redis-may-lose"}, "--redis-may-lose needs --redis"},
		{[]string{"serve", "--redis", "redis://127.0.0.1:1/0", "--store", "sqlite:x.db"}, "--redis needs a --store on PostgreSQL or MySQL"},
		{[]string{"serve", "--redis", "http://127.0.0.1:1/0", "--store", "mysql://u@h/d", "--listen", "127.0.0.1:0"}, "--redis is \""},
		{[]string{"serve", "--redis", "http://u:secret@127.0.0.1:1/0", "--store", "postgres://h/d", "--listen", "127.0.0.1:0"}, "--redis is \""},
		{[]string{"store", "compare", "--store", "postgres://h/d"}, "--redis is missing"},
	} {
		code, _, stderr := cli(t, c.args...)
		require.Equal(t, command.ExitUsage, code, stderr)
		require.Contains(t, stderr, c.want)
		require.NotContains(t, stderr, "secret")
	}
}

// The library names its option; the command adds the flag.
func TestALossyRedisIsRefusedByTheNameOfItsFlag(t *testing.T) {
	t.Parallel()
	redis := testserver.StartRedis(t, "appendfsync everysec")
	code, _, stderr := cli(t, "serve", "--redis", redis.URL("0"), "--store", "postgres://h/d", "--listen", "127.0.0.1:0")
	require.Equal(t, command.ExitUsage, code, stderr)
	require.Contains(t, stderr, "must have yes and always, or Options.MayLose (--redis-may-lose)")
}
