// A private Sentinel: it watches one master, and is a majority alone.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../feeds/waiting.ts'

const NAME = 'odds'

export interface Sentinel {
  /** `redis-sentinel://127.0.0.1:PORT/NAME` */
  readonly url: string
  /** Port of the master, as it says. */
  master(): number
  /** Replicas that it knows. */
  replicas(): number
  remove(): Promise<void>
}

/** @param master port of the Redis that it watches */
export const startSentinel = async (master: number): Promise<Sentinel> => {
  const probe = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => probe.once('listening', resolve))
  const { port } = probe.address() as AddressInfo
  await new Promise((resolve) => probe.close(resolve))
  const folder = mkdtempSync(join(tmpdir(), 'oddswire-sentinel-'))
  const file = join(folder, 'sentinel.conf')
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${folder}`,
    `sentinel monitor ${NAME} 127.0.0.1 ${master} 1`,
    `sentinel down-after-milliseconds ${NAME} 700`,
    `sentinel failover-timeout ${NAME} 3000`,
  ]
  writeFileSync(file, `${lines.join('\n')}\n`)
  const child: ChildProcess = spawn('redis-server', [file, '--sentinel'], { stdio: 'ignore' })
  const cli = (...args: readonly string[]): string =>
    spawnSync('redis-cli', ['-p', String(port), ...args], { encoding: 'utf8', timeout: 20_000 }).stdout.trimEnd()
  await until('the Sentinel answers', () => cli('PING') === 'PONG')
  return {
    url: `redis-sentinel://127.0.0.1:${port}/${NAME}`,
    master: () => Number(cli('SENTINEL', 'get-master-addr-by-name', NAME).split('\n')[1]),
    replicas: () => Number(/slaves=(\d+)/.exec(cli('INFO', 'sentinel'))?.[1] ?? 0),
    remove: async () => {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
