package redisstore

import "github.com/redis/go-redis/v9"

// The keys of a store share a hash tag. The hash head has these fields:
//
//	gen     generation of the log: how often it was begun
//	pos     number of the last record
//	pen     how often the pen has passed from one process to another
//	holder  the process that has the pen, or had it last
//	until   when its pen expires, in ms of the server's clock
//	group   number of the last batch of records, as its writer counts
//	want    the process that gets the pen next
//	wish    when want no longer counts, in ms of the server's clock
//	home    the node of a cluster that has the head, see the type home
//	line    the home in which the log was begun; it stays while the log loses nothing
//	m:NODE  the history in which a node of the cluster was a master while the head was elsewhere
//
// The key log is a stream with an entry for each batch, whose id is the number of the batch's last
// record. It exists from the beginning, so that a slot that is migrated never lacks it. The scripts
// begin, append and read need both keys; the others need the head alone, and work while the two
// keys are on different nodes.
//
// take, look and append return five numbers: held, gen, pos, pen, wanted. take sets held to 1 if
// the caller has the pen now. look and append set it to 1 if the caller has the pen or had it last;
// append sets it to 2 if it stored the records, and to -1 if the head's home is another node than
// the caller's. wanted is 1 if a process waits for the pen; after a refused take, that may be the
// caller itself. look and a refused append do not read it and return 0. look also returns home,
// line, and m:NODE of one node.

// answer is the beginning of the scripts take, look and append: it defines the functions with which
// they read the head and return the state.
const answer = `
local function number(n) return string.format('%.0f', n) end
local function answer(holds, h, wanted)
	return {holds and 1 or 0, tonumber(h[1] or '0'), tonumber(h[2] or '0'), tonumber(h[3] or '0'), wanted and 1 or 0}
end
local function now()
	local t = redis.call('TIME')
	return t[1] * 1000 + math.floor(t[2] / 1000)
end
local function head() return redis.call('HMGET', KEYS[1], 'gen', 'pos', 'pen', 'holder', 'until', 'group', 'want', 'wish', 'home') end
`

var (
	// take: KEYS head. ARGV holder, life in ms, ms for which a wish lasts.
	takeScript = redis.NewScript(answer + `
local h, at = head(), now()
local mine, till, wish = h[4] == ARGV[1], tonumber(h[5] or '0'), tonumber(h[8] or '0')
local want = wish > at and wish <= at + ARGV[3] and h[7] -- a later one was set by another clock
local over = till <= at or till > at + ARGV[2] -- the latter, too
if mine and not over or over and (not want or want == ARGV[1]) then
	if not mine then h[3] = tonumber(h[3] or '0') + 1 end
	redis.call('HSET', KEYS[1], 'pen', number(tonumber(h[3])), 'holder', ARGV[1], 'until', number(at + ARGV[2]))
	if want == ARGV[1] then
		redis.call('HDEL', KEYS[1], 'want', 'wish')
		want = false
	end
	return answer(true, h, want)
end
if not want or want == ARGV[1] then redis.call('HSET', KEYS[1], 'want', ARGV[1], 'wish', number(at + ARGV[3])) end
return answer(false, h, want)
`)

	// look: KEYS head. ARGV holder, node.
	lookScript = redis.NewScript(answer + `
local h, at = head(), redis.call('HMGET', KEYS[1], 'line', 'm:' .. ARGV[2])
local found = answer(h[4] == ARGV[1], h, false)
found[6], found[7], found[8] = h[9] or '', at[1] or '', at[2] or ''
return found
`)

	// create: KEYS head. ARGV the fields of a head that does not exist yet, each with its value.
	createScript = redis.NewScript(`
if redis.call('EXISTS', KEYS[1]) == 0 then redis.call('HSET', KEYS[1], unpack(ARGV)) end
return 1
`)

	// adopt: KEYS head. ARGV the home that it names, the one that it names from now on, and each
	// m:NODE with its history.
	adoptScript = redis.NewScript(`
if redis.call('HGET', KEYS[1], 'home') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'home', unpack(ARGV, 2))
return 1
`)

	// append: KEYS head, log. ARGV holder, gen, pos, pen, life in ms, batch, number of records,
	// records, node; an empty node is that of the head's home. A batch that is sent again is found
	// by its number, which its writer gives to no other one.
	appendScript = redis.NewScript(answer + `
local h = head()
if ARGV[9] ~= '' and string.match(h[9] or '', '^%x*') ~= ARGV[9] then
	local away = answer(false, h, false)
	away[1] = -1
	return away
end
local mine = h[4] == ARGV[1] and h[1] == ARGV[2] and h[3] == ARGV[4]
local last = number(ARGV[3] + ARGV[7])
if mine and h[2] == ARGV[3] then
	redis.call('XADD', KEYS[2], last .. '-0', 'n', ARGV[7], 'r', ARGV[8])
	redis.call('HSET', KEYS[1], 'pos', last, 'group', ARGV[6])
	h[2] = last
elseif not mine or h[2] ~= last or h[6] ~= ARGV[6] then
	return answer(h[4] == ARGV[1], h, false)
end
local at = now()
redis.call('HSET', KEYS[1], 'until', number(at + ARGV[5])) -- for a batch that is sent again, too
local stored = answer(true, h, tonumber(h[8] or '0') > at)
stored[1] = 2
return stored
`)

	// begin: KEYS head, log. ARGV holder, pen, gen, pos, and the fields that say where the head is,
	// each with its value. A second call does nothing.
	beginScript = redis.NewScript(`
local h = redis.call('HMGET', KEYS[1], 'gen', 'pen', 'holder', 'pos')
if h[3] ~= ARGV[1] or h[2] ~= ARGV[2] then
	return redis.error_reply('ERR the pen has passed to another process')
end
if h[1] == ARGV[3] and h[4] == ARGV[4] then return 1 end
if tonumber(h[1] or '0') >= tonumber(ARGV[3]) then
	return redis.error_reply('ERR the log has a later generation')
end
redis.call('DEL', KEYS[2])
redis.call('XADD', KEYS[2], '0-1', 'n', '0')
redis.call('XTRIM', KEYS[2], 'MAXLEN', '0')
redis.call('HSET', KEYS[1], 'gen', ARGV[3], 'pos', ARGV[4], unpack(ARGV, 5))
return 1
`)

	// read: KEYS head, log. ARGV numbers of the first and the last record, number of entries. The
	// head is a key although it is not read: a node that imports the slot answers as if a single
	// missing key were empty, but refuses two keys of which one is missing.
	readScript = redis.NewScript(`
return redis.call('XRANGE', KEYS[2], ARGV[1], ARGV[2], 'COUNT', ARGV[3])
`)

	// release: KEYS head. ARGV holder.
	releaseScript = redis.NewScript(`
if redis.call('HGET', KEYS[1], 'holder') == ARGV[1] then redis.call('HSET', KEYS[1], 'until', '0') end
return 1
`)
)
