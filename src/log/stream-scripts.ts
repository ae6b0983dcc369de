// What Redis does whole for the log that several processes share: each script is one step that nobody sees half of.
//
//   meta      epoch, position (number of the last turn), chain (digest of all turns), rules, secret (between processes),
//             service (which all epochs are of), run (in which history of Redis the epoch is: another one after each restart,
//             and where a replica has become the master), replicas (1: this Redis has had some in this run)
//   log       the stream: a turn has its number as id (`7-0`), and fields p (process), n (its own number), c (the chain with it),
//             t (octets)
//   producer  of one process: its number n of the last turn that was accepted
//   holders   process -> when it has said last where it is, and where: while Redis has another run
//   members   process -> when it was heard, and what it says of itself
//   leader    the process that leads, for as long as it renews this

import type { Script } from '../redis/redis.ts'

/** Refusals, as first words of the error. */
export const FENCED = 'FENCED'
export const GAP = 'GAP'
export const UNHELD = 'UNHELD'

/**
 * The history of this Redis. One that was restarted, or was a replica, may have lost turns that some process has published:
 * before anything is appended there, the processes must agree that it has not.
 */
const RUN = `local info = redis.call('INFO', 'replication')
local run = string.match(info, 'master_replid:(%x+)')`

/**
 * Appends a turn. KEYS meta, log, producer; ARGV epoch, process, n, octets.
 * @returns position and chain; 0 where the turn was accepted before. Refused: FENCED in another epoch, UNHELD in another
 *   run of Redis, GAP where a turn of the process before this one is missing.
 */
export const APPEND: Script = {
  name: 'oddswireAppend',
  keys: 3,
  lua: `
local meta = redis.call('HMGET', KEYS[1], 'epoch', 'position', 'chain', 'run')
if meta[1] ~= ARGV[1] then return redis.error_reply('${FENCED} the epoch is ' .. tostring(meta[1])) end
${RUN}
if meta[4] ~= run then return redis.error_reply('${UNHELD} Redis has begun anew, and the processes have to agree') end
local n = tonumber(ARGV[3])
local last = tonumber(redis.call('GET', KEYS[3]) or '0')
if n <= last then return 0 end
if n ~= last + 1 then return redis.error_reply('${GAP} turn ' .. n .. ' does not follow ' .. last) end
local position = string.format('%d', tonumber(meta[2]) + 1)
local chain = redis.sha1hex(meta[3] .. ARGV[4])
redis.call('XADD', KEYS[2], position .. '-0', 'p', ARGV[2], 'n', ARGV[3], 'c', chain, 't', ARGV[4])
redis.call('HSET', KEYS[1], 'position', position, 'chain', chain)
redis.call('SET', KEYS[3], ARGV[3], 'EX', 86400)
return {position, chain}`,
}

/**
 * Begins an epoch, which goes on from a state. KEYS meta, log; ARGV the epoch before (empty: there is no log), the new epoch,
 * position and chain of the state, rules, secret, how far the epoch before may be, 1 where it may be of this run of Redis, and
 * the service.
 * @returns 1; 0 where another epoch has begun, the log has more turns than that, or the processes hold it meanwhile
 */
export const BEGIN: Script = {
  name: 'oddswireBegin',
  keys: 2,
  lua: `
local meta = redis.call('HMGET', KEYS[1], 'epoch', 'position', 'run')
if (meta[1] or '') ~= ARGV[1] or tonumber(meta[2] or '0') > tonumber(ARGV[7]) then return 0 end
${RUN}
if meta[3] == run and ARGV[8] ~= '1' then return 0 end
redis.call('DEL', KEYS[2])
redis.call('HSET', KEYS[1], 'epoch', ARGV[2], 'position', ARGV[3], 'chain', ARGV[4], 'rules', ARGV[5], 'secret', ARGV[6])
redis.call('HSET', KEYS[1], 'run', run, 'service', ARGV[9])
redis.call('HDEL', KEYS[1], 'replicas')
return 1`,
}

/**
 * Where the log is. KEYS meta.
 * @returns epoch, position, chain, rules, secret, service; 1 where the epoch is of this run of Redis
 */
