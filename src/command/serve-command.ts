// oddswire serve: runs the service with its sources until a signal ends it.

import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { isatty } from 'node:tty'
import { fileURLToPath } from 'node:url'
import type pino from 'pino'
import { type Fault, fault, isFault, messageOf } from '../access/fault.ts'
import { linkUrl } from '../access/token.ts'
import * as clock from '../clock.ts'
import { RedisReservations } from '../access/redis-reservations.ts'
import { loadEnvironmentFile, type Settings } from '../config.ts'
import { LIMITS } from '../limits.ts'
import { type Bookmaker, parseCoverage } from '../domain/coverage.ts'
import { NO_PRODUCER } from '../domain/feed-source.ts'
import { redisAddressOf } from '../redis/redis-address.ts'
import { Paces } from '../source/kit/rate.ts'
import { namesOf } from '../feed/recordings.ts'
import { isReplayFault, progressLine, type ReplaySummary, replay, replayLines } from '../feed/replay.ts'
import { simulatorPlan } from '../feed/plans.ts'
import { Simulator } from '../source/simulator/simulator.ts'
import { FORMAT_NAMES } from '../source/formats.ts'
import { tableSteps } from '../identity/alias-table.ts'
import { refused, usage, parseFlags } from './arguments.ts'
import { FEEDS_FILE, type Feeds, loadFeeds, usableFeeds } from './feeds-setup.ts'
import { handleHangups } from './hangup.ts'
import {
  RECORDING_FLAGS,
  RECORDING_HELP,
  type RecordingFlags,
  type RecordingTerms,
  recordingTerms,
} from './recording-flags.ts'
import { newLogger } from './logging.ts'
import { Reloads } from './reload.ts'
import { Service } from './service.ts'
import { collectAlone, collectOldSeldom, yieldV8Soon } from './thread-priority.ts'
import { feedSteps } from './warm-feed.ts'

/** What is made before it is needed, and no start waits for. */
function* behindReady({ engine }: Service, { warmUp }: Settings): Generator<undefined, void> {
  if (warmUp) yield* feedSteps()
  yield* engine.board.touchSteps()
  yield* tableSteps()
}

const help = `oddswire serve [--demo] [--replay FILE… --format FORMAT [--rebase] [--transport rest|live|both]]
               [--coverage FILE] [--feeds FILE] [--accept-store] [settings]

Serves REST and STOMP over WebSocket (/stomp) on --http-port, STOMP over TCP on --stomp-port, and /livez, /readyz, /metrics
on --admin-port. Prints one JSON line when it is ready: when every configured source has delivered or is known to be down,
or after --ready-after seconds. Until then customers get 503, and /readyz lists what is waited for; feed keys may SEND. What was
published survives a restart: it goes on from DATA_DIR/log (oddswire log stat), and sources that have quotes there are not
waited for.

Sources run from --feeds FILE. One that lacks a variable or a file is off, the others run, and feed status has the reason;
any other fault of the configuration refuses the start (oddswire feed check reports all).

  --demo              simulated bookmakers; prints a link to the dashboard, a demo key, and curl and STOMP lines to paste
  --seed N            seed of the simulator (default: 1)
  --coverage FILE     import this coverage file first; the store keeps it
  --replay FILE…      load recordings of one format before being ready (.gz too): one after the other, in the given order, as
                      if one source had sent them, as fast as possible. Of a quote the newest observation counts,
                      whatever the order; documents that need each other (pinnacle: matchups first) must be in order.
                      Also --replay FILE --replay FILE
  --rebase            shift their times by the same whole minutes, so that the newest observation of all files is less
                      than a minute old
${RECORDING_HELP}
  --accept-store      serve a store from which something may be missing: a restored backup, or one that lost its log;
                      give it once, after revoking again what was revoked meanwhile

SIGTERM and SIGINT stop it in order: exit code 0, or 1 when the recording held lines that could not be read.

SIGHUP reloads the certificate, .env and the configuration of sources, and restarts only the sources that changed; one
that has a fault is not applied, and the log says why. When the terminal that it writes to is closed, it stops.`

interface Recording extends RecordingTerms {
  readonly paths: readonly string[]
  readonly rebase: boolean
}

