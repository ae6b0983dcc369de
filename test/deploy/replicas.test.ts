// Several processes as a reader starts them: by the three commands of the README, and behind HAProxy with the configuration that
// the compose file gives it.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { until } from '../feeds/waiting.ts'
import { Random, SEED } from '../random.ts'
import { redisMissing } from '../redis-server.ts'
import { ROOT } from '../root.ts'
import { freePrefix, RunningLines } from '../running-lines.ts'
import { done, MAIN, newFolder } from '../service.ts'
import { textOf } from './programs.ts'

const isRunnable = (program: string, ...args: string[]): boolean => spawnSync(program, args).error === undefined

interface Compose {
  readonly services: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

const compose = parse(textOf('compose.replicas.yaml'), { merge: true }) as Compose

test('compose: what nobody outside needs is inside, and nothing runs with more rights than it needs', () => {
  const { services } = compose
  assert.deepEqual(Object.keys(services), ['redis', 'oddswire-1', 'oddswire-2', 'oddswire-3', 'haproxy'])
  for (const [name, service] of Object.entries(services)) {
    assert.equal(service['read_only'], true, name)
    assert.deepEqual(service['cap_drop'], ['ALL'], name)
    assert.deepEqual(service['security_opt'], ['no-new-privileges:true'], name)
    assert.equal(service['ports'] !== undefined, name === 'haproxy', name)
    for (const volume of (service['volumes'] ?? []) as string[]) {
      const [from = '', , mode] = volume.split(':')
      if (from.startsWith('./')) assert(mode === 'ro' && existsSync(join(ROOT, from)), volume)
    }
  }
  // Each gives the others an address that leads to itself.
  for (const name of ['oddswire-1', 'oddswire-2', 'oddswire-3']) {
    const environment = services[name]!['environment'] as Readonly<Record<string, string>>
    assert.equal(environment['ODDSWIRE_PEER_URL'], `http://${name}:${environment['ODDSWIRE_PEER_PORT']}`)
    assert(textOf('deploy/replicas/haproxy.cfg').includes(` ${name}:8080\n`), name)
    assert(textOf('deploy/replicas/haproxy.cfg').includes(` ${name}:61613\n`), name)
  }
})

test('the three commands of the README, as they stand; then HAProxy, and the end of one process', {
  skip: redisMissing(),
}, async (t) => {
  const folder = newFolder()
  const random = new Random(SEED)
  const [shared, haproxy] = [await freePrefix(random), await freePrefix(random)]
  const commands = /```bash\n(redis-server .*?)```/s.exec(textOf('README.md'))![1]!
  assert.equal(commands.trim().split('\n').length, 3)
  // As they stand, but for the ports, and for npx, which reads package.json of the folder that it is in.
  const prefixes = new Map<string, string>()
  for (const written of ['1808', '1616', '1909']) prefixes.set(written, await freePrefix(random))
  const here = commands
    .replaceAll(/\b(1808|1616|1909)(?=[$123])/g, (written) => prefixes.get(written)!)
    .replaceAll('npx oddswire', `"${process.execPath}" "${MAIN}"`)
    .replaceAll('6399', `${shared}1`)
    .replaceAll('8080', `${shared}2`)
    .replaceAll('61613:', `${shared}3:`)
    .replaceAll('examples/', `${join(ROOT, 'examples')}/`)
  const lines = new RunningLines(here, folder.path)
  const logs = (): string =>
    ['redis', 'replica-1', 'replica-2', 'replica-3']
      .map((name) => join(folder.path, `${name}.log`))
      .map((file) => (existsSync(file) ? readFileSync(file, 'utf8').slice(-2_000) : ''))
      .join('\n')
  const ends: (() => void)[] = [() => folder.remove(), () => lines.end()]
  t.after(() => {
    for (const end of ends.reverse()) end()
  })
  await lines.prints(/leads to .*\n.*leads to /)
  const first = join(folder.path, 'replica-1.log')
  await until('a demo key', () => existsSync(first) && readFileSync(first, 'utf8').includes('Demo key'), logs)
  for (const number of [1, 2, 3]) {
    const log = join(folder.path, `replica-${number}.log`)
    await until('a line that asks for odds', () => /\/events\/\d+\/odds'/.test(readFileSync(log, 'utf8')), logs)
  }
  const key = done(join(folder.path, 'data', 'replica-1'), 'key', 'create', '--org', 'demo')

  /** Each request has a connection of its own, so that each process gets its turn. */
  const areAnswered = (port: string, count: number): Promise<unknown> => {
    let inARow = 0
    return until(
      `${count} answers in a row by port ${port}`,
      async () => {
        try {
          const headers = { Authorization: `Bearer ${key}`, Connection: 'close' }
          const url = `http://127.0.0.1:${port}/api/v1/events?sport=football&limit=1`
          const { status } = await fetch(url, { headers, signal: AbortSignal.timeout(2_000) })
          inARow = status === 200 ? inARow + 1 : 0
        } catch {
          inARow = 0
        }
        return inARow >= count
      },
      logs,
    )
  }
  await areAnswered(`${shared}2`, 6)

  if (isRunnable('nc', '-h')) {
    const written = /^.*SUBSCRIBE.*\| nc .*$/m.exec(textOf('README.md'))![0]
    const line = written.replace('localhost 61613', `127.0.0.1 ${shared}3`).replace(/ \| tr .*/, '')
    const desk = new RunningLines(`KEY=${key}\n${line}`)
    ends.push(() => desk.end())
    await desk.prints(/^CONNECTED\n/)
    // The command is given to the last process, whichever serves the desk.
    done(join(folder.path, 'data', 'replica-3'), 'suspend', '--bookmaker', 'aldermoor')
    await desk.prints(/\0\s*MESSAGE\ndestination:\/topic\/status\.football\.aldermoor\./)
  }

  if (!isRunnable('haproxy', '-v')) return t.diagnostic('haproxy is not installed')
  const ports = (name: string, number: string): string =>
    `127.0.0.1:${prefixes.get(name)}${number} check port ${prefixes.get('1909')}${number}`
  const configuration = textOf('deploy/replicas/haproxy.cfg')
    // The container has more descriptors than this shell may have.
    .replace(/maxconn \d+/, 'maxconn 500')
    .replaceAll(/oddswire-(\d):8080/g, (_, number: string) => ports('1808', number))
    .replaceAll(/oddswire-(\d):61613/g, (_, number: string) => ports('1616', number))
    .replace('bind :8080', `bind 127.0.0.1:${haproxy}1`)
    .replace('bind :61613', `bind 127.0.0.1:${haproxy}2`)
  const file = join(folder.path, 'haproxy.cfg')
  writeFileSync(file, configuration)
  const checked = spawnSync('haproxy', ['-c', '-f', file], { encoding: 'utf8' })
  assert.equal(checked.status, 0, checked.stderr)
  const proxy = new RunningLines(`exec haproxy -db -f "${file}"`)
  ends.push(() => proxy.end())
  await areAnswered(`${haproxy}1`, 6)
  lines.kill(`data/replica-2 `)
  await areAnswered(`${haproxy}1`, 6)
  await areAnswered(`${shared}2`, 6)
  return undefined
})
