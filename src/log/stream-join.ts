// How a process comes to a log that several share: its own state goes on where the stream shows that it is a part of it. Where
// there is no stream, or it has lost turns that this process has applied, the process that is furthest begins an epoch.

import { elapsedMs, now } from '../clock.ts'
import { LIMITS } from '../limits.ts'
import type { RedisPort, Reply } from '../redis/redis.ts'
import { type LeftBehind, pairsOf, timedOf } from './cluster.ts'
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
  /** Which service it is, over all its epochs. */
  readonly service: string
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
  /**
   * The state is of another history, or too old: one of another process is needed. `isBranch`: it is of the same epoch, and
   * what was published from it is not what others have at the same turns: another epoch must begin.
   */
  | { readonly kind: 'unfit'; readonly meta: StreamMeta; readonly reason: string; readonly isBranch: boolean }
  /** The state is of another service. */
  | { readonly kind: 'foreign'; readonly meta: StreamMeta }
  /** Other processes apply turns by other rules. */
  | { readonly kind: 'rules'; readonly meta: StreamMeta }

export interface JoinOptions {
  readonly redis: RedisPort
  readonly id: string
  readonly own: Place
  readonly rules: string
  /** For a log that begins. */
  readonly secret: string
  /** Of which service the state is; empty: of none yet. */
  readonly service: string
  /** Whether this process has answered customers from that state: it goes before those that only begin. */
  readonly hasServed: boolean
  /** Text that nobody else has. */
  readonly mint: () => string
  /** Whether other processes serve, and whether Redis may be a former master. */
  readonly look: () => Promise<{ readonly areOthers: boolean; readonly leftBehind: LeftBehind | undefined }>
  /** Called with why it waits for somebody to do something, again and again. */
  readonly onWait: (reason: string) => void
}

/** A candidate without a sign of life for so long does not stand any more, ms: one that stops in order needs as long. */
const STANDING_MS = 15_000
/**
 * How long a process must be the furthest before it begins an epoch, ms: one that has served; one without any turn; and any
 * other one, as processes that run may still hold the epoch, or stop because they cannot.
 */
const SETTLE_MS = 600
const SETTLE_EMPTY_MS = 1_500
const UNHELD_MS = LIMITS.holdMsMax + 1_500
const LOOK_MS = 100

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** @returns undefined: there is no log */
export const metaOf = async (redis: RedisPort): Promise<StreamMeta | undefined> => {
  const reply = (await redis.run(WHERE, ['meta'], [])) as readonly Reply[]
  const [epoch, position, chain, rules, secret, service, held] = reply.map(String) as [string, ...string[]]
  if (epoch === '') return undefined
  const texts = { epoch, chain: chain!, rules: rules!, secret: secret!, service: service! }
  return { ...texts, position: Number(position), isHeld: held === '1' }
}

/**
 * Whether a state is one that the stream has been in, and whose next turns it still has; `old`: it no longer has those, so
 * that nobody can say.
 */
const fits = async (redis: RedisPort, own: Place, meta: StreamMeta): Promise<boolean | 'old'> => {
  if (own.position === meta.position) return own.chain === meta.chain
  if (own.position > meta.position) return false
  const id = idOf(own.position + 1)
  const [next] = entriesOf(await redis.callBuffer('XRANGE', redis.key('log'), id, id))
  return next === undefined ? 'old' : chainOf(own.chain, next.octets) === next.chain
}

/** Whether a state is of a later epoch than another one, or further in the same. */
const isFurther = (own: Pick<Place, 'epoch' | 'position'>, other: Pick<Place, 'epoch' | 'position'>): boolean =>
  own.epoch === other.epoch ? own.position > other.position : isLaterEpoch(own.epoch, other.epoch)

/** Who could begin an epoch, and from what. */
export interface Candidate extends Pick<Place, 'epoch' | 'position'> {
  readonly service: string
  readonly hasServed: boolean
}

const standOf = ({ epoch, position, service, hasServed }: Candidate): string =>
  `${position} ${hasServed ? 'served' : 'begins'} ${service} ${epoch}`

const candidateOf = (text: string): Candidate => {
  const [position, served, service = '', epoch = ''] = text.split(' ')
  return { position: Number(position), hasServed: served === 'served', service, epoch }
}

/** Says that a process stands. @returns whether none goes before it; text: why nobody does */
const stands = async (redis: RedisPort, id: string, own: Candidate): Promise<boolean | string> => {
  const [time, all] = (await redis.run(STAND, ['candidates'], [id, standOf(own)])) as readonly Reply[]
  let isFirst = true
  for (const [otherId, text] of pairsOf(all)) {
    const [at, place] = timedOf(text)
    if (Number(time) - at >= STANDING_MS) continue
    const other = candidateOf(place)
    if (other.hasServed !== own.hasServed) isFirst &&= own.hasServed
    else if (other.service !== own.service && other.service !== '' && own.service !== '') {
      return 'data folders of two services begin with one --redis-prefix, and Redis knows neither: stop those of one'
    } else isFirst &&= isFurther(own, other) || (!isFurther(other, own) && otherId >= id)
  }
  return isFirst
}