/** Runs the command. Resolves to the exit code once the service has ended. */
export const run = async (argv: readonly string[]): Promise<number> => {
  const parsed = parseFlags(
    argv,
    help,
    {
      demo: { type: 'boolean' },
      seed: { type: 'string' },
      replay: { type: 'string', multiple: true },
      rebase: { type: 'boolean' },
      ...RECORDING_FLAGS,
      coverage: { type: 'string' },
      'accept-store': { type: 'boolean' },
    },
    { positionals: ['FILE'], more: true, mayOmit: true },
  )
  if (typeof parsed === 'number') return parsed
  const { flags, settings, positionals } = parsed
  const recording = recordingOf(flags, positionals)
  if (typeof recording === 'number') return recording
  const seed = flags.seed ?? '1'
  if (!/^\d{1,10}$/.test(seed)) return refused(`--seed must be a whole number, not "${seed}"`)
  const coverage = coverageOf(flags.coverage)
  if (typeof coverage === 'string') return refused(coverage)

  const logger = await newLogger(settings)
  const stopping = new AbortController()
  const signal = new Promise<void>((resolve) => stopping.signal.addEventListener('abort', () => resolve()))
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.once(name, () => {
      logger.info({ signal: name }, 'stopping')
      stopping.abort()
    })
  }
  let reload = async (): Promise<void> => {}
  const reloads = new Reloads(() => reload())
  const terminals = OUTPUTS.filter((descriptor) => isatty(descriptor))
  handleHangups(() => {
    if (stopping.signal.aborted) return
    if (terminals.every((descriptor) => isatty(descriptor))) {
      reloads.ask()
      return
    }
    // The terminal is gone: no output can be read, and writing fails.
    logger.level = 'silent'
    stopping.abort()
  })

  const address = settings.redisUrl === '' ? undefined : redisAddressOf(settings.redisUrl, settings.redisPrefix)
  if (typeof address === 'string') return refused(`--redis-url: ${address}`)
  // What it knows of the windows must outlive a service that begins again: Redis may have lost it.
  const reservations = address && new RedisReservations({ address, now: clock.now, limits: LIMITS })

  const serveOnce = async (settings: Settings, isAgain: boolean): Promise<number | Partial<Settings>> => {
    // What the demo reports is not what a newcomer has to read first.
    const afterReady: (() => void)[] = []
    let isReady = flags.demo !== true
    const breaking = new AbortController()
    const broken = new Promise<void>((resolve) => breaking.signal.addEventListener('abort', () => resolve()))
    const service = await Service.start({
      settings,
      signal: stopping.signal,
      reservations,
      onBreak: (reason) => {
        logger.error(
          { source: 'log', reason },
          'the log that is shared is another one: the service stops, and begins again',
        )
        breaking.abort()
      },
      onFault: (error) => logger.error({ err: error }, 'fault'),
      onRefuseAll: (reason) => {
        if (reason === undefined) logger.warn('the store works again: requests are answered')
        else logger.error({ reason }, 'the store fails: all requests are refused with 503')
      },
      onUnwritable: (reason) => {
        if (reason === undefined) logger.warn('the store can be written again: requests of limited plans are answered')
        else logger.error({ reason }, 'the store cannot be written: requests of limited plans are refused with 503')
      },
      acceptsStore: flags['accept-store'] === true,
      onFeed: (level, source, message) => {
        const report = (): void => logger[level]({ source }, message)
        if (isReady || source !== DEMO) report()
        else afterReady.push(report)
      },
    })
    if ('fault' in service) {
      if ((!isAgain && !breaking.signal.aborted) || stopping.signal.aborted) return refused(service.fault)
      logger.error({ reason: service.fault }, 'the service does not begin again: it is tried later')
      await pause(AGAIN_MS, undefined, { signal: stopping.signal }).catch(() => undefined)
      return { httpPort: settings.httpPort, stompPort: settings.stompPort, adminPort: settings.adminPort }
    }
    let exitCode = 0
    const imported = coverage.length > 0 && !isAgain ? await service.access.importCoverage(coverage) : undefined
    if (imported !== undefined) {
      await service.stop()
      return refused(imported.fault)
    }
    const paces = new Paces()
    const loadSources = (mayBeOff: (source: string) => boolean): Feeds | undefined | Fault => {
      const read = loadFeeds(settings.feeds, (slug) => service.access.registry.bookmakerOf(slug)?.sourceMode, paces)
      if (read === undefined || isFault(read)) return read
      const loaded = usableFeeds(read, mayBeOff)
      if (isFault(loaded)) return loaded
      for (const warning of loaded.warnings) logger.warn(warning)
      if (flags.demo !== true) return loaded
      const index = loaded.plans.findIndex(({ terms }) => terms.name === DEMO)
      return index === -1
        ? loaded
        : fault(`--feeds ${loaded.path}: sources[${index}].name must not be "${DEMO}", the source of --demo`)
    }
    const feeds = loadSources(() => true)
    if (isFault(feeds)) {
      await service.stop()
      return refused(feeds.fault)
    }
    if (recording !== undefined && !isAgain) {
      const loaded = await load(service, recording, logger, stopping.signal)
      if (typeof loaded === 'string') {
        await service.stop()
        return refused(loaded)
      }
      if (loaded.totals.malformed > 0) exitCode = 1
    }
    const demo =
      flags.demo === true && !stopping.signal.aborted
        ? await startDemo(service, Number(seed), settings.tlsCert !== '')
        : undefined
    if (isFault(demo)) {
      await service.stop()
      return refused(demo.fault)
    }
    if (!stopping.signal.aborted) {
      reload = newReload(service, loadSources, feeds !== undefined, logger)
      await service.feed(feeds ?? NO_FEEDS)
      reloads.open()
      const undelivered = await service.serve(settings.readyAfterMs, stopping.signal)
      if ('fault' in undelivered) {
        await service.stop()
        return refused(undelivered.fault)
      }
      // A Redis that has just begun lets nothing of limited plans through.
      for (let left = COUNTING_LOOKS; reservations?.problem() !== undefined && left > 0; left--) {
        await pause(COUNTING_MS, undefined, { signal: stopping.signal }).catch(() => undefined)
      }
      if (!stopping.signal.aborted) {
        if (undelivered.length > 0) {
          logger.warn({ sources: undelivered }, 'ready, though these sources have not delivered')
        }
        if (!isAgain) {
          collectAlone()
          collectOldSeldom()
          yieldV8Soon()
          service.inSteps(behindReady(service, settings))
          process.stdout.write(`${JSON.stringify({ ready: true, ...service.ports, publicUrl: service.publicUrl })}\n`)
          if (demo !== undefined) process.stdout.write(demo)
        }
        logger.info(service.ports, 'ready')
        if (service.recoveryText !== undefined) logger.info({ source: 'log' }, service.recoveryText)
        isReady = true
        for (const report of afterReady) report()
        const off = offNames(service)
        if (off.length > 0) logger.warn({ sources: off }, OFF_ADVICE)
        await Promise.race([signal, broken])
      }
    }
    reloads.close()
    const { http: httpPort, stomp: stompPort, admin: adminPort } = service.ports
    await service.stop(breaking.signal.aborted)
    await reloads.settled()
    if (breaking.signal.aborted && !stopping.signal.aborted) return { httpPort, stompPort, adminPort }
    logger.info('stopped')
    return exitCode
  }

  let ports: Partial<Settings> = {}
  for (let isAgain = false; ; isAgain = true) {
    const ended = await serveOnce({ ...settings, ...ports }, isAgain)
    if (typeof ended === 'number') {
      reservations?.close()
      return ended
    }
    ports = ended
    if (stopping.signal.aborted) {
      reservations?.close()
      return 0
    }
  }
}

