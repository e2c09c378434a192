package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/redisstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore"
)

// connect opens the store at place, with the Redis of -redis in front of it if one is given.
func (o *opened) connect(ctx context.Context) (xxladapter.Store, error) {
	opts := sqlstore.Options{Logger: logger}
	if o.redis == "" {
		return sqlstore.Open(ctx, o.place, opts)
	}
	return redisstore.Open(ctx, o.redis, o.place, redisstore.Options{SQL: opts})
}

// A redisUse is what a Redis server has used so far.
type redisUse struct {
	cpu  time.Duration
	peak int64 // bytes of memory at most
}

// redisUse returns what the Redis server has used. ok is false without one.
func (o *opened) redisUse(ctx context.Context) (used redisUse, ok bool, err error) {
	if o.redis == "" {
		return used, false, nil
	}
	found, err := askRedis(ctx, o.redis, "cpu", "memory")
	if err != nil {
		return used, false, err
	}
	for _, name := range []string{"used_cpu_sys", "used_cpu_user", "used_cpu_sys_children", "used_cpu_user_children"} {
		seconds, err := strconv.ParseFloat(found[name], 64)
		if err != nil {
			return used, false, fmt.Errorf("%s of Redis: %w", name, err)
		}
		used.cpu += time.Duration(seconds * float64(time.Second))
	}
	used.peak, err = strconv.ParseInt(found["used_memory_peak"], 10, 64)
	return used, err == nil, err
}

// askRedis returns the fields in some sections of a Redis server's INFO.
func askRedis(ctx context.Context, url string, sections ...string) (map[string]string, error) {
	opts, err := redis.ParseURL(url)
	if err != nil {
		return nil, err
	}
	client := redis.NewClient(opts)
	defer func() { _ = client.Close() }() // only read from
	found := map[string]string{}
	text, err := client.Info(ctx, sections...).Result()
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		found[name] = value
	}
	return found, err
}
