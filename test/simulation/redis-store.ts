// What a Redis keeps, and the commands and scripts that the product gives it: as far as these use them. That it answers as the
// real one does is tested beside (redis-store.test.ts).

import { createHash } from 'node:crypto'
import type { Reply } from '../../src/redis/redis.ts'

export type Argument = string | number | Buffer

/** One entry of a stream. The second part of its id is 0. */
interface StreamEntry {
  readonly id: number
  /** Names and values, in turn. */
  readonly fields: readonly Buffer[]
}

interface Stream {
  readonly entries: readonly StreamEntry[]
  /** Of the last one that was added. */
  readonly last: number
}

/** Values are never changed in place: a copy of the map is a dump. */
type Value = ReadonlyMap<string, Buffer> | Stream | Buffer

interface Kept {
  readonly value: Value
  /** Epoch ms; undefined: it does not expire. */
  readonly expiresAt: number | undefined
}

export type Dump = ReadonlyMap<string, Kept>

export class RedisError extends Error {}

const WRONG_TYPE = 'WRONGTYPE Operation against a key holding the wrong kind of value'
const OOM = "OOM command not allowed when used memory > 'maxmemory'."

/** Commands that may enlarge the memory. */
const ENLARGING = ['HSET', 'SET', 'XADD']
const WRITING = [...ENLARGING, 'DEL', 'HDEL', 'EXPIRE', 'PEXPIRE', 'XTRIM']

const octetsOf = (argument: Argument | undefined): Buffer =>
  Buffer.isBuffer(argument) ? argument : Buffer.from(String(argument))

const idOf = (text: string, first: boolean): number => {
  if (text === '-') return 0
  if (text === '+') return Number.MAX_SAFE_INTEGER
  const [ms, part] = text.split('-')
  // Parts other than 0 do not occur: an id with one lies behind that without.
  return Number(ms) + (part !== undefined && Number(part) > 0 && first ? 1 : 0)
}

const shown = ({ id, fields }: StreamEntry): Reply => [Buffer.from(`${id}-0`), fields]

export class RedisStore {
  /** What a script or a command has written: for a journal. */
  isDirty = false
  /** No memory is left. */
  isFull = false
  /** Of this history of Redis: another one after each restart. */
  readonly runId: string
  private readonly keys: Map<string, Kept>

  constructor(runId: string, dump: Dump = new Map()) {
    this.runId = runId
    this.keys = new Map(dump)
  }

  /** All of it as it is now. */
  dump(): Dump {
    return new Map(this.keys)
  }

  /**
   * Carries out a command. Throws {@link RedisError}. Texts of the answer are octets.
   * @param nowAt epoch ms
   */
  execute(nowAt: number, name: string, ...args: readonly Argument[]): Reply {
    const command = name.toUpperCase()
    if (this.isFull && ENLARGING.includes(command)) throw new RedisError(OOM)
    return this.carryOut(nowAt, command, args)
  }

  /** Runs a script of the product. Throws {@link RedisError}. */
  run(nowAt: number, name: string, keys: readonly string[], args: readonly Argument[]): Reply {
    const script = SCRIPTS[name]
    if (script === undefined) throw new Error(`there is no simulated script ${name}`)
    let hasWritten = false
    return script(
      (command, ...rest) => {
        // What has begun to write is not refused.
        const isDenied = this.isFull && !script.allowsFull && !hasWritten && ENLARGING.includes(command)
        if (isDenied) throw new RedisError(OOM)
        hasWritten ||= WRITING.includes(command)
        return this.carryOut(nowAt, command, rest)
      },
      keys,
      args.map((argument) => octetsOf(argument)),
      nowAt,
      this.runId,
    )
  }