export const WHERE: Script = {
  name: 'oddswireWhere',
  keys: 1,
  lua: `
local meta = redis.call('HMGET', KEYS[1], 'epoch', 'position', 'chain', 'rules', 'secret', 'service', 'run')
${RUN}
for n = 1, 6 do meta[n] = meta[n] or '' end
meta[7] = meta[7] == run and 1 or 0
return meta`,
}

/**
 * The epoch goes on in this run of Redis: nothing is missing. KEYS meta, holders; ARGV epoch, position, chain.
 * @returns 1; 0 where the log is elsewhere
 */
export const HOLD: Script = {
  name: 'oddswireHold',
  keys: 2,
  lua: `
local meta = redis.call('HMGET', KEYS[1], 'epoch', 'position', 'chain')
if meta[1] ~= ARGV[1] or meta[2] ~= ARGV[2] or meta[3] ~= ARGV[3] then return 0 end
${RUN}
redis.call('HSET', KEYS[1], 'run', run)
redis.call('HDEL', KEYS[1], 'replicas')
redis.call('DEL', KEYS[2])
return 1`,
}

/**
 * A sign of life. KEYS members, leader, meta, producer; ARGV process, what it says of itself, for how long it leads, ms (0: it
 * does not want to).
 * @returns time (epoch ms), who leads, epoch, position, all members as a flat list, 1 where the epoch is of this run of Redis,
 *   1 where Redis has had replicas in this run, and how many have acknowledged what they have within the last second
 */
const BEAT_LUA = `
local time = redis.call('TIME')
local now = string.format('%d', time[1] * 1000 + math.floor(time[2] / 1000))
redis.call('HSET', KEYS[1], ARGV[1], now .. ' ' .. ARGV[2])
local leader = redis.call('GET', KEYS[2])
if leader == ARGV[1] and ARGV[3] == '0' then
  redis.call('DEL', KEYS[2])
  leader = false
elseif leader == ARGV[1] then
  redis.call('PEXPIRE', KEYS[2], ARGV[3])
elseif not leader and ARGV[3] ~= '0' then
  redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[3])
  leader = ARGV[1]
end
redis.call('EXPIRE', KEYS[4], 86400)
local meta = redis.call('HMGET', KEYS[3], 'epoch', 'position', 'run', 'replicas')
${RUN}
local held = meta[3] == run and 1 or 0
local had = held == 1 and meta[4] == '1' and 1 or 0
local here = 0
for lag in string.gmatch(info, 'state=online,offset=%d+,lag=(%d+)') do
  if tonumber(lag) <= 1 then here = here + 1 end
end
if held == 1 and had == 0 and here > 0 then
  redis.call('HSET', KEYS[3], 'replicas', 1)
  had = 1
end
return {now, leader or '', meta[1] or '', meta[2] or '', redis.call('HGETALL', KEYS[1]), held, had, here}`

export const BEAT: Script = { name: 'oddswireBeat', keys: 4, lua: BEAT_LUA }

/** The same where memory is full. */
export const BEAT_FULL: Script = { name: 'oddswireBeatFull', keys: 4, lua: `#!lua flags=allow-oom${BEAT_LUA}` }

/** Ends a membership. KEYS members, leader, producer; ARGV process. */
export const LEAVE: Script = {
  name: 'oddswireLeave',
  keys: 3,
  lua: `#!lua flags=allow-oom
redis.call('HDEL', KEYS[1], ARGV[1])
redis.call('DEL', KEYS[3])
if redis.call('GET', KEYS[2]) == ARGV[1] then redis.call('DEL', KEYS[2]) end
return 1`,
}

/**
 * Who would go on from its state where there is no log, or it is behind; or who is where in another run of Redis. KEYS
 * candidates or holders; ARGV process, where it is.
 * @returns time (epoch ms), all candidates as a flat list: process, `time where`
 */
export const STAND: Script = {
  name: 'oddswireStand',
  keys: 1,
  lua: `
local time = redis.call('TIME')
local now = string.format('%d', time[1] * 1000 + math.floor(time[2] / 1000))
redis.call('HSET', KEYS[1], ARGV[1], now .. ' ' .. ARGV[2])
redis.call('PEXPIRE', KEYS[1], 60000)
return {now, redis.call('HGETALL', KEYS[1])}`,
}
