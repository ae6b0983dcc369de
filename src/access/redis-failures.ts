// Failures to log in, counted in Redis over all processes: who has failed too often at one of them waits at all. Each name
// has a key, `fail:NAME`, with the failures, the last one's time and the end of the pause, in Redis' time.
//
// The count of this process stays: while Redis does not answer, it alone decides.

import { createHash } from 'node:crypto'
import type { RedisPort, Script } from '../redis/redis.ts'

export interface FailureTerms {
  /** Failures before there is a pause. */
  readonly failuresMax: number
  /** The first pause, ms; each further one is twice as long, up to the longest. */
  readonly pauseMs: number
  readonly pauseMsMax: number
  /** One failure is forgotten after so long. */
  readonly forgetMs: number
}

/** Whose try it is: the kind of the name tells an email from an address. */
export interface Trier {
  readonly kind: 'email' | 'address'
  readonly name: string
  readonly terms: FailureTerms
}

/** Failures at all processes. Never rejects: where nothing is known of them, nobody waits. */
export interface SharedFailures {
  /**
   * A try begins: it counts as a failure of each, until it is taken back.
   * @returns how long to wait instead, ms; then nothing is counted. 0: not at all
   */
  began(triers: readonly Trier[]): Promise<number>
  /** The try was no failure. `forgets`: neither were those before. */
  tookBack(trier: Trier, forgets: boolean): Promise<void>
}

/** A day in terms of failures that are forgotten: what is kept of a name for longer says nothing. */
const KEPT_MS_MAX = 86_400_000

const NOW = "local t = redis.call('TIME'); local now = t[1] * 1000 + math.floor(t[2] / 1000)"

/** @keys names; @args for each: failuresMax, pauseMs, pauseMsMax, forgetMs */
const BEGAN: Script = {
  name: 'failBegan',
  keys: undefined,
  lua: `${NOW}
    local wait = 0
    for i, key in ipairs(KEYS) do
      wait = math.max(wait, (tonumber(redis.call('HGET', key, 'until')) or 0) - now)
    end
    if wait > 0 then return wait end
    for i, key in ipairs(KEYS) do
      local max, pause, pauseMax, forget = unpack(ARGV, 4 * i - 3, 4 * i)
      local known = redis.call('HMGET', key, 'count', 'at')
      local forgotten = known[2] and math.floor(math.max(0, now - known[2]) / forget) or 0
      local count = math.max(0, (tonumber(known[1]) or 0) - forgotten) + 1
      local waits = 0
      if count >= tonumber(max) then
        waits = math.min(tonumber(pauseMax), pause * 2 ^ math.min(count - max, 30))
      end
      redis.call('HSET', key, 'count', count, 'at', now, 'until', string.format('%d', now + waits))
      redis.call('PEXPIRE', key, string.format('%d', math.min(${KEPT_MS_MAX}, math.max(waits, count * forget))))
    end
    return 0`,
}

const TOOK_BACK: Script = {
  name: 'failTookBack',
  keys: 1,
  lua: `local at = redis.call('HGET', KEYS[1], 'at')
    if at and redis.call('HINCRBY', KEYS[1], 'count', -1) > 0 then
      redis.call('HSET', KEYS[1], 'until', at)
    elseif at then
      redis.call('DEL', KEYS[1])
    end`,
}

/** Redis holds no address and no email for it. */
const keyOf = ({ kind, name }: Trier): string =>
  `fail:${kind}:${createHash('sha256').update(name).digest('base64url').slice(0, 22)}`

export class RedisFailures implements SharedFailures {
  private readonly redis: RedisPort

  /** @param redis whose commands have a deadline: a login waits for them */
  constructor(redis: RedisPort) {
    this.redis = redis
  }

  async began(triers: readonly Trier[]): Promise<number> {
    const args = triers.flatMap(({ terms }) => [terms.failuresMax, terms.pauseMs, terms.pauseMsMax, terms.forgetMs])
    try {
      return Number(await this.redis.run(BEGAN, triers.map(keyOf), args))
    } catch {
      return 0
    }
  }

  async tookBack(trier: Trier, forgets: boolean): Promise<void> {
    try {
      if (forgets) await this.redis.call('DEL', this.redis.key(keyOf(trier)))
      else await this.redis.run(TOOK_BACK, [keyOf(trier)], [])
    } catch {
      // It is forgotten in time.
    }
  }
}
