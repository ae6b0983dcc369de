// How a process comes to a log that several share: its own state goes on where the stream shows that it is a part of it. Where
// there is no stream, or it has lost turns that this process has applied, the process that is furthest begins an epoch.

import { elapsedMs, now } from '../clock.ts'
import { LIMITS } from '../limits.ts'
import type { RedisPort, Reply } from '../redis/redis.ts'
import { pairsOf, timedOf } from './cluster.ts'
import { isLaterEpoch, newEpoch } from './log-folder.ts'
import { chainOf, entriesOf, idOf } from './stream-log.ts'
import { BEGIN, STAND, WHERE } from './stream-scripts.ts'

/** A state of a log. Epoch and chain are empty at position 0. */
export interface Place {
  readonly epoch: string
  readonly position: number
  readonly chain: string
}

/** What the log says of itself. */
export interface StreamMeta extends Place {
  readonly rules: string
  /** Between its processes. */
  readonly secret: string
  /** Whether the epoch is of this run of Redis: see stream-hold.ts. */
  readonly isHeld: boolean
}

export type Joined =
  /**
   * It goes on from there; `begins`: after the tail was applied, as an epoch of its own, because its rules are others, or
   * because Redis has begun anew.
   * `isOurs`: this process has begun the epoch.
   */
  | { readonly kind: 'on'; readonly meta: StreamMeta; readonly begins: boolean; readonly isOurs: boolean }
  /** The state is of another history, or too old: one of another process is needed. */
  | { readonly kind: 'unfit'; readonly meta: StreamMeta; readonly reason: string }
  /** Other processes apply turns by other rules. */
  | { readonly kind: 'rules'; readonly meta: StreamMeta }

export interface JoinOptions {
  readonly redis: RedisPort
  readonly id: string
  readonly own: Place
  readonly rules: string
  /** For a log that begins. */
  readonly secret: string
  /** Whether other processes are there. */
  readonly areOthers: () => Promise<boolean>
}

/** A candidate without a sign of life for so long does not stand any more, ms: one that stops in order needs as long. */
const STANDING_MS = 15_000
/** How long a process must be the furthest before it begins an epoch, ms; without any turn of its own longer. */
const SETTLE_MS = 600
const SETTLE_EMPTY_MS = 1_500
/** The same where Redis has begun anew: processes that run may still hold the epoch, or stop because they cannot. */
const UNHELD_MS = LIMITS.holdMsMax + 1_500
const LOOK_MS = 100

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** @returns undefined: there is no log */
export const metaOf = async (redis: RedisPort): Promise<StreamMeta | undefined> => {
  const reply = (await redis.run(WHERE, ['meta'], [])) as readonly Reply[]
  const [epoch, position, chain, rules, secret, held] = reply.map(String)
  if (epoch === '' || epoch === undefined) return undefined
  return { epoch, position: Number(position), chain: chain!, rules: rules!, secret: secret!, isHeld: held === '1' }
}

/** Whether a state is one that the stream has been in, and whose next turns it still has. */
const fits = async (redis: RedisPort, own: Place, meta: StreamMeta): Promise<boolean> => {
  if (own.position === meta.position) return own.chain === meta.chain
  if (own.position > meta.position) return false
  const id = idOf(own.position + 1)
  const [next] = entriesOf(await redis.callBuffer('XRANGE', redis.key('log'), id, id))
  return next !== undefined && chainOf(own.chain, next.octets) === next.chain
}

/** Whether a state is of a later epoch than another one, or further in the same. */
const isFurther = (own: Pick<Place, 'epoch' | 'position'>, other: Pick<Place, 'epoch' | 'position'>): boolean =>
  own.epoch === other.epoch ? own.position > other.position : isLaterEpoch(own.epoch, other.epoch)

const standOf = ({ epoch, position }: Pick<Place, 'epoch' | 'position'>): string => `${position} ${epoch}`