  /** Entries of a stream behind an id, for a reader that waits. */
  after(nowAt: number, key: string, id: string, count: number): Reply {
    const entries = this.stream(nowAt, key)?.entries ?? []
    const after = idOf(id, false)
    // Readers are near the end.
    let first = entries.length
    while (first > 0 && entries[first - 1]!.id > after) first--
    const behind = entries.slice(first, first + count)
    return behind.length === 0 ? null : [[Buffer.from(key), behind.map(shown)]]
  }

  private carryOut(nowAt: number, command: string, args: readonly Argument[]): Reply {
    const [key = '', ...rest] = args.map(String)
    if (WRITING.includes(command)) this.isDirty = true
    switch (command) {
      case 'PING':
        return Buffer.from('PONG')
      case 'TIME':
        return [Math.floor(nowAt / 1_000), (nowAt % 1_000) * 1_000].map((each) => Buffer.from(String(Math.floor(each))))
      case 'GET':
        return this.text(nowAt, key) ?? null
      case 'SET':
        return this.set(nowAt, key, octetsOf(args[1]), rest.slice(1))
      case 'DEL':
        return args.map(String).reduce((count, each) => count + (this.drop(nowAt, each) ? 1 : 0), 0)
      case 'EXPIRE':
      case 'PEXPIRE': {
        const kept = this.at(nowAt, key)
        if (kept === undefined) return 0
        this.keys.set(key, { ...kept, expiresAt: nowAt + Number(rest[0]) * (command === 'EXPIRE' ? 1_000 : 1) })
        return 1
      }
      case 'HMGET':
        return rest.map((field) => this.hash(nowAt, key).get(field) ?? null)
      case 'HGETALL':
        return [...this.hash(nowAt, key)].flatMap(([field, value]) => [Buffer.from(field), value])
      case 'HSET': {
        const hash = new Map(this.hash(nowAt, key))
        const before = hash.size
        for (let place = 1; place + 1 < args.length; place += 2)
          hash.set(String(args[place]), octetsOf(args[place + 1]))
        this.put(nowAt, key, hash)
        return hash.size - before
      }
      case 'HDEL': {
        const hash = new Map(this.hash(nowAt, key))
        const count = rest.reduce((sum, field) => sum + (hash.delete(field) ? 1 : 0), 0)
        if (count > 0 && hash.size === 0) this.keys.delete(key)
        else if (count > 0) this.put(nowAt, key, hash)
        return count
      }
      case 'XADD':
        return this.add(nowAt, key, idOf(rest[0]!, false), args.slice(2).map(octetsOf))
      case 'XLEN':
        return this.stream(nowAt, key)?.entries.length ?? 0
      case 'XRANGE': {
        const [from, to] = [idOf(rest[0]!, true), idOf(rest[1]!, false)]
        const count = rest[2]?.toUpperCase() === 'COUNT' ? Number(rest[3]) : Number.POSITIVE_INFINITY
        const entries = this.stream(nowAt, key)?.entries ?? []
        return entries
          .filter(({ id }) => id >= from && id <= to)
          .slice(0, count)
          .map(shown)
      }
      case 'XTRIM': {
        const stream = this.stream(nowAt, key)
        if (stream === undefined) return 0
        const from = idOf(rest[1]!, true)
        const entries = stream.entries.filter(({ id }) => id >= from)
        this.put(nowAt, key, { ...stream, entries })
        return stream.entries.length - entries.length
      }
      case 'MEMORY': {
        // Of the size, nobody needs to know more than that it grows.
        const stream = this.stream(nowAt, rest[0]!)
        return (
          stream?.entries.reduce((sum, { fields }) => sum + fields.reduce((all, { length }) => all + length, 64), 64) ??
          null
        )
      }
      default:
        throw new Error(`there is no simulated command ${command}`)
    }
  }

  private set(nowAt: number, key: string, value: Buffer, options: readonly string[]): Reply {
    const ms = { EX: 1_000, PX: 1 }[options[0]?.toUpperCase() ?? '']
    const expiresAt = ms === undefined ? undefined : nowAt + Number(options[1]) * ms
    this.keys.set(key, { value, expiresAt })
    return Buffer.from('OK')
  }

