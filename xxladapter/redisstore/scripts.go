package redisstore

import "github.com/redis/go-redis/v9"

// The keys of a store share a hash tag. The hash head has these fields:
//
//	gen     generations of the log
//	pos     number of the last record
//	pen     how often the pen has passed from one process to another
//	holder  the process that has the pen, or had it last
//	until   when its pen expires, in ms of the server's clock
//	group   number of the last group of records, as its writer counts
//
// The key want names the process that gets the pen next. log is a stream with an entry for each
// group, whose id is the number of the group's last record.
//
// take, look and append return five numbers: held, gen, pos, pen, wanted. take sets held to 1 if
// the caller has the pen now. look and append set it to 1 if the caller has the pen or had it last;
// append sets it to 2 if it stored the records. wanted is 1 if a process waits for the pen, in a
// take that is refused perhaps the caller itself; look and a refused append do not read it and
// return 0.

// answer begins every script but begin and release: it defines the functions with which they read
// the head and return the state.
const answer = `
local function number(n) return string.format('%.0f', n) end
local function answer(holds, h, wanted)
	return {holds and 1 or 0, tonumber(h[1] or '0'), tonumber(h[2] or '0'), tonumber(h[3] or '0'), wanted and 1 or 0}
end
local function now()
	local t = redis.call('TIME')
	return t[1] * 1000 + math.floor(t[2] / 1000)
end
local function head() return redis.call('HMGET', KEYS[1], 'gen', 'pos', 'pen', 'holder', 'until', 'group') end
`

var (
	// take: KEYS head, want. ARGV holder, life in ms, ms for which a wish lasts.
	takeScript = redis.NewScript(answer + `
local h, want, at = head(), redis.call('GET', KEYS[2]), now()
local mine, over = h[4] == ARGV[1], tonumber(h[5] or '0') <= at
if mine and not over or over and (not want or want == ARGV[1]) then
	if not mine then h[3] = tonumber(h[3] or '0') + 1 end
	redis.call('HSET', KEYS[1], 'pen', number(tonumber(h[3])), 'holder', ARGV[1], 'until', number(at + ARGV[2]))
	if want == ARGV[1] then
		redis.call('DEL', KEYS[2])
		want = false
	end
	return answer(true, h, want)
end
if not want or want == ARGV[1] then redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[3]) end
return answer(false, h, want)
`)

	// look: KEYS head. ARGV holder.
	lookScript = redis.NewScript(answer + `
local h = head()
return answer(h[4] == ARGV[1], h, false)
`)

	// append: KEYS head, want, log. ARGV holder, gen, pos, pen, life in ms, group, number of
	// records, records. A group that is sent again is found by its number, which its writer gives
	// to no other one.
	appendScript = redis.NewScript(answer + `
local h = head()
local mine = h[4] == ARGV[1] and h[1] == ARGV[2] and h[3] == ARGV[4]
local last = number(ARGV[3] + ARGV[7])
if mine and h[2] == ARGV[3] then
	redis.call('XADD', KEYS[3], last .. '-0', 'n', ARGV[7], 'r', ARGV[8])
	redis.call('HSET', KEYS[1], 'pos', last, 'group', ARGV[6])
	h[2] = last
elseif not mine or h[2] ~= last or h[6] ~= ARGV[6] then
	return answer(h[4] == ARGV[1], h, false)
end
redis.call('HSET', KEYS[1], 'until', number(now() + ARGV[5])) -- for a group that is sent again, too
local stored = answer(true, h, redis.call('EXISTS', KEYS[2]) == 1)
stored[1] = 2
return stored
`)

	// begin: KEYS head, log. ARGV holder, pen, gen, pos.
	beginScript = redis.NewScript(`
local h = redis.call('HMGET', KEYS[1], 'gen', 'pen', 'holder')
if h[3] ~= ARGV[1] or h[2] ~= ARGV[2] then
	return redis.error_reply('ERR the pen has passed to another process')
end
if tonumber(h[1] or '0') >= tonumber(ARGV[3]) then
	return redis.error_reply('ERR the log has a later generation')
end
redis.call('DEL', KEYS[2])
redis.call('HSET', KEYS[1], 'gen', ARGV[3], 'pos', ARGV[4])
return 1
`)

	// release: KEYS head. ARGV holder.
	releaseScript = redis.NewScript(`
if redis.call('HGET', KEYS[1], 'holder') == ARGV[1] then redis.call('HSET', KEYS[1], 'until', '0') end
return 1
`)
)
