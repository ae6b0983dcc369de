// What it costs to count a request against an hourly limit and a quota (bench/README.md): the odds of one event by a key
// without limits and by one with limits far away, of a service that counts in its store, and of one that counts in Redis
// (--redis-url). Server on core 0, wrk on core 1; Redis on any. The difference between the two keys is the lease.
//
//   node dist/bench/replicas-lease.js [--seconds 4] [--rounds 3] [--connections 64]

import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { now } from '../src/clock.ts'
import { freePort, isInstalled, isOnPath, leaveOut, untilListening } from './peer.ts'
import { cpuSeconds, type Server, startServer, stopServer, wrk } from './process.ts'
import { observationOf } from './quotes.ts'
import { SeededRandom } from '../src/source/simulator/random.ts'
import { machine, median, print, rounded, spread } from './report.ts'

const { values: flags } = parseArgs({
  options: {
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '64' },
  },
})
const seconds = Number(flags.seconds)
const rounds = Number(flags.rounds)
const connections = Number(flags.connections)

const MAIN = join(dirname(fileURLToPath(import.meta.url)), '..', 'src', 'main.js')
const folder = mkdtempSync(join(tmpdir(), 'oddswire-bench-'))

interface Candidate {
  readonly name: string
  readonly server: Server
  readonly url: string
  readonly header: string
}

/** One event of one bookmaker, and the coverage that shows it. */
const writeInputs = (): void => {
  const observedAt = now() - 60_000
  const { event: sighting, prices, ...rest } = observationOf(0, 0, observedAt, 'rest', new SeededRandom(11))
  const { sport, leagueKey, leagueName, home, away, kickoffAt } = sighting
  const event = {
    sport,
    league: { key: leagueKey, name: leagueName },
    home,
    away,
    kickoffAt: new Date(kickoffAt).toISOString(),
  }
  const line = { ...rest, observedAt: new Date(observedAt).toISOString(), event, quotes: prices }
  writeFileSync(join(folder, 'observations.jsonl'), `${JSON.stringify(line)}\n`)
  const sports = { sports: ['*'], status: 'verified_rest_live', restAvailable: true, liveAvailable: true }
  const bookmaker = {
    ...{ slug: 'book_0', displayName: 'Book 0', region: 'Europe', countries: ['SE'], sourceMode: 'direct' },
    ...{ customerNote: '', coverage: [{ ...sports, lastVerifiedAt: null }] },
  }
  writeFileSync(join(folder, 'coverage.json'), JSON.stringify({ bookmakers: [bookmaker] }))
}

/** A service with an unlimited and a limited key. */
const start = async (name: string, more: readonly string[]): Promise<readonly Candidate[]> => {
  const dataDir = join(folder, name)
  const cli = (...args: string[]): string =>
    execFileSync(process.execPath, [MAIN, ...args, '--data-dir', dataDir], { encoding: 'utf8', stdio: 'pipe' })
      .trim()
      .split('\n')
      .at(-1)!
  cli('plan', 'set', 'wide', '--hourly', '1000000000', '--monthly', '2000000000')
  const keyOf = (plan: string): string => {
    cli('org', 'create', plan, '--plan', plan, '--bookmakers', '*')
    return cli('key', 'create', '--org', plan)
  }
  const [unlimited, limited] = [keyOf('desk'), keyOf('wide')]
  const server = await startServer(MAIN, [
    ...['serve', '--data-dir', dataDir, '--http-port', '0', '--stomp-port', '0', '--admin-port', '0'],
    ...['--log-level', 'warn', '--coverage', join(folder, 'coverage.json')],
    ...['--replay', join(folder, 'observations.jsonl'), '--format', 'observations', ...more],
  ])
  const root = `http://127.0.0.1:${server.ready.http}/api/v1`
  const ask = (): Promise<Response> => fetch(`${root}/events`, { headers: { authorization: `Bearer ${limited}` } })
  let response = await ask()
  // What was used before is gathered first.
  for (let tries = 0; response.status === 503 && tries < 100; tries++) {
    await pause(100)
    response = await ask()
  }
  const { data } = (await response.json()) as { readonly data: readonly { readonly id: string }[] }
  if (data?.length !== 1) {
    await stopServer(server)
    throw new Error(`${name}: ${response.status}, and no event`)
  }
  const url = `${root}/events/${data[0]!.id}/odds`
  return [
    { name: `${name}, no limit`, server, url, header: `Authorization: Bearer ${unlimited}` },
    { name: `${name}, limited`, server, url, header: `Authorization: Bearer ${limited}` },
  ]
}

const measure = (candidates: readonly Candidate[]) => {
  const results = candidates.map(({ name }) => ({ name, perSecond: [] as number[], cpuUs: [] as number[] }))
  for (const { url, header } of candidates) wrk(url, { headers: [header], connections, seconds: 1 })
  for (let round = 0; round < rounds; round++) {
    for (const [place, { name, url, header, server }] of candidates.entries()) {
      const cpuBefore = cpuSeconds(server.process.pid!)
      const { requests, perSecond, failed } = wrk(url, { headers: [header], connections, seconds })
      if (failed > 0) throw new Error(`${name}: ${failed} requests failed`)
      results[place]!.perSecond.push(perSecond)
      results[place]!.cpuUs.push(((cpuSeconds(server.process.pid!) - cpuBefore) * 1e6) / requests)
    }
  }
  const cpuOf = (name: string): number => median(results.find((each) => each.name === name)!.cpuUs)
  return {
    leaseCpuUs: {
      store: rounded(cpuOf('store, limited') - cpuOf('store, no limit')),
      redis: rounded(cpuOf('redis, limited') - cpuOf('redis, no limit')),
    },
    requestsPerSecond: Object.fromEntries(results.map(({ name, perSecond }) => [name, spread(perSecond)])),
    cpuUsPerRequest: Object.fromEntries(results.map(({ name, cpuUs }) => [name, spread(cpuUs)])),
  }
}

const measureAll = async (): Promise<void> => {
  writeInputs()
  const port = await freePort()
  const redis = spawn('redis-server', ['--port', String(port), '--save', '', '--bind', '127.0.0.1'], {
    stdio: 'ignore',
  })
  const candidates: Candidate[] = []
  try {
    await untilListening(port, () => redis.exitCode !== null)
    candidates.push(...(await start('store', [])))
    candidates.push(...(await start('redis', ['--redis-url', `redis://127.0.0.1:${port}`])))
    print({ bench: 'replicas-lease', seconds, rounds, connections, ...machine(), ...measure(candidates) })
  } finally {
    for (const server of new Set(candidates.map((each) => each.server))) await stopServer(server)
    redis.kill('SIGTERM')
  }
}

try {
  if (!isOnPath('wrk')) leaveOut('bench/replicas-lease', 'there is no load generator (wrk)')
  else if (!isInstalled('redis-server', '--version')) leaveOut('bench/replicas-lease', 'redis-server is not installed')
  else await measureAll()
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}
