package streams

import "github.com/redis/go-redis/v9"

// A run's position is the first part of its id in the stream, in microseconds of the server's clock
// or later, so that it names the time of the publication and no two runs of a stream share it.

var (
	// publish: KEYS stream, seen, queues, limits. ARGV key, header, run, limit, app, life of the
	// key in ms, life of an idle stream in ms. It returns the position, or -1 if the queue is full.
	publishScript = redis.NewScript(`
local known = redis.call('GET', KEYS[2])
if known then return known end
if redis.call('EXISTS', KEYS[1]) == 0 then
	redis.call('XGROUP', 'CREATE', KEYS[1], 'executors', '0', 'MKSTREAM')
	redis.call('SADD', KEYS[3], KEYS[1])
elseif redis.call('XLEN', KEYS[1]) >= tonumber(redis.call('HGET', KEYS[4], ARGV[5]) or ARGV[4]) then
	return '-1'
end
local function number(n) return string.format('%.0f', n) end
local t = redis.call('TIME')
local position = number(t[1] * 1000000 + t[2])
local added = redis.pcall('XADD', KEYS[1], position .. '-0', 'k', ARGV[1], 'h', ARGV[2], 'b', ARGV[3])
if type(added) == 'table' and added.err then -- the clock was set back
	local about = redis.call('XINFO', 'STREAM', KEYS[1])
	for i = 1, #about, 2 do
		if about[i] == 'last-generated-id' then position = number(tonumber(string.match(about[i + 1], '^%d+')) + 1) end
	end
	redis.call('XADD', KEYS[1], position .. '-0', 'k', ARGV[1], 'h', ARGV[2], 'b', ARGV[3])
end
redis.call('SET', KEYS[2], position, 'PX', ARGV[6])
redis.call('PEXPIRE', KEYS[1], ARGV[7])
return position
`)

	// prepare: KEYS queues, streams. ARGV life of what is idle in ms.
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
