// The image, the compose file and the unit, as far as they can be checked without an engine: no stage with the tools that build
// is what runs, nothing runs as root, and no file system can be written but the data folder.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { ROOT } from '../root.ts'
import { newFolder, startService } from '../service.ts'
import { missing, textOf } from './programs.ts'

interface Instruction {
  readonly name: string
  readonly rest: string
}

/** Instructions of a Dockerfile, with continued lines as one. */
const instructionsOf = (text: string): Instruction[] =>
  text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => ({ name: line.split(' ', 1)[0]!, rest: line.slice(line.indexOf(' ') + 1) }))

const stagesOf = (text: string): Instruction[][] =>
  instructionsOf(text).reduce<Instruction[][]>(
    (stages, each) => (each.name === 'FROM' ? [...stages, [each]] : stages.with(-1, [...stages.at(-1)!, each])),
    [],
  )

const [build, final] = stagesOf(textOf('Dockerfile')) as [Instruction[], Instruction[]]

const of = (stage: readonly Instruction[], name: string): string[] =>
  stage.filter((each) => each.name === name).map(({ rest }) => rest)

const engines = (JSON.parse(textOf('package.json')) as { readonly engines: { readonly node: string } }).engines.node

test('the image: what runs is a small stage, as a user who is not root, with a supported Node', () => {
  const words = [
    'ARG',
    'CMD',
    'COPY',
    'ENTRYPOINT',
    'ENV',
    'EXPOSE',
    'FROM',
    'HEALTHCHECK',
    'RUN',
    'STOPSIGNAL',
    'USER',
  ]
  for (const { name } of [...build, ...final]) assert([...words, 'VOLUME', 'WORKDIR'].includes(name), name)
  for (const [stage, base] of [
    [build, /^node:(\d+)-bookworm AS build$/],
    [final, /^node:(\d+)-bookworm-slim$/],
  ] as const) {
    const major = base.exec(of(stage, 'FROM')[0]!)?.[1]
    assert(major !== undefined && engines.split(' || ').includes(`${major}.x`), of(stage, 'FROM')[0])
  }
  assert.deepEqual(of(final, 'USER'), ['1000:1000'])
  // The user comes after all that needs root, and nothing is installed or downloaded there.
  assert(final.findLastIndex(({ name }) => name === 'RUN') < final.findIndex(({ name }) => name === 'USER'))
  for (const rest of of(final, 'RUN')) assert.doesNotMatch(rest, /\b(apt|apt-get|curl|wget|npm)\b/)
  for (const rest of of(final, 'COPY')) assert.match(rest, /^--from=build /)
  for (const name of ['ENTRYPOINT', 'CMD']) assert.doesNotThrow(() => JSON.parse(of(final, name)[0]!) as unknown, name)
})

test('the image is made from files that are there and that .dockerignore lets in; the rest stays out', () => {
  const lines = textOf('.dockerignore').split('\n')
  assert.equal(
    lines.find((line) => line !== '' && !line.startsWith('#')),
    '*',
  )
  const allowed = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1))
  for (const path of allowed.filter((each) => !each.includes('*'))) assert(existsSync(join(ROOT, path)), path)
  const copied = of(build, 'COPY').flatMap((rest) => rest.split(' ').slice(0, -1))
  for (const path of copied.filter((each) => each !== '.')) assert(allowed.includes(path), path)
  const made = ['/app/node_modules', '/app/dist']
  for (const path of of(final, 'COPY').flatMap((rest) => rest.split(' ').slice(1, -1))) {
    assert(made.includes(path) || allowed.includes(path.replace('/app/', '')), path)
  }
  // What a build reads in the first folder of the repository is let in, but for what belongs to tests and benches.
  const configurations = readdirSync(ROOT).filter((name) => /^(tsconfig|rolldown|vite)/.test(name))
  for (const name of configurations) {
    assert(
      allowed.some((each) => (each.endsWith('*') ? name.startsWith(each.slice(0, -1)) : each === name)),
      name,
    )
  }
})

test('the health check of the image is the word of /readyz', async () => {
  const [program, ...args] = JSON.parse(/CMD (\[.*\])$/.exec(of(final, 'HEALTHCHECK')[0]!)![1]!) as string[]
  assert.equal(program, 'node')
  const folder = newFolder()
  const service = await startService(folder.path, '--demo')
  const env = { ...process.env, ODDSWIRE_ADMIN_PORT: new URL(service.admin).port }
  const check = (): number | null => spawnSync(process.execPath, args, { env }).status
  assert.equal(check(), 0)
  assert.equal(await service.stop(), 0)
  assert.equal(check(), 1)
  folder.remove()
})

