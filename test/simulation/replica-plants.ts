// Faults that are planted in what several processes share. Some rules stand behind each other: where one alone is missing, the
// next one still holds, so that some plants take away more than one.

import { chainOf, StreamLog } from '../../src/log/stream-log.ts'
import type { Turn } from '../../src/domain/input.ts'
import type { Reply } from '../../src/redis/redis.ts'
import type { Step } from './plan.ts'
import { type Argument, RedisStore } from './redis-store.ts'
import { replicaPlanOf } from './replica-plan.ts'

type Plant = () => () => void

const inScripts =
  (plant: (store: RedisStore, nowAt: number, keys: readonly string[], args: (Argument | Reply)[]) => void): Plant =>
  () => {
    const { run: original } = RedisStore.prototype
    RedisStore.prototype.run = function (this: RedisStore, nowAt, name, keys, args) {
      const changed: (Argument | Reply)[] = [...args]
      if (name === 'oddswireAppend') plant(this, nowAt, keys, changed)
      return original.call(this, nowAt, name, keys, changed as Argument[])
    }
    return () => {
      RedisStore.prototype.run = original
    }
  }

/** What is private of a log, by name. */
interface Inside {
  deliver(this: Inside): void
  readonly position: number
  readonly arrived: Map<number, { readonly octets: Uint8Array; chain: string }>
  readonly chain: string
}

const inside = StreamLog.prototype as unknown as Inside

const repeated = inScripts((store, nowAt, [, , producer], args) => {
  const last = Number(store.execute(nowAt, 'GET', producer!) ?? '0')
  if (Number(args[2]) <= last) store.execute(nowAt, 'SET', producer!, Number(args[2]) - 1)
})

const unheld = inScripts((store, nowAt, [meta]) => {
  const [run] = store.execute(nowAt, 'HMGET', meta!, 'run') as readonly Reply[]
  if (run !== null) store.execute(nowAt, 'HSET', meta!, 'run', store.runId)
})

const unchained: Plant = () => {
  const { deliver } = inside
  inside.deliver = function (this: Inside) {
    let { chain } = this
    for (let position = this.position + 1; ; position++) {
      const next = this.arrived.get(position)
      if (next === undefined) break
      chain = chainOf(chain, next.octets)
      next.chain = chain
    }
    deliver.call(this)
  }
  return () => {
    inside.deliver = deliver
  }
}

const blind: Plant = () => {
  const { look } = StreamLog.prototype
  StreamLog.prototype.look = () => {}
  return () => {
    StreamLog.prototype.look = look
  }
}

const early: Plant = () => {
  const { append } = StreamLog.prototype
  StreamLog.prototype.append = function (this: StreamLog, turn, written) {
    append.call(this, turn, () => {})
    written(turn)
  }
  return () => {
    StreamLog.prototype.append = append
  }
}

/** What is done with turns of other processes. */
const ofOthers =
  (change: (turn: Turn) => Turn | undefined): Plant =>
  () => {
    const { onForeign } = StreamLog.prototype
    StreamLog.prototype.onForeign = function (this: StreamLog, listener) {
      onForeign.call(this, (turn) => {
        const changed = change(turn)
        if (changed !== undefined) listener(changed)
      })
    }
    return () => {
      StreamLog.prototype.onForeign = onForeign
    }
  }

const all =
  (...plants: readonly Plant[]): Plant =>
  () => {
    const removes = plants.map((plant) => plant())
    return () => {
      for (const remove of removes.toReversed()) remove()
    }
  }

export interface Planted {
  readonly what: string
  readonly seed: number
  /** Steps of its plan, by their kinds, for a minute; all that follow on them. */
  readonly kinds: readonly string[]
  readonly ends?: readonly string[]
  readonly plant: Plant
}

/** The steps with which a plant is found. */
export const plantedSteps = (seed: number, kinds: readonly string[], ends: readonly string[] = []): Step[] => {
  const steps = replicaPlanOf(seed, 1).filter(({ kind }) => kinds.includes(kind))
  return [...steps, ...ends.map((kind, n) => ({ atMs: 62_000 + 100 * n, kind, seed: seed + n }))]
}

const WORK = ['send', 'input', 'move']

export const PLANTS: readonly Planted[] = [
  { what: 'a turn counts before it is in the log', seed: 4, kinds: WORK, plant: early },
  {
    what: 'a turn that is sent again is accepted again',
    seed: 12,
    kinds: [...WORK, 'cutAfterAppend', 'cut'],
    plant: repeated,
  },
  {
    what: 'a Redis that has begun anew accepts turns at once',
    seed: 1,
    kinds: ['send', 'pause', 'kill', 'redisTail', 'redisSlow'],
    plant: unheld,
  },
  {
    what: 'a turn of another process is applied at another time',
    seed: 1,
    kinds: WORK,
    plant: ofOthers((turn) => ({ ...turn, at: turn.at + 1 })),
  },
  {
    what: 'a turn of another process is missed',
    seed: 1,
    kinds: WORK,
    plant: ofOthers((turn) => (turn.inputs.length > 3 ? undefined : turn)),
  },
  {
    what: 'nobody compares the log with what was applied',
    seed: 9,
    kinds: ['send'],
    ends: ['pause', 'redisTail'],
    plant: all(unchained, unheld, blind),
  },
]
