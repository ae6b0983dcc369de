// The service for benches of the live channel: the compiled program, started by its command line on the server's core,
// on free ports, with a feed key of one bookmaker and a customer's key that may see it.

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { portOf } from './load.ts'
import { madeOnce } from './made-once.ts'
import { type Server, startServer } from './process.ts'

const here = dirname(fileURLToPath(import.meta.url))
const MAIN = join(here, '..', 'src', 'main.js')

/** Starts the service without its log. */
export const WITHOUT_LOG = join(here, 'main-without-log.js')

export const BOOKMAKER = 'book_0'

export interface LiveService {
  readonly server: Server
  readonly pid: number
  /** Port of STOMP over TCP. */
  readonly stompPort: number
  /** Port of REST, and of STOMP over WebSocket at /stomp. */
  readonly httpPort: number
  readonly adminPort: number
  readonly customerKey: string
  readonly feedKey: string
}

/** Where the feed key sends to. */
export const FEED_DESTINATION = `/feed/${BOOKMAKER}`

type Keys = Readonly<Record<'customerKey' | 'feedKey', string>>

/** Makes the data folder `oddswire` below a folder: coverage of bookmakers, and the keys of who feeds and who sees them. */
export const prepareKeys = (folder: string, slugs: readonly string[]): Keys => {
  const name = `keys-${createHash('sha256').update(slugs.join()).digest('hex')}`
  const prepared = madeOnce(folder, name, (making) => {
    const dataDir = join(making, 'oddswire')
    mkdirSync(dataDir)
    writeFileSync(join(making, 'keys.json'), JSON.stringify(makeKeys(dataDir, slugs)))
  })
  cpSync(join(prepared, 'oddswire'), join(folder, 'oddswire'), { recursive: true })
  return JSON.parse(readFileSync(join(prepared, 'keys.json'), 'utf8')) as Keys
}

const makeKeys = (dataDir: string, slugs: readonly string[]): Keys => {
  const cli = (...args: string[]): string =>
    // Its notes on stderr would stand among the results; where it fails, they are in the error.
    execFileSync(process.execPath, [MAIN, ...args, '--data-dir', dataDir], { encoding: 'utf8', stdio: 'pipe' })
      .trim()
      .split('\n')
      .at(-1)!
  const coverage = `${dataDir}-coverage.json`
  const bookmakers = slugs.map((slug) => ({
    slug,
    displayName: slug,
    region: 'Europe',
    countries: ['SE'],
    sourceMode: 'direct',
    customerNote: '',
    coverage: [
      { sports: ['*'], status: 'verified_rest_live', restAvailable: true, liveAvailable: true, lastVerifiedAt: null },
    ],
  }))
  writeFileSync(coverage, JSON.stringify({ bookmakers }))
  cli('coverage', 'import', coverage)
  cli('org', 'create', 'bench', '--plan', 'desk', '--bookmakers', '*')
  const customerKey = cli('key', 'create', '--org', 'bench')
  return { customerKey, feedKey: cli('key', 'create', '--org', 'bench', '--feed', slugs.join(',')) }
}

/** Starts the service with its data below `folder`. */
export const startLiveService = async (folder: string, script = MAIN): Promise<LiveService> => {
  const { customerKey, feedKey } = prepareKeys(folder, [BOOKMAKER])
  const flags = ['--http-port', '0', '--stomp-port', '0', '--admin-port', '0', '--log-level', 'warn']
  // Subscribers whose core a neighbour has taken fall behind and are ended; those of the next round must be let in.
  flags.push('--error-sessions-max', '1000000')
  const server = await startServer(script, ['serve', '--data-dir', join(folder, 'oddswire'), ...flags])
  return {
    server,
    pid: server.process.pid!,
    stompPort: portOf(server, 'stomp'),
    httpPort: portOf(server, 'http'),
    adminPort: server.ready.admin!,
    customerKey,
    feedKey,
  }
}

/**
 * Whether the service has made its first checkpoint, which is due 5 s after the start: its thread compiles all of the engine
 * anew, on the same core. Then it rests for 20 times as long as that took (`checkpointRest`).
 */
export const hasCheckpoint = async ({ adminPort }: LiveService): Promise<boolean> => {
  const metrics = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text()
  return /^oddswire_log_checkpoints_total\{result="done"\} [1-9]/m.test(metrics)
}

const PAGE = 500

/** Ids of the events that stomp-load publishes, by their number. */
export const readEventIds = async (httpPort: number, customerKey: string, events: number): Promise<string[]> => {
  const ids: string[] = []
  for (let offset = 0; offset < events; offset += PAGE) {
    const response = await fetch(
      `http://127.0.0.1:${httpPort}/api/v1/events?transport=live&limit=${PAGE}&offset=${offset}`,
      { headers: { authorization: `Bearer ${customerKey}` } },
    )
    const { data } = (await response.json()) as { data: { id: string; homeTeam: string }[] }
    for (const { id, homeTeam } of data) ids[Number(homeTeam.split(' ')[1])] = id
  }
  if (ids.filter(Boolean).length < events) throw new Error(`only ${ids.filter(Boolean).length} events are listed`)
  return ids
}