/** How often is looked whether requests can be counted before the service says that it is ready, and in what interval, ms. */
const COUNTING_LOOKS = 100
const COUNTING_MS = 50

/** Pause before a service that did not begin again is tried again. */
const AGAIN_MS = 1_000

/** Standard output and error. */
const OUTPUTS = [1, 2] as const

const NO_FEEDS = { plans: [], verification: null } as const

const offNames = ({ supervisor }: Service): string[] => supervisor.off.map(({ terms }) => terms.name)

const OFF_ADVICE =
  'ready without these sources, which are off: feed status has the reason; set a missing variable in .env and send SIGHUP, or in the environment and restart'

/** The handler of SIGHUP. A configuration with a fault changes nothing. */
const newReload = (
  service: Service,
  loadSources: (mayBeOff: (source: string) => boolean) => Feeds | undefined | Fault,
  hasFeeds: boolean,
  logger: pino.Logger,
): (() => Promise<void>) => {
  let hadFeeds = hasFeeds
  const load = (): Feeds | undefined | Fault => {
    try {
      loadEnvironmentFile()
    } catch (error) {
      return fault(`.env cannot be read (${messageOf(error)})`)
    }
    // What runs is not turned off by a reload; what is off already does not keep others from being changed.
    const off = offNames(service)
    const loaded = loadSources((source) => off.includes(source))
    // A file that is being replaced, or was moved by mistake, is no reason to stop all sources.
    return loaded === undefined && hadFeeds
      ? fault(`${FEEDS_FILE} is missing: to stop all sources, keep it with "sources": []`)
      : loaded
  }
  return async () => {
    const faults: string[] = []
    let changes = {}
    // Unexpected errors must not end the process either.
    try {
      const certificate = service.reloadCertificate()
      if (certificate !== true) faults.push(`the certificate cannot be used: ${certificate}`)
      const feeds = load()
      if (isFault(feeds)) faults.push(feeds.fault)
      else if (feeds !== undefined) {
        hadFeeds = true
        changes = await service.feed(feeds)
      }
    } catch (error) {
      faults.push(messageOf(error))
    }
    service.reloads[faults.length === 0 ? 'done' : 'refused']++
    const off = offNames(service)
    if (faults.length === 0) logger.info({ ...changes, ...(off.length === 0 ? {} : { off }) }, 'reloaded')
    // A certificate with a fault does not prevent changes of sources.
    else logger.error({ fault: faults.join('; '), ...changes }, 'not reloaded: what has a fault is unchanged')
  }
}

