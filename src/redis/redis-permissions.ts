// What the service needs that its user may do in Redis.

import { adviceOf, RedisFault } from './redis-faults.ts'
import type { RedisPort, Script } from './redis.ts'

/**
 * Answers which commands its user may not give, of those that the service needs. ARGV: a key of the service.
 */
const DENIED: Script = {
  name: 'oddswireDenied',
  keys: 0,
  lua: `#!lua flags=no-writes
local denied = {}
local key = ARGV[1]
for _, command in ipairs({
  { 'GET', key }, { 'SET', key, '1' }, { 'DEL', key }, { 'INCR', key }, { 'EXPIRE', key, '1' }, { 'PEXPIRE', key, '1' },
  { 'HGET', key, '1' }, { 'HMGET', key, '1' }, { 'HGETALL', key }, { 'HSET', key, '1', '1' }, { 'HDEL', key, '1' },
  { 'XADD', key, '*', '1', '1' }, { 'XLEN', key }, { 'XTRIM', key, 'MAXLEN', '1' }, { 'XRANGE', key, '-', '+' },
  { 'XREAD', 'STREAMS', key, '0' }, { 'MEMORY', 'USAGE', key }, { 'INFO' }, { 'TIME' }, { 'WAIT', '0', '0' },
}) do
  if not redis.acl_check_cmd(unpack(command)) then denied[#denied + 1] = command[1] end
end
return denied`,
}

/** What the service may not do there; undefined: it may do all that it needs. Rejects where that cannot be asked. */
export const deniedTo = async (redis: Pick<RedisPort, 'run' | 'key'>): Promise<string | undefined> => {
  const key = redis.key('log')
  const denied = (await redis.run(DENIED, [], [key])) as readonly string[]
  return denied.length === 0 ? undefined : `${denied.join(', ')} (with keys such as ${key})`
}

/** Rejects where its user may not do what the service needs, and says what. */
export const requirePermissions = async (redis: Pick<RedisPort, 'run' | 'key'>): Promise<void> => {
  const denied = await deniedTo(redis)
  if (denied === undefined) return
  const reason = `NOPERM its user lacks what the service needs: ${denied}`
  throw new RedisFault(`${reason}: ${adviceOf(reason)}; oddswire doctor looks at it`, reason)
}
