// The Lua scripts of redis-reservations.ts. Redis runs each whole, and refuses it whole where it cannot write: `#!lua`.
//
//   use:life                 hash: id, server (which process of Redis, which history), settled (ms of Redis' clock)
//   use:KIND:START:ORG       hash of a window: n (requests that all processes have reserved), life (in which that was written),
//                            base (what is known to have been reserved before that life)
//
// A life is a time in which Redis has forgotten nothing: it begins anew when `use:life` is missing, or was written by
// another process of Redis or in another history (a restart, a replica in its place). What is stored may then be too
// little. Each process reports what it knows to be reserved, and until `settled` nothing is granted, so that all have. A
// report that comes later still raises `base`, and `n` with it: what was granted meanwhile stays counted besides.

import type { Script } from '../redis/redis.ts'

/**
 * Arguments of all: id of a life that would begin, how long it settles (ms), until when the script may run (ms of Redis'
 * clock; 0: at any time), and the life that the caller knows. Answers begin with a word, the time, the life, and for how
 * long it still settles.
 */
const BEGIN = `#!lua
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local server = redis.call('INFO', 'server'):match('run_id:(%w+)')
  .. ' ' .. redis.call('INFO', 'replication'):match('master_replid:(%w+)')
local life = redis.call('HMGET', KEYS[1], 'server', 'id', 'settled')
-- Further away than a life settles: the clock of Redis was set back.
if life[1] ~= server or life[3] - now > tonumber(ARGV[2]) then
  life = { server, life[1] == server and life[2] or ARGV[1], string.format('%.0f', now + ARGV[2]) }
  redis.call('HSET', KEYS[1], 'server', life[1], 'id', life[2], 'settled', life[3])
end
local settles = math.max(0, life[3] - now)
local function answer(word, numbers)
  local all = { word, now, life[2], settles }
  for _, number in ipairs(numbers or {}) do all[#all + 1] = number end
  return all
end
local function windowOf(key)
  local stored = redis.call('HMGET', key, 'n', 'base', 'life')
  local n = tonumber(stored[1] or '0')
  return n, stored[3] == life[2] and tonumber(stored[2]) or n
end
local function keep(key, n, base) redis.call('HSET', key, 'n', n, 'base', base, 'life', life[2]) end
if tonumber(ARGV[3]) > 0 and now > tonumber(ARGV[3]) then return answer('late') end
`

const OF_THIS_LIFE = `if ARGV[4] ~= life[2] then return answer('life') end
`

/** Answers `here`: which life it is. */
export const LOOK: Script = { name: 'usageLook', keys: undefined, lua: `${BEGIN}return answer('here')` }

/** For each window: what is known to be reserved, and for how long the key is kept (ms). Answers `reported`, or `life`. */
export const REPORT: Script = {
  name: 'usageReport',
  keys: undefined,
  lua: `${BEGIN}${OF_THIS_LIFE}
for i = 2, #KEYS do
  local known = tonumber(ARGV[2 * i + 1])
  local n, base = windowOf(KEYS[i])
  if known > base then
    keep(KEYS[i], n + known - base, known)
    redis.call('PEXPIRE', KEYS[i], ARGV[2 * i + 2])
  end
end
return answer('reported')`,
}

/**
 * For each window: how many are wanted, the limit, the part of what is left that is granted at most, and for how long the key
 * is kept (ms). Answers `granted`, then `before` and `granted` of each; or `life`, `settles`, `late`, without an effect.
 */
export const RESERVE: Script = {
  name: 'usageReserve',
  keys: undefined,
  lua: `${BEGIN}${OF_THIS_LIFE}
if settles > 0 then return answer('settles') end
local grants = {}
for i = 2, #KEYS do
  local at = 4 * i - 3
  local wanted, limit, share = tonumber(ARGV[at]), tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
  local before, base = windowOf(KEYS[i])
  local left = limit - before
  local granted = math.max(0, math.min(wanted, left, math.max(1, math.floor(left * share))))
  if granted > 0 then
    keep(KEYS[i], before + granted, base)
    redis.call('PEXPIRE', KEYS[i], ARGV[at + 3])
  end
  grants[#grants + 1] = before
  grants[#grants + 1] = granted
end
return answer('granted', grants)`,
}

/** For each window: how many are given back. Answers `released`, then what is reserved of each; or `life`, `late`. */
export const RELEASE: Script = {
  name: 'usageRelease',
  keys: undefined,
  lua: `${BEGIN}${OF_THIS_LIFE}
local left = {}
for i = 2, #KEYS do
  local n, base = windowOf(KEYS[i])
  left[#left + 1] = math.max(0, n - ARGV[i + 3])
  if n > 0 then keep(KEYS[i], left[#left], base) end
end
return answer('released', left)`,
}
