package redisstore

import (
	"context"
	"strings"

	"github.com/redis/go-redis/v9"
)

// A client of a node that imports the slot says ASKING before each command. The methods below are
// those that a server calls.

// inCharge returns the client of the node that has the slot.
func (c *client) inCharge() *client {
	if c.owner != nil {
		return c.owner
	}
	return c
}

// asking runs one command after ASKING, on the same connection.
func asking[C redis.Cmder](ctx context.Context, c *client, queue func(redis.Pipeliner) C) C {
	pipe := c.Client.Pipeline()
	pipe.Do(ctx, "asking")
	cmd := queue(pipe)
	if _, err := pipe.Exec(ctx); err != nil && cmd.Err() == nil {
		cmd.SetErr(err)
	}
	return cmd
}

// EvalSha implements [redis.Scripter].
func (c *client) EvalSha(ctx context.Context, sha string, keys []string, args ...any) *redis.Cmd {
	if c.owner == nil {
		return c.Client.EvalSha(ctx, sha, keys, args...)
	}
	return asking(ctx, c, func(p redis.Pipeliner) *redis.Cmd { return p.EvalSha(ctx, sha, keys, args...) })
}

// Eval implements [redis.Scripter].
func (c *client) Eval(ctx context.Context, script string, keys []string, args ...any) *redis.Cmd {
	if c.owner == nil {
		return c.Client.Eval(ctx, script, keys, args...)
	}
	return asking(ctx, c, func(p redis.Pipeliner) *redis.Cmd { return p.Eval(ctx, script, keys, args...) })
}

// XTrimMinID removes the beginning of a stream.
func (c *client) XTrimMinID(ctx context.Context, key, least string) *redis.IntCmd {
	if c.owner == nil {
		return c.Client.XTrimMinID(ctx, key, least)
	}
	return asking(ctx, c, func(p redis.Pipeliner) *redis.IntCmd { return p.XTrimMinID(ctx, key, least) })
}

// redirected returns the address in an ASK redirection; is reports whether err is one.
func redirected(err error) (at string, is bool) {
	if err == nil {
		return "", false
	}
	fields := strings.Fields(err.Error())
	if len(fields) != 3 || fields[0] != "ASK" {
		return "", false
	}
	return fields[2], true
}

// undone reports whether an error says that a node has done nothing, because it does not have the
// slot, or not all of its keys.
func undone(err error) bool {
	for _, code := range []string{"MOVED ", "ASK ", "TRYAGAIN ", "CLUSTERDOWN "} {
		if err != nil && strings.HasPrefix(err.Error(), code) {
			return true
		}
	}
	return false
}