interface ServeFlags extends RecordingFlags {
  readonly replay?: readonly string[]
  readonly rebase?: boolean
}

/** @param more files behind that of `--replay` */
const recordingOf = (flags: ServeFlags, more: readonly string[]): Recording | undefined | number => {
  const { replay, format, rebase = false } = flags
  if (replay === undefined) {
    if (more.length > 0) return usage(`too many arguments: ${more.length} given, and only --replay accepts files`, help)
    for (const name of ['rebase', ...Object.keys(RECORDING_FLAGS)] as (keyof ServeFlags)[]) {
      if (flags[name] !== undefined) return usage(`--${name} needs --replay FILE`, help)
    }
    return undefined
  }
  // Their order counts, and is not known of both together.
  if (replay.length > 1 && more.length > 0) {
    return usage('--replay must be given once, before all files, or once for each file', help)
  }
  if (format === undefined) return usage(`--replay needs --format, one of ${FORMAT_NAMES.join(', ')}`, help)
  const terms = recordingTerms({ ...flags, format })
  return isFault(terms) ? refused(terms.fault) : { ...terms, paths: [...replay, ...more], rebase }
}

const coverageOf = (path: string | undefined): readonly Bookmaker[] | string => {
  if (path === undefined) return []
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    return `--coverage ${path} cannot be read: ${(error as Error).message}`
  }
  const bookmakers = parseCoverage(text)
  return 'message' in bookmakers ? `--coverage ${path}: ${bookmakers.field} ${bookmakers.message}` : bookmakers
}

/** Loads recordings. Returns their summary, or why they could not be read. */
const load = async (
  service: Service,
  recording: Recording,
  logger: pino.Logger,
  signal: AbortSignal,
): Promise<ReplaySummary | string> => {
  const { turns } = service
  const isTerminal = process.stderr.isTTY === true
  const clearLine = isTerminal ? '\r\u001b[K' : ''
  const result = await replay({
    ...recording,
    now: clock.now,
    observe: (observation, settled) =>
      turns.add({ kind: 'observe', observation, producer: NO_PRODUCER, doubt: undefined }, settled),
    limits: LIMITS,
    onMalformed: (place, reason) => {
      if (isTerminal) process.stderr.write(clearLine)
      logger.warn({ file: namesOf(recording.paths), place, reason }, 'skipped')
    },
    onProgress: (bytesRead, bytesTotal) => {
      if (isTerminal) {
        process.stderr.write(clearLine + progressLine(bytesRead, bytesTotal, process.stderr.columns ?? 80))
      }
    },
    signal,
  })
  if (isTerminal) process.stderr.write(clearLine)
  if (isReplayFault(result)) return result.fault
  if (result.unnamed !== undefined) logger.warn({ file: result.path }, `the recording ${result.unnamed}`)
  if (isTerminal) process.stderr.write(`${replayLines(result).join('\n')}\n`)
  else logger.info(shown(result), 'replayed')
  return result
}

