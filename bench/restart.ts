// P9 (bench/README.md): from the start of the process to its ready line, with all quotes of the process before. The board is
// filled through the log once; then the service itself is started, ended and started again.
//
//   node dist/bench/restart.js [--quotes 5000000] [--per-event 500,45] [--tail 500000] [--rounds 3] [--folder /tmp] [--parts]
//
// --parts: what a restart does with the checkpoint, part by part (load-checkpoint.js).

import { execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Filled, fillBoard, filledBoard } from './filled-board.ts'
import { madeOnceLater } from './made-once.ts'
import { cpuSeconds, ENVIRONMENT, type Server, stopServer } from './process.ts'
import { machine, print, ratio, rounded, spread } from './report.ts'

const { values: flags } = parseArgs({
  options: {
    quotes: { type: 'string', default: '5000000' },
    'per-event': { type: 'string', default: '500,45' },
    tail: { type: 'string', default: '500000' },
    rounds: { type: 'string', default: '3' },
    folder: { type: 'string', default: tmpdir() },
    parts: { type: 'boolean', default: false },
  },
})
const quotes = Number(flags.quotes)
const rounds = Number(flags.rounds)

const here = dirname(fileURLToPath(import.meta.url))
const MAIN = join(here, '..', 'src', 'main.js')

/** What a restart does with a checkpoint. */
const partsOf = (dataDir: string): Record<string, unknown> => {
  const words = [join(here, 'load-checkpoint.js'), dataDir, '--quotes-max', flags.quotes]
  const { parts, ...load } = JSON.parse(execFileSync(process.execPath, words, { encoding: 'utf8' }))
  return { load, parts }
}

interface Start {
  readonly readyMs: number
  /** CPU time of the process until then, all threads. */
  readonly cpuMs: number
  readonly rssMb: number
}

const statusOf = (pid: number, name: string): number =>
  Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1])

/** Starts the service on a data folder, on any core: readiness has all of the machine. */
const start = async (dataDir: string): Promise<{ server: Server; start: Start }> => {
  const args = ['--http-port', '0', '--stomp-port', '0', '--admin-port', '0', '--log-level', 'warn']
  const words = [
    MAIN,
    'serve',
    '--data-dir',
    dataDir,
    '--quotes-max',
    String(quotes),
    '--bookmaker-share',
    '1',
    ...args,
  ]
  const startedMs = performance.now()
  const child = spawn(process.execPath, words, { env: ENVIRONMENT, stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const line of createInterface({ input: child.stdout! })) {
    const readyMs = performance.now() - startedMs
    const pid = child.pid!
    child.stdout!.resume()
    const server = { process: child, ready: JSON.parse(line) }
    return { server, start: { readyMs, cpuMs: cpuSeconds(pid) * 1e3, rssMb: statusOf(pid, 'VmRSS') / 1024 } }
  }
  throw new Error('the service ended before it was ready')
}

/** Time of an idle process: what Node itself needs, on this machine now. */
const nodeMs = (): number => {
  const startedMs = performance.now()
  execFileSync(process.execPath, ['-e', '0'])
  return performance.now() - startedMs
}

const octetsOf = (dataDir: string, ending: string): number => {
  const folder = join(dataDir, 'log')
  const names = readdirSync(folder).filter((name) => name.endsWith(ending))
  return names.length === 0 ? 0 : statSync(join(folder, names.toSorted().at(-1)!)).size
}

const figures = (starts: readonly Start[]) => ({
  readyMs: spread(starts.map(({ readyMs }) => readyMs)),
  cpuMs: spread(starts.map(({ cpuMs }) => cpuMs)),
  rssMb: Math.round(starts[0]!.rssMb),
})

/** The same board as it stands after SIGTERM, and after SIGKILL with prices since the checkpoint. */
const prepare = async (folder: string, perEvent: number) => {
  const { dataDir, filled } = filledBoard(folder, quotes, perEvent)
  const prepared = await madeOnceLater(folder, `restart-${quotes}-${perEvent}-${flags.tail}`, async (making) => {
    const [terminated, killed] = [join(making, 'terminated'), join(making, 'killed')]
    cpSync(dataDir, terminated, { recursive: true })
    // The first start makes the store.
    await stopServer((await start(terminated)).server)
    cpSync(terminated, killed, { recursive: true })
    const words = ['--quotes', flags.quotes, '--quotes-max', flags.quotes, '--per-event', String(perEvent)]
    const tail = fillBoard(killed, ...words, '--tail', flags.tail, '--kill')
    writeFileSync(join(making, 'tail.json'), JSON.stringify(tail))
  })
  const tail = JSON.parse(readFileSync(join(prepared, 'tail.json'), 'utf8')) as Filled
  return { dataDir: join(prepared, 'terminated'), tailDir: join(prepared, 'killed'), filled, tail }
}

const measure = async (folder: string, perEvent: number) => {
  const { dataDir, tailDir, filled, tail } = await prepare(folder, perEvent)
  const terminated: Start[] = []
  const killed: Start[] = []
  const node: number[] = []
  for (let round = 0; round < rounds; round++) {
    node.push(nodeMs())
    const first = await start(dataDir)
    terminated.push(first.start)
    await stopServer(first.server)
    // The same checkpoint and the same tail each round: the process is killed before it makes another one.
    const second = await start(tailDir)
    killed.push(second.start)
    second.server.process.kill('SIGKILL')
  }
  const median = (starts: readonly Start[], of: keyof Start) => spread(starts.map((each) => each[of])).median
  return {
    id: 'P9',
    perEvent,
    quotes: filled.quotes,
    events: filled.events,
    checkpointOctets: octetsOf(dataDir, '.ckpt'),
    nodeMs: spread(node),
    toNode: ratio(
      'terminated',
      terminated.map(({ readyMs }) => readyMs),
      node,
    ),
    terminated: figures(terminated),
    killed: { prices: Number(flags.tail), turns: tail.position - filled.position, ...figures(killed) },
    tailMs: rounded(median(killed, 'readyMs') - median(terminated, 'readyMs')),
    tailCpuMs: rounded(median(killed, 'cpuMs') - median(terminated, 'cpuMs')),
    ...(flags.parts && partsOf(dataDir)),
  }
}

const folder = mkdtempSync(join(flags.folder, 'oddswire-bench-'))
try {
  const results: object[] = []
  for (const perEvent of flags['per-event'].split(',').map(Number)) results.push(await measure(folder, perEvent))
  print({
    bench: 'restart',
    target: 'P9: ready within 1 s',
    rounds,
    ...machine(),
    results,
  })
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}
