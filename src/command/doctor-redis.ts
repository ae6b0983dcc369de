// What oddswire doctor says of the Redis that several processes share: what a RECEIPT is worth with its settings, and what
// would stop or lose the log.

import { messageOf } from '../access/fault.ts'
import * as clock from '../clock.ts'
import type { Settings } from '../config.ts'
import { grouped } from '../domain/grouped.ts'
import { LIMITS } from '../limits.ts'
import { Redis, refusalOf, type Reply, type Script } from '../redis/redis.ts'
import { type RedisAddress, redisAddressOf } from '../redis/redis-address.ts'
import { adviceOf, isDenial, RedisFault } from '../redis/redis-faults.ts'
import { deniedTo } from '../redis/redis-permissions.ts'
import { fine, type Finding, note, warning, wrong } from './findings.ts'

const VERSION_MIN = 7

/** How long it may take to connect, and to answer a command. */
const ANSWER_MS_MAX = 3_000

/** Runs of a script, of which the median counts. */
const RUNS = 15

/** A RECEIPT takes this twice at least, once for the turn and once for reading it. */
const SLOW_MS = 5

/** Further apart, ages of quotes and windows of limits differ from process to process. */
const APART_MS_MAX = 500

/** Of the memory that it may take, in parts: then it is time to look. */
const FULL_SHARE = 0.8

const ASKED = [
  ...['appendonly', 'appendfsync', 'no-appendfsync-on-rewrite', 'save', 'stop-writes-on-bgsave-error'],
  ...['maxmemory', 'maxmemory-policy', 'min-replicas-to-write'],
] as const

/** What Redis says of itself. */
export interface RedisFacts {
  /** Of INFO. */
  readonly info: ReadonlyMap<string, string>
  /** Of CONFIG GET, by {@link ASKED}; undefined: it does not tell. */
  readonly config: ReadonlyMap<string, string> | undefined
  /** Of a script, median ms. */
  readonly scriptMs: number
  /** How far the clock of this host is ahead of Redis' (negative: behind), ms. */
  readonly apartMs: number
}

/** Replicas run it, too, and a Redis that can write nothing. */
const TIMED: Script = { name: 'doctorTime', keys: 0, lua: "#!lua flags=no-writes\nreturn redis.call('TIME')" }

const linesOf = (info: string): Map<string, string> =>
  new Map(
    info.split('\r\n').flatMap((line): [string, string][] => {
      const colon = line.indexOf(':')
      return colon === -1 || line.startsWith('#') ? [] : [[line.slice(0, colon), line.slice(colon + 1)]]
    }),
  )

const pairsOf = (reply: Reply): Map<string, string> => {
  const all = (reply as readonly string[]).map(String)
  return new Map(all.flatMap((name, place) => (place % 2 === 0 ? [[name, all[place + 1]!] as const] : [])))
}

/** What Redis says; findings: why it says nothing, or what would keep the service from using it. */
const factsOf = async (address: RedisAddress): Promise<RedisFacts | readonly Finding[]> => {
  let reason = 'no answer'
  let stopWaiting: NodeJS.Timeout | undefined
  let redis: Redis | undefined
  try {
    const isThere = await new Promise<boolean>((resolve) => {
      stopWaiting = setTimeout(resolve, ANSWER_MS_MAX, false)
      redis = new Redis(address, {
        timeoutMs: ANSWER_MS_MAX,
        onState: (isThere) => isThere && resolve(true),
        onFault: (text) => {
          reason = text
          // It gets no further than that.
          if (isDenial(text)) resolve(false)
        },
      })
    })
    if (!isThere) return [isDenial(reason) ? permissionFinding(address, reason) : unasked(address, reason)]
    return await askedOf(redis!, address)
  } catch (error) {
    return [unasked(address, reasonOf(error))]
  } finally {
    clearTimeout(stopWaiting)
    redis?.close()
  }
}

const reasonOf = (error: unknown): string => (error instanceof RedisFault ? error.reason : messageOf(error))