  private add(nowAt: number, key: string, id: number, fields: readonly Buffer[]): Reply {
    const { entries, last } = this.stream(nowAt, key) ?? { entries: [], last: 0 }
    if (id <= last) {
      throw new RedisError('ERR The ID specified in XADD is equal or smaller than the target stream top item')
    }
    this.put(nowAt, key, { entries: [...entries, { id, fields }], last: id })
    return Buffer.from(`${id}-0`)
  }

  private at(nowAt: number, key: string): Kept | undefined {
    const kept = this.keys.get(key)
    if (kept?.expiresAt === undefined || kept.expiresAt > nowAt) return kept
    this.keys.delete(key)
    return undefined
  }

  private put(nowAt: number, key: string, value: Value): void {
    this.keys.set(key, { value, expiresAt: this.at(nowAt, key)?.expiresAt })
  }

  private drop(nowAt: number, key: string): boolean {
    return this.at(nowAt, key) !== undefined && this.keys.delete(key)
  }

  private text(nowAt: number, key: string): Buffer | undefined {
    const value = this.at(nowAt, key)?.value
    if (value !== undefined && !Buffer.isBuffer(value)) throw new RedisError(WRONG_TYPE)
    return value
  }

  private hash(nowAt: number, key: string): ReadonlyMap<string, Buffer> {
    const value = this.at(nowAt, key)?.value ?? new Map<string, Buffer>()
    if (!(value instanceof Map)) throw new RedisError(WRONG_TYPE)
    return value
  }

  private stream(nowAt: number, key: string): Stream | undefined {
    const value = this.at(nowAt, key)?.value
    if (value === undefined) return undefined
    if (!('entries' in value) || !('last' in value)) throw new RedisError(WRONG_TYPE)
    return value
  }
}

// --- the scripts, step by step as in src/log/stream-scripts.ts

type Call = (command: string, ...args: readonly Argument[]) => Reply

interface SimulatedScript {
  (call: Call, keys: readonly string[], args: readonly Buffer[], nowAt: number, runId: string): Reply
  /** Flag `allow-oom`. */
  allowsFull?: boolean
}

const textOf = (reply: Reply | undefined): string | undefined =>
  reply === null || reply === undefined ? undefined : String(reply)

const append: SimulatedScript = (call, [meta, log, producer], [epoch, process, number, octets], _nowAt, runId) => {
  const fields = ['epoch', 'position', 'chain', 'run']
  const [began, position, chain, run] = call('HMGET', meta!, ...fields) as readonly Reply[]
  if (textOf(began) !== String(epoch)) {
    // A field that is not there is false in Lua.
    throw new RedisError(`FENCED the epoch is ${textOf(began) ?? 'false'}`)
  }
  if (textOf(run) !== runId) {
    throw new RedisError('UNHELD Redis has begun anew, and the processes have to agree')
  }
  const n = Number(number)
  const last = Number(textOf(call('GET', producer!)) ?? '0')
  if (n <= last) return 0
  if (n !== last + 1) throw new RedisError(`GAP turn ${n} does not follow ${last}`)
  const next = String(Number(textOf(position)) + 1)
  const digest = createHash('sha1').update(textOf(chain)!).update(octets!).digest('hex')
  call('XADD', log!, `${next}-0`, 'p', process!, 'n', number!, 'c', digest, 't', octets!)
  call('HSET', meta!, 'position', next, 'chain', digest)
  call('SET', producer!, number!, 'EX', 86_400)
  return [Buffer.from(next), Buffer.from(digest)]
}

