package streams

import "github.com/redis/go-redis/v9"

// A run's position is the first part of its id in the stream, in microseconds of the server's clock
// or later, so that it names the time of the publication and no two runs of a stream share it.

var (
	// publish: KEYS stream, queues, limits, and seen of each run. ARGV limit, app, life of a key in
	// ms, life of an idle stream in ms, and of each run its key, header and body. It returns the
	// positions of the runs, each -1 if the queue was full.
	publishScript = redis.NewScript(`
local stream, positions = KEYS[1], {}
local function number(n) return string.format('%.0f', n) end
local exists = redis.call('EXISTS', stream) == 1
local length = exists and redis.call('XLEN', stream) or 0
local limit = tonumber(redis.call('HGET', KEYS[3], ARGV[2]) or ARGV[1])
local t = redis.call('TIME')
local free = t[1] * 1000000 + t[2]
local function add(i)
	local a = 4 + 3 * i
	return redis.pcall('XADD', stream, number(free) .. '-0', 'k', ARGV[a - 2], 'h', ARGV[a - 1], 'b', ARGV[a])
end
for i = 1, #KEYS - 3 do
	local position = redis.call('GET', KEYS[3 + i])
	if not position and length >= limit then position = '-1' end
	if not position then
		if not exists then
			redis.call('XGROUP', 'CREATE', stream, 'executors', '0', 'MKSTREAM')
			redis.call('SADD', KEYS[2], stream)
			exists = true
		end
		local added = add(i)
		if type(added) == 'table' and added.err then -- the clock was set back
			local about = redis.call('XINFO', 'STREAM', stream)
			for k = 1, #about, 2 do
				if about[k] == 'last-generated-id' then free = tonumber(string.match(about[k + 1], '^%d+')) + 1 end
			end
			added = add(i)
			if type(added) == 'table' then return added end
		end
		position, free, length = number(free), free + 1, length + 1
		redis.call('SET', KEYS[3 + i], position, 'PX', ARGV[3])
	end
	positions[i] = position
end
if exists then redis.call('PEXPIRE', stream, ARGV[4]) end
return positions
`)

	// prepare: KEYS queues, streams. ARGV life of idle streams and consumers, in ms.
	prepareScript = redis.NewScript(`
for i = 2, #KEYS do
	local made = redis.pcall('XGROUP', 'CREATE', KEYS[i], 'executors', '0', 'MKSTREAM')
	if made.err and not string.find(made.err, 'BUSYGROUP') then return made end
	redis.call('SADD', KEYS[1], KEYS[i])
	redis.call('PEXPIRE', KEYS[i], ARGV[1])
	for _, consumer in ipairs(redis.call('XINFO', 'CONSUMERS', KEYS[i], 'executors')) do
		local about = {}
		for k = 1, #consumer, 2 do about[consumer[k]] = consumer[k + 1] end
		if about.pending == 0 and about.idle > tonumber(ARGV[1]) then
			redis.call('XGROUP', 'DELCONSUMER', KEYS[i], 'executors', about.name)
		end
	end
end
return 1
`)

	// prune: KEYS queues, streams that are gone. One that was made again stays.
	pruneScript = redis.NewScript(`
for i = 2, #KEYS do
	if redis.call('EXISTS', KEYS[i]) == 0 then redis.call('SREM', KEYS[1], KEYS[i]) end
end
return 1
`)
)