const unasked = ({ shown }: RedisAddress, reason: string): Finding => {
  const advice = adviceOf(reason) ?? 'start it, or correct --redis-url (user, password, port)'
  return wrong('redis', `${shown} cannot be asked (${reason})`, `${advice}: without it nothing is published`)
}

const permissionFinding = ({ options, prefix }: RedisAddress, denied: string): Finding => {
  const rights = `resetkeys ~{${prefix}}:* +@read +@write +@scripting +@connection -@dangerous +info +time +wait +config|get`
  const advice =
    options.username === undefined
      ? `ACL SETUSER oddswire on >PASSWORD ${rights}, and ACL SAVE or CONFIG REWRITE; give that user in --redis-url`
      : `ACL SETUSER ${options.username} ${rights}, and ACL SAVE or CONFIG REWRITE`
  return wrong('redis permissions', `its user lacks what the service needs: ${denied}`, advice)
}

const askedOf = async (redis: Redis, address: RedisAddress): Promise<RedisFacts | readonly Finding[]> => {
  let info: Map<string, string>
  try {
    info = linesOf(String(await redis.call('INFO')))
    const server = serverFinding({ info }, address.shown)
    // It may know no such scripts.
    if (server.level === 'wrong') return [server]
    const denied = await deniedTo(redis)
    if (denied !== undefined) return [server, permissionFinding(address, denied)]
  } catch (error) {
    if (refusalOf(error) !== 'NOPERM') throw error
    return [permissionFinding(address, reasonOf(error))]
  }
  const config = await redis.call('CONFIG', 'GET', ...ASKED).then(pairsOf, () => undefined)
  const took: number[] = []
  let apartMs = 0
  for (let run = 0; run < RUNS; run++) {
    const startedMs = clock.elapsedMs()
    const [seconds, micros] = (await redis.run(TIMED, [], [])) as string[]
    const ms = clock.elapsedMs() - startedMs
    // The quickest answer says it best.
    if (took.every((other) => ms < other)) {
      apartMs = clock.now() + clock.driftMs() - ms / 2 - (Number(seconds) * 1_000 + Number(micros) / 1_000)
    }
    took.push(ms)
  }
  return { info, config, scriptMs: took.toSorted((a, b) => a - b)[RUNS >> 1]!, apartMs }
}

/** Nothing without --redis-url. */
export const redisFindings = async (settings: Settings): Promise<Finding[]> => {
  const { redisUrl, redisPrefix, redisReplicas, redisLogBytesMax } = settings
  const id = 'redis'
  if (redisUrl === '') return []
  const address = redisAddressOf(redisUrl, redisPrefix)
  if (typeof address === 'string') return [wrong(id, `--redis-url is no address of a Redis`, address)]
  const facts = await factsOf(address)
  if (!('info' in facts)) return [...facts]
  return findingsOfRedis(facts, address.shown, redisReplicas, redisLogBytesMax)
}

/**
 * @param replicas that a RECEIPT waits for: --redis-replicas
 * @param logBytesMax --redis-log-bytes-max
 */
export const findingsOfRedis = (facts: RedisFacts, shown: string, replicas: number, logBytesMax: number): Finding[] => [
  serverFinding(facts, shown),
  roleFinding(facts),
  ...(facts.config === undefined
    ? [
        note(
          'redis settings',
          'it does not tell them (CONFIG GET): see to appendfsync and maxmemory-policy yourself (docs/operations.md 14)',
        ),
      ]
    : [durabilityFinding(facts.config), memoryFinding(facts, facts.config, logBytesMax)]),
  replicaFinding(facts, replicas),
  ...formerMasterFindings(facts),
  persistenceFinding(facts),
  speedFinding(facts.scriptMs),
  apartFinding(facts.apartMs),
]