/** The summary as fields of a log line. */
const shown = ({ totals, sourceMarkets, ...summary }: ReplaySummary) => ({
  ...summary,
  ...totals,
  unmappedBy: Object.fromEntries(totals.unmappedBy),
  sourceMarkets: sourceMarkets.map(({ sport, sourceMarket, fates }) => ({
    sourceMarket,
    sport,
    ...Object.fromEntries(fates),
  })),
})

/** Name of the source of the demo. */
const DEMO = 'demo'

/** How long the text to print waits for an event to show. */
const DEMO_MS_MAX = 10_000
const DEMO_LOOK_MS = 20

/** Starts the simulator as a source and creates a customer key to try it. Resolves to the text to print. */
const startDemo = async (service: Service, seed: number, isTls: boolean): Promise<string | Fault> => {
  const { engine, access, publicUrl, supervisor } = service
  const imported = await access.importCoverage(new Simulator({ seed, startAt: clock.now() }).bookmakers())
  if (imported !== undefined) return imported
  const key = await access.createDemoKey()
  if ('fault' in key) return key
  const link = await access.createDemoLink('owner')
  if ('fault' in link) return link
  const operatorLink = await access.createDemoLink('operator')
  if ('fault' in operatorLink) return operatorLink
  supervisor.start(simulatorPlan(DEMO, seed))
  await supervisor.refresh(DEMO, () => {})
  // Of several processes one has the source, and what it says comes to the others a moment later.
  const untilMs = clock.elapsedMs() + DEMO_MS_MAX
  while (anEventId(engine) === '' && clock.elapsedMs() < untilMs) await pause(DEMO_LOOK_MS)
  const eventId = anEventId(engine)
  const api = `${publicUrl}/api/v1`
  const curl = `curl -s -H 'Authorization: Bearer ${key.secret}'`
  return [
    '',
    `Dashboard: ${linkUrl(publicUrl, link.token)}`,
    `Operator: ${linkUrl(publicUrl, operatorLink.token)}`,
    '',
    `Demo key (expires in 24 hours): ${key.secret}`,
    '',
    `  ${curl} '${api}/sports'`,
    `  ${curl} '${api}/events?sport=football&limit=3'`,
    ...(eventId === '' ? [] : [`  ${curl} '${api}/events/${eventId}/odds'`]),
    `  ${curl} '${api}/bookmakers?sport=football'`,
    '',
    ...stompLines(service, isTls, key.secret),
    '',
    `Contract: ${api}/spec   Portal: ${publicUrl}/   Metrics: http://127.0.0.1:${service.ports.admin}/metrics`,
    '',
  ].join('\n')
}

/** The example, where it is there. */
const BOARD = fileURLToPath(new URL('../../../examples/board.mjs', import.meta.url))

/** Where it connects to without an argument. */
const BOARD_URL = 'ws://localhost:8080/stomp'

/** Commands that show prices as they change. */
const stompLines = ({ ports: { stomp: port }, publicUrl }: Service, isTls: boolean, secret: string): string[] => {
  const url = `${publicUrl.replace(/^http/, 'ws')}/stomp`
  const connect = `CONNECT\\naccept-version:1.2\\npasscode:${secret}\\n\\n\\000`
  const subscribe = 'SUBSCRIBE\\nid:0\\ndestination:/topic/odds.football.#\\n\\n\\000'
  const to = isTls ? `openssl s_client -quiet -connect 127.0.0.1:${port}` : `nc 127.0.0.1 ${port}`
  return [
    'Changes of football prices as they happen (STOMP, for 10 minutes), and a board with the names of the teams:',
    '',
    `  (printf '${connect}${subscribe}'; sleep 600) | ${to} | tr '\\000' '\\n'`,
    ...(existsSync(BOARD) ? [`  node ${relative('', BOARD)} ${secret}${url === BOARD_URL ? '' : ` ${url}`}`] : []),
  ]
}

/** A football event with a new price, for use in a shell; empty: there is none. */
const anEventId = (engine: Service['engine']): string => {
  let found = ''
  engine.reader.visitEvents(0, undefined, clock.now(), (view) => {
    found = view.event.id
    return false
  })
  return found
}