const begin: SimulatedScript = (call, [meta, log], args, _nowAt, runId) => {
  const [former, epoch, position, chain, rules, secret, most, held, service] = args
  const [began, at, run] = call('HMGET', meta!, 'epoch', 'position', 'run') as readonly Reply[]
  if ((textOf(began!) ?? '') !== String(former) || Number(textOf(at!) ?? '0') > Number(most)) return 0
  if (textOf(run!) === runId && String(held) !== '1') return 0
  call('DEL', log!)
  call('HSET', meta!, 'epoch', epoch!, 'position', position!, 'chain', chain!, 'rules', rules!, 'secret', secret!)
  call('HSET', meta!, 'run', runId, 'service', service!)
  call('HDEL', meta!, 'replicas')
  return 1
}

const where: SimulatedScript = (call, [meta], _args, _nowAt, runId) => {
  const fields = ['epoch', 'position', 'chain', 'rules', 'secret', 'service', 'run']
  const all = call('HMGET', meta!, ...fields) as readonly Reply[]
  return [...all.slice(0, -1).map((each) => each ?? ''), textOf(all.at(-1)) === runId ? 1 : 0]
}

const hold: SimulatedScript = (call, [meta, holders], place, _nowAt, runId) => {
  const reply = call('HMGET', meta!, 'epoch', 'position', 'chain') as readonly Reply[]
  if (reply.some((each, n) => textOf(each) !== String(place[n]))) return 0
  call('HSET', meta!, 'run', runId)
  call('HDEL', meta!, 'replicas')
  call('DEL', holders!)
  return 1
}

const beatOf =
  (): SimulatedScript =>
  (call, [members, leader, meta, producer], [process, facts, leadsMs], nowAt, runId) => {
    const now = String(Math.floor(nowAt))
    call('HSET', members!, process!, `${now} ${facts}`)
    let leads = textOf(call('GET', leader!))
    if (leads === String(process) && String(leadsMs) === '0') {
      call('DEL', leader!)
      leads = undefined
    } else if (leads === String(process)) {
      call('PEXPIRE', leader!, leadsMs!)
    } else if (leads === undefined && String(leadsMs) !== '0') {
      call('SET', leader!, process!, 'PX', leadsMs!)
      leads = String(process)
    }
    call('EXPIRE', producer!, 86_400)
    const fields = ['epoch', 'position', 'run', 'replicas']
    const [epoch, position, run, replicas] = call('HMGET', meta!, ...fields) as readonly Reply[]
    const isHeld = textOf(run) === runId
    const had = isHeld && textOf(replicas) === '1' ? 1 : 0
    // It has none.
    return [now, leads ?? '', epoch ?? '', position ?? '', call('HGETALL', members!), isHeld ? 1 : 0, had, 0]
  }

const beat = beatOf()
const beatFull = beatOf()
beatFull.allowsFull = true

const leave: SimulatedScript = (call, [members, leader, producer], [process]) => {
  call('HDEL', members!, process!)
  call('DEL', producer!)
  if (textOf(call('GET', leader!)) === String(process)) call('DEL', leader!)
  return 1
}
leave.allowsFull = true

const stand: SimulatedScript = (call, [candidates], [process, position], nowAt) => {
  const now = String(Math.floor(nowAt))
  call('HSET', candidates!, process!, `${now} ${position}`)
  call('PEXPIRE', candidates!, 60_000)
  return [now, call('HGETALL', candidates!)]
}

const SCRIPTS: Readonly<Record<string, SimulatedScript>> = {
  oddswireAppend: append,
  oddswireBegin: begin,
  oddswireWhere: where,
  oddswireHold: hold,
  oddswireBeat: beat,
  oddswireBeatFull: beatFull,
  oddswireLeave: leave,
  oddswireStand: stand,
  // Its user may do all.
  oddswireDenied: () => [],
}

/** As `call` and scripts give it: octets become texts. */
export const asText = (reply: Reply): Reply => {
  if (Buffer.isBuffer(reply)) return reply.toString()
  return Array.isArray(reply) ? (reply as readonly Reply[]).map(asText) : reply
}