const serverFinding = ({ info }: Pick<RedisFacts, 'info'>, shown: string): Finding => {
  const id = 'redis'
  const version = info.get('redis_version') ?? 'of an unknown version'
  return Number.parseInt(version, 10) >= VERSION_MIN
    ? fine(id, `Redis ${version} at ${shown}`)
    : wrong(id, `Redis ${version} at ${shown} lacks what the log needs`, `install Redis ${VERSION_MIN} or newer`)
}

const roleFinding = ({ info }: RedisFacts): Finding => {
  const id = 'redis role'
  if (info.get('role') !== 'slave') return fine(id, 'it takes writes')
  const master = `${info.get('master_host')}:${info.get('master_port')}`
  return wrong(
    id,
    `it is a replica of ${master}: nothing can be appended`,
    `give --redis-url the address of its master, or redis-sentinel://… that follows it`,
  )
}

/** What is kept of what was acknowledged when Redis, or its host, ends. */
const durabilityFinding = (config: ReadonlyMap<string, string>): Finding => {
  const id = 'redis receipts'
  const always = 'CONFIG SET appendonly yes, appendfsync always, and CONFIG REWRITE'
  if (config.get('appendonly') !== 'yes') {
    const dumps = config.get('save') === '' ? 'nothing is kept' : 'only the last dump is kept'
    return warning(id, `appendonly no: a RECEIPT is lost when Redis ends, and ${dumps}`, always)
  }
  const fsync = config.get('appendfsync')
  if (fsync === 'everysec') {
    const found = 'appendfsync everysec: a RECEIPT survives a crash of Redis; one of its host loses up to 2 s of them'
    return warning(id, found, `${always}, or keep it with --redis-replicas 1: a failover loses none then`)
  }
  if (fsync !== 'always') {
    const found = `appendfsync ${fsync}: a RECEIPT survives a crash of Redis; one of its host loses 30 s of them or more`
    return warning(id, found, always)
  }
  return config.get('no-appendfsync-on-rewrite') === 'yes'
    ? warning(
        id,
        'no-appendfsync-on-rewrite yes: while the file is rewritten, a crash of the host loses RECEIPTs',
        'CONFIG SET no-appendfsync-on-rewrite no, and CONFIG REWRITE',
      )
    : fine(id, 'appendfsync always: a RECEIPT is on the disk of Redis')
}

const memoryFinding = ({ info }: RedisFacts, config: ReadonlyMap<string, string>, logBytesMax: number): Finding => {
  const id = 'redis memory'
  const policy = config.get('maxmemory-policy') ?? ''
  const most = Number(config.get('maxmemory') ?? 0)
  const used = Number(info.get('used_memory') ?? 0)
  const mib = (bytes: number): string => `${grouped(Math.ceil(bytes / 1_048_576))} MiB`
  if (policy !== 'noeviction') {
    const found = `maxmemory-policy ${policy}: with full memory it drops turns that have a RECEIPT, and what was used of limits`
    return wrong(id, found, 'CONFIG SET maxmemory-policy noeviction, and CONFIG REWRITE')
  }
  if (most === 0) {
    const found = `${mib(used)} used, and no maxmemory: where the host is full, Redis is killed`
    return warning(id, found, 'CONFIG SET maxmemory to what the host can spare, twice --redis-log-bytes-max at least')
  }
  if (most <= logBytesMax) {
    const found = `maxmemory is ${mib(most)}, and the log may take ${mib(logBytesMax)}: it is full before the log is trimmed, and nothing is published`
    const advice = 'CONFIG SET maxmemory to twice --redis-log-bytes-max, and CONFIG REWRITE, or give a smaller one'
    return warning(id, found, advice)
  }
  const found = `${mib(used)} of ${mib(most)} used`
  return used > most * FULL_SHARE
    ? warning(id, `${found}: when it is full, nothing is published or gets a RECEIPT`, 'CONFIG SET maxmemory to more')
    : fine(id, `${found}; when it is full, writes are refused`)
}

