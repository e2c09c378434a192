package main

import (
	"context"
	"time"
)

// tripCPU holds the processor times of all that take part in trips.
type tripCPU struct {
	scheduler, executor, database, broker time.Duration
	measured, brokerMeasured              bool // the database's and the broker's
	redis                                 redisUse
	behindRedis                           bool
}

func takeCPU(ctx context.Context, o *opened, b *broker, e *executorProcess) (c tripCPU, err error) {
	c.scheduler = cpuTime()
	if c.executor, err = e.cpuTime(); err != nil {
		return c, err
	}
	c.database, c.measured = o.serverCPU(ctx)
	c.broker, c.brokerMeasured = b.cpuTime()
	c.redis, c.behindRedis, err = o.redisUse(ctx)
	return c, err
}

// since returns the processor time that each took for a trip, on average. The scheduler's part
// includes an SQLite database and what little this tool does to count. With a database server, it
// includes only the client's side.
func (c tripCPU) since(began tripCPU, duration time.Duration, seen *seen) []figure {
	_, trips := seen.counts()
	each := func(to, from time.Duration) float64 {
		return float64(to-from) / float64(time.Microsecond) / float64(max(trips, 1))
	}
	figures := []figure{
		{(c.scheduler - began.scheduler).Seconds() / duration.Seconds(), "scheduler-cores"},
		{each(c.scheduler, began.scheduler), "scheduler-µs/trip"},
		{each(c.executor, began.executor), "executor-µs/trip"},
	}
	if c.measured && began.measured {
		figures = append(figures, figure{each(c.database, began.database), "database-µs/trip"})
	}
	if c.brokerMeasured && began.brokerMeasured {
		figures = append(figures, figure{each(c.broker, began.broker), "broker-µs/trip"})
	}
	if c.behindRedis {
		figures = append(
			figures, figure{each(c.redis.cpu, began.redis.cpu), "redis-µs/trip"},
			figure{float64(c.redis.peak) / (1 << 20), "redis-peak-MiB"},
		)
	}
	return figures
}