/** Tells the others how far this process is, before it stops to come back: they wait for it. */
export const standFor = async (redis: RedisPort, id: string, own: Candidate): Promise<void> => {
  await redis.run(STAND, ['candidates'], [id, standOf(own)]).catch(() => undefined)
}

/**
 * Begins an epoch from a state, where the log still is in the former one, held as it was, and has no more turns.
 * @returns undefined: it is not
 */
export const beginEpoch = async (
  redis: RedisPort,
  { own, rules, secret, service }: Pick<JoinOptions, 'own' | 'rules' | 'secret' | 'service'>,
  former: StreamMeta | undefined,
  positionMax = former?.position ?? 0,
): Promise<StreamMeta | undefined> => {
  const epoch = newEpoch(
    now(),
    [former?.epoch ?? '', own.epoch].filter((each) => each !== ''),
  )
  // A state of a log that was not shared: another one may be at the same turn.
  const chain = own.position > 0 && own.chain === '' ? chainOf(epoch, Buffer.from(secret)) : own.chain
  const ofAll = { rules, secret: former?.secret ?? secret, service: former?.service ?? service }
  const meta = { ...own, epoch, chain, ...ofAll, isHeld: true }
  const held = former?.isHeld === true ? 1 : 0
  const before = former?.epoch ?? ''
  const args = [before, epoch, own.position, chain, rules, meta.secret, positionMax, held, meta.service]
  if ((await redis.run(BEGIN, ['meta', 'log'], args)) !== 1) return undefined
  await redis.call('DEL', redis.key('candidates'))
  return meta
}

/** Rejects where Redis fails: to be tried again. */
export const join = async (options: JoinOptions): Promise<Joined> => {
  const { redis, id, own, rules, service, hasServed, mint, look, onWait } = options
  const newLogMs = own.position === 0 ? SETTLE_EMPTY_MS : UNHELD_MS
  let firstSinceMs: number | undefined
  for (;;) {
    const meta = await metaOf(redis)
    let fit: boolean | 'old' = false
    if (meta !== undefined) {
      // An empty state is of no service yet.
      if (own.position > 0 && service !== '' && service !== meta.service) return { kind: 'foreign', meta }
      fit = await fits(redis, own, meta)
      if (fit === true && meta.isHeld) {
        const { areOthers, leftBehind } = await look()
        if (leftBehind === 'wait') {
          onWait('Redis has lost its replicas, and processes that have not ended are silent: it may be a former master')
          await pause(LOOK_MS)
          continue
        }
        // Those that could go on with it elsewhere must not have the same epoch.
        if (leftBehind === 'over') return { kind: 'on', meta, begins: true, isOurs: true }
        if (meta.rules === rules) return { kind: 'on', meta, begins: false, isOurs: false }
        // Nobody else is bound by the old ones.
        return areOthers ? { kind: 'rules', meta } : { kind: 'on', meta, begins: true, isOurs: true }
      }
      // If it is further, the log has lost turns, or a whole epoch, but never in the run of Redis that the epoch is of: there a
      // state that does not fit is of another history.
      if (fit !== true && (meta.isHeld || !isFurther(own, meta))) {
        const where = `the log is at turn ${meta.position} of epoch ${meta.epoch}`
        const reason = `${where}, and goes on from other turns than ours (${own.position})`
        const isBranch = fit === false && own.position > 0 && own.epoch === meta.epoch
        return { kind: 'unfit', meta, reason, isBranch }
      }
    }
    const isFirst = await stands(redis, id, { ...own, service, hasServed })
    const nowMs = elapsedMs()
    if (typeof isFirst === 'string') onWait(isFirst)
    if (isFirst !== true) firstSinceMs = undefined
    else firstSinceMs ??= nowMs
    // Where it fits, nobody holds it: those who could are gone.
    const settleMs = hasServed && fit !== true ? SETTLE_MS : fit === true ? UNHELD_MS : newLogMs
    if (firstSinceMs !== undefined && nowMs - firstSinceMs >= settleMs) {
      if (fit === true) return { kind: 'on', meta: meta!, begins: true, isOurs: true }
      const begun = await beginEpoch(redis, { ...options, service: service || mint() }, meta)
      if (begun !== undefined) return { kind: 'on', meta: begun, begins: false, isOurs: true }
    }
    await pause(LOOK_MS)
  }
}