const replicaFinding = ({ info, config }: RedisFacts, replicas: number): Finding => {
  const id = 'redis replicas'
  const there = Number(info.get('connected_slaves') ?? 0)
  const least = Number(config?.get('min-replicas-to-write') ?? 0)
  const good = Number(info.get('min_slaves_good_slaves') ?? there)
  const has = there === 1 ? 'one replica' : `${there} replicas`
  if (least > good) {
    const found = `min-replicas-to-write is ${least}, and ${good} keep up: nothing can be appended`
    return wrong(id, found, 'start its replicas, or CONFIG SET min-replicas-to-write to fewer')
  }
  if (replicas > there) {
    const found = `a RECEIPT waits for ${replicas} (--redis-replicas), and Redis has ${there}: none is sent`
    return wrong(id, found, 'start its replicas, or give a smaller --redis-replicas')
  }
  if (there === 0) return note(id, 'none: with its disk, RECEIPTs are lost')
  if (replicas > 0) return fine(id, `${has}: a RECEIPT is in ${replicas} of them`)
  const found = `${has}, and no RECEIPT waits for any: a failover loses what has not reached it, usually less than 1 s`
  return warning(id, found, 'give --redis-replicas 1')
}

/** What a master does that was replaced, and does not know it yet. */
const formerMasterFindings = ({ info, config }: RedisFacts): Finding[] => {
  if (config === undefined || Number(info.get('connected_slaves') ?? 0) === 0) return []
  const id = 'redis former master'
  if (Number(config.get('min-replicas-to-write') ?? 0) > 0) return [fine(id, 'without its replicas it takes no writes')]
  const found = 'min-replicas-to-write 0: a process that is left with a former master goes on alone after a minute'
  return [warning(id, found, 'CONFIG SET min-replicas-to-write 1, min-replicas-max-lag 1, and CONFIG REWRITE')]
}

const persistenceFinding = ({ info, config }: RedisFacts): Finding => {
  const id = 'redis files'
  const advice = 'see the log of Redis, free space on its disk, and check it'
  if (info.get('loading') === '1') return wrong(id, 'it still loads what it has kept', 'wait until it has')
  if ((info.get('aof_last_write_status') ?? 'ok') !== 'ok') {
    return wrong(
      id,
      'its last write to the append-only file has failed: it refuses writes, and no RECEIPT is sent',
      advice,
    )
  }
  if ((info.get('rdb_last_bgsave_status') ?? 'ok') !== 'ok') {
    const stops =
      config !== undefined && config.get('save') !== '' && config.get('stop-writes-on-bgsave-error') === 'yes'
    return stops
      ? wrong(id, 'its last dump has failed: it refuses writes until one succeeds, and no RECEIPT is sent', advice)
      : warning(id, 'its last dump has failed: replicas cannot begin, and a restart finds an older one', advice)
  }
  if ((info.get('aof_last_bgrewrite_status') ?? 'ok') !== 'ok') {
    return warning(id, 'the append-only file could not be rewritten: RECEIPTs are kept, and the file grows', advice)
  }
  return fine(id, 'its last writes to its disk have succeeded')
}

const speedFinding = (ms: number): Finding => {
  const id = 'redis speed'
  const found = `${ms.toFixed(1)} ms a script (median of ${RUNS})`
  if (ms > LIMITS.sharedLedgerDeadlineMs) {
    return wrong(id, `${found}: requests of limited plans get 503`, 'put it nearer, and see SLOWLOG GET there')
  }
  return ms > SLOW_MS
    ? warning(id, `${found}: each RECEIPT takes twice that or more`, 'put it nearer, and see SLOWLOG GET there')
    : fine(id, found)
}

const apartFinding = (apartMs: number): Finding => {
  const id = 'redis clock'
  const ms = Math.round(Math.abs(apartMs))
  if (ms <= APART_MS_MAX) return fine(id, `${ms} ms apart from the clock of this host`)
  return warning(
    id,
    `the clock of this host is ${grouped(ms)} ms ${apartMs > 0 ? 'ahead of' : 'behind'} that of Redis`,
    'keep both by NTP: quotes age out, and limits begin anew, at different times in each process',
  )
}