/** Says that a process stands. @returns whether none is further */
const stands = async (redis: RedisPort, id: string, own: Place): Promise<boolean> => {
  const [time, all] = (await redis.run(STAND, ['candidates'], [id, standOf(own)])) as readonly Reply[]
  return pairsOf(all)
    .map(([other, text]) => ({ other, timed: timedOf(text) }))
    .filter(({ timed: [at] }) => Number(time) - at < STANDING_MS)
    .every(({ other, timed: [, text] }) => {
      const [position, epoch = ''] = text.split(' ')
      const place = { epoch, position: Number(position) }
      return isFurther(own, place) || (!isFurther(place, own) && other >= id)
    })
}

/** Tells the others how far this process is, before it stops to come back: they wait for it. */
export const standFor = async (redis: RedisPort, id: string, own: Place): Promise<void> => {
  await redis.run(STAND, ['candidates'], [id, standOf(own)]).catch(() => undefined)
}

/**
 * Begins an epoch from a state, where the log still is in the former one, held as it was, and has no more turns.
 * @returns undefined: it is not
 */
export const beginEpoch = async (
  redis: RedisPort,
  { own, rules, secret }: Pick<JoinOptions, 'own' | 'rules' | 'secret'>,
  former: StreamMeta | undefined,
  positionMax = former?.position ?? 0,
): Promise<StreamMeta | undefined> => {
  const epoch = newEpoch(
    now(),
    [former?.epoch ?? '', own.epoch].filter((each) => each !== ''),
  )
  // A state of a log that was not shared: another one may be at the same turn.
  const chain = own.position > 0 && own.chain === '' ? chainOf(epoch, Buffer.from(secret)) : own.chain
  const meta = { ...own, epoch, chain, rules, secret: former?.secret ?? secret, isHeld: true }
  const held = former?.isHeld === true ? 1 : 0
  const args = [former?.epoch ?? '', epoch, own.position, chain, rules, meta.secret, positionMax, held]
  if ((await redis.run(BEGIN, ['meta', 'log'], args)) !== 1) return undefined
  await redis.call('DEL', redis.key('candidates'))
  return meta
}

/** Rejects where Redis fails: to be tried again. */
export const join = async (options: JoinOptions): Promise<Joined> => {
  const { redis, id, own, rules, areOthers } = options
  const settleMs = own.position === 0 ? SETTLE_EMPTY_MS : SETTLE_MS
  let bestSinceMs: number | undefined
  for (;;) {
    const meta = await metaOf(redis)
    let isFit = false
    if (meta !== undefined) {
      isFit = await fits(redis, own, meta)
      if (isFit && meta.isHeld) {
        if (meta.rules === rules) return { kind: 'on', meta, begins: false, isOurs: false }
        // Nobody else is bound by the old ones.
        return (await areOthers()) ? { kind: 'rules', meta } : { kind: 'on', meta, begins: true, isOurs: true }
      }
      // If it is further, the log has lost turns, or a whole epoch, but never in the run of Redis that the epoch is of: there a
      // state that does not fit is of another service, or of a log that was somewhere else.
      if (!isFit && (meta.isHeld || !isFurther(own, meta))) {
        const where = `the log is at turn ${meta.position} of epoch ${meta.epoch}`
        return { kind: 'unfit', meta, reason: `${where}, and goes on from other turns than ours (${own.position})` }
      }
    }
    const isBest = await stands(redis, id, own)
    const nowMs = elapsedMs()
    if (!isBest) bestSinceMs = undefined
    else bestSinceMs ??= nowMs
    if (bestSinceMs !== undefined && nowMs - bestSinceMs >= (isFit ? UNHELD_MS : settleMs)) {
      // Nobody holds it: those who could are gone.
      if (isFit) return { kind: 'on', meta: meta!, begins: true, isOurs: true }
      const begun = await beginEpoch(redis, options, meta)
      if (begun !== undefined) return { kind: 'on', meta: begun, begins: false, isOurs: true }
    }
    await pause(LOOK_MS)
  }
}
