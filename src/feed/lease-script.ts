// The leases of sources as Redis has them: all that a process asks about them is one script.

import type { Script } from '../redis/redis.ts'

/**
 * Renews, takes and looks at leases. A lease is `PROCESS RUN SETTLED`. Arguments: id, ms, how many to take at most; then
 * source, what to do, run, settled for each. `keep` renews our run; `must` takes a lease that is free or was ours; `may`
 * does while there is one left to take; `look` takes nothing; `free` gives back. Answers for each: `own` and the run, or
 * the lease of another process, or empty (nobody has it).
 *
 * A Redis that was restarted, or replaced by its replica, may have lost leases that are still held: for as long as one
 * lasts it gives none for sources that have run before. One without a note of it that nobody has used yet is new.
 */
export const LEASES: Script = {
  name: 'oddswireLeases',
  keys: 2,
  lua: `
local id, ms, left = ARGV[1], ARGV[2], tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local info = redis.pcall('INFO', 'server')
local server = type(info) == 'string' and string.match(info, 'run_id:(%x+)') or '0'
local known, since = string.match(redis.call('HGET', KEYS[2], '') or '', '^(%x+) (%d+)$')
if known ~= server then
  since = '0'
  for n = 4, #ARGV, 4 do
    if known or tonumber(ARGV[n + 2]) > 0 then since = string.format('%.0f', now) end
  end
  redis.pcall('HSET', KEYS[2], '', server .. ' ' .. since)
end
local isNew = now - tonumber(since) < tonumber(ms)
local answers = {}
for n = 4, #ARGV, 4 do
  local source, act, run, settled = ARGV[n], ARGV[n + 1], ARGV[n + 2], ARGV[n + 3]
  local key = KEYS[1] .. source
  local value = redis.call('GET', key) or ''
  local holder, held = string.match(value, '^(%S+) (%S+)')
  local answer = value
  if act == 'keep' then
    if holder == id and held == run then
      redis.call('PEXPIRE', key, ms)
      local wanted = id .. ' ' .. run .. ' ' .. settled
      if value ~= wanted then redis.pcall('SET', key, wanted, 'PX', ms) end
      answer = 'own ' .. run
    elseif holder == id then
      answer = ''
    end
  elseif act == 'free' then
    if holder == id and held == run then redis.call('DEL', key) end
    answer = ''
  elseif holder == nil or holder == id then
    answer = ''
    if (act == 'must' or (act == 'may' and left > 0)) and not (isNew and tonumber(run) > 0) then
      local last = tonumber(redis.call('HGET', KEYS[2], source) or '0')
      local text = string.format('%.0f', math.max(last + 1, tonumber(run) + 1, now))
      redis.call('HSET', KEYS[2], source, text)
      redis.call('SET', key, id .. ' ' .. text .. ' 0', 'PX', ms)
      if act == 'may' then left = left - 1 end
      answer = 'own ' .. text
    end
  end
  answers[#answers + 1] = answer
end
return answers`,
}

/** Where leases are, by source; and a hash: the last run by source, and of which server since when under an empty name. */
export const LEASE_KEYS = ['lease:source:', 'lease:runs'] as const