interface Container {
  readonly image: string
  readonly volumes: readonly string[]
  readonly ports?: readonly string[]
  readonly networks: readonly string[]
  readonly read_only: boolean
  readonly cap_drop: readonly string[]
  readonly security_opt: readonly string[]
}

test('compose: every container is read-only and without capabilities, and what it mounts is there', () => {
  const compose = parse(textOf('compose.yaml')) as {
    readonly services: Readonly<Record<string, Container>>
    readonly volumes: Readonly<Record<string, object>>
    readonly networks: Readonly<Record<string, { readonly internal?: boolean }>>
  }
  assert.deepEqual(Object.keys(compose.services), ['oddswire', 'prometheus', 'grafana'])
  const used = new Set<string>()
  for (const [name, service] of Object.entries(compose.services)) {
    assert.equal(service.read_only, true, name)
    assert.deepEqual(service.cap_drop, ['ALL'], name)
    assert.deepEqual(service.security_opt, ['no-new-privileges:true'], name)
    if (name !== 'oddswire') assert.match(service.image, /:v?\d+\.\d+\.\d+$/, name)
    for (const port of service.ports ?? [])
      assert.match(port, /^(127\.0\.0\.1|\$\{ODDSWIRE_BIND:-127\.0\.0\.1\}):\d+:\d+$/)
    for (const network of service.networks) assert(network in compose.networks, network)
    for (const volume of service.volumes) {
      const [from = '', , mode] = volume.split(':')
      if (from.startsWith('./')) {
        assert.equal(mode, 'ro', volume)
        // That of the configuration is the operator's.
        assert(from === './config' || existsSync(join(ROOT, from)), volume)
      } else {
        assert(from in compose.volumes, volume)
        used.add(from)
      }
    }
  }
  assert.deepEqual([...used], Object.keys(compose.volumes))
  assert.equal(compose.networks.metrics!.internal, true)
})

test('Grafana is provisioned with the dashboard, and with the data source that it names', () => {
  const { datasources } = parse(textOf('deploy/grafana/provisioning/datasources/prometheus.yaml')) as {
    readonly datasources: readonly { readonly uid: string; readonly url: string }[]
  }
  const uids = new Set(
    [...textOf('deploy/grafana/oddswire.json').matchAll(/"uid": "(oddswire-[^"]+)"/g)].map(([, uid]) => uid),
  )
  assert.deepEqual([...uids], [datasources[0]!.uid])
  assert.equal(datasources[0]!.url, 'http://prometheus:9090')
  const { providers } = parse(textOf('deploy/grafana/provisioning/dashboards/oddswire.yaml')) as {
    readonly providers: readonly { readonly options: { readonly path: string } }[]
  }
  assert(
    textOf('compose.yaml').includes(`./deploy/grafana/oddswire.json:${providers[0]!.options.path}/oddswire.json:ro`),
  )
})

const UNIT = textOf('deploy/oddswire.service')

test('the unit: systemd has no complaint, and it may do little', { skip: missing('systemd-analyze') }, () => {
  const folder = newFolder()
  const file = join(folder.path, 'oddswire.service')
  try {
    // The program is where an operator installs it.
    writeFileSync(file, UNIT.replace('/opt/oddswire/bin/oddswire', process.execPath))
    const verify = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' })
    assert.equal(verify.status, 0, verify.stderr)
    assert.equal(verify.stderr, '')
    // In tenths: 1.4 of 10 is 14.
    const security = spawnSync('systemd-analyze', ['security', '--offline=true', '--threshold=20', file], {
      encoding: 'utf8',
    })
    assert.equal(security.status, 0, security.stdout)
  } finally {
    folder.remove()
  }
})

test('the unit reloads by SIGHUP, compiles, and reads /proc', () => {
  assert.match(UNIT, /^ExecReload=kill -HUP \$MAINPID$/m)
  assert.match(UNIT, /^EnvironmentFile=-\/etc\/oddswire\/oddswire\.env$/m)
  assert.doesNotMatch(UNIT, /^(MemoryDenyWriteExecute|ProcSubset)=/m)
})
