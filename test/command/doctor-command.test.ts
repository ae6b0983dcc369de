// oddswire doctor: each thing that can be wrong with an installation is found, and nothing is changed.

import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import * as clock from '../../src/clock.ts'
import { clockFindings } from '../../src/command/doctor-clock.ts'
import { flushFinding } from '../../src/command/doctor-disk.ts'
import { certificateFinding } from '../../src/command/doctor-ports.ts'
import type { Finding } from '../../src/command/findings.ts'
import { readSettings, type Settings } from '../../src/config.ts'
import { checkedText } from '../../src/log/checked-file.ts'
import { ROOT } from '../root.ts'
import { hasOpenssl } from '../listeners.ts'
import { done, MAIN, newFolder, startService } from '../service.ts'
import { onTerminal, terminalMissing } from './terminal.ts'

interface Row {
  readonly id: string
  readonly level: Finding['level']
  readonly found: string
  readonly do: string | null
}

/** Ports that no other program is in the way of. */
const FREE = ['--http-port', '0', '--stomp-port', '0', '--admin-port', '0']

const newHome = (t: TestContext): string => {
  const { path, remove } = newFolder()
  t.after(remove)
  return path
}

/** Runs it in a folder, whose `data` is the data folder. */
const doctor = (
  home: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): { readonly code: number | null; readonly rows: readonly Row[]; readonly of: (id: string) => Row } => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, 'doctor', ...FREE, ...args], {
    encoding: 'utf8',
    cwd: home,
    env: { ...process.env, ...env },
  })
  assert.equal(stderr, '')
  const rows = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Row)
  const of = (id: string): Row => {
    const found = rows
      .filter((row) => row.id === id)
      .toSorted((a, b) => ORDER.indexOf(a.level) - ORDER.indexOf(b.level))
    assert(found.length > 0, `nothing is said of ${id}: ${stdout}`)
    return found[0]!
  }
  return { code: status, rows, of }
}

const ORDER = ['wrong', 'warning', 'note', 'fine']

const assertIs = (
  { level, found, do: advice }: Row,
  expected: Row['level'],
  text: RegExp,
  what: RegExp | null,
): void => {
  assert.equal(level, expected, found)
  assert.match(found, text)
  if (what === null) assert.equal(advice, null)
  else assert.match(advice ?? '', what)
}

/** Names, modes, times and content of all files. */
const stateOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .toSorted()
    .map((name) => {
      const path = join(folder, name)
      const { mode, mtimeMs, ino } = statSync(path)
      const digest = statSync(path).isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : ''
      return `${name} ${mode} ${statSync(path).isFile() ? mtimeMs : ''} ${ino} ${digest}`
    })

/** A data folder as a server and an operator have left it. */
const served = async (t: TestContext): Promise<string> => {
  const home = newHome(t)
  const service = await startService(join(home, 'data'), '--demo')
  assert.equal(await service.stop(), 0)
  return home
}

test('a folder without anything: what is missing is said, and nothing is wrong, or made', (t) => {
  const home = newHome(t)
  const { code, of } = doctor(home)
  assert.equal(code, 0)
  assert.deepEqual(readdirSync(home), [])
  assertIs(of('program'), 'fine', /^Node v/, null)
  assertIs(of('settings'), 'fine', /valid/, null)
  assertIs(of('port http'), 'fine', /on a free port/, null)
  assertIs(of('certificate'), 'note', /plain/, null)
  assertIs(of('data folder'), 'note', /not there yet/, null)
  assertIs(of('store'), 'note', /none yet/, null)
  assertIs(of('coverage'), 'warning', /nothing is shown to customers/, /coverage import FILE/)
  assertIs(of('log'), 'note', /none yet/, null)
  assertIs(of('clock file'), 'note', /there is none/, null)
  assertIs(of('sources'), 'warning', /no oddswire\.feeds\.json/, /--feeds/)
  assertIs(of('server'), 'note', /none runs/, null)
})

test('after a demo that was ended nothing is wrong, and no file has changed', async (t) => {
  const home = await served(t)
  const before = stateOf(home)
  const { code, of } = doctor(home)
  assert.equal(code, 0)
  assert.deepEqual(stateOf(home), before)
  assertIs(of('data folder'), 'fine', /data$/, null)
  assertIs(of('store'), 'fine', /^1 organization/, null)
  assertIs(of('coverage'), 'fine', /bookmaker/, null)
  assertIs(of('log'), 'fine', /turns/, null)
  assertIs(of('clock file'), 'fine', /goes on where it was/, null)
})

test('settings: a variable that no setting has, and an invalid one', (t) => {
  const home = newHome(t)
  const { code, of } = doctor(home, [], { ODDSWIRE_HTTPPORT: '80' })
  assert.equal(code, 0)
  assertIs(of('settings'), 'warning', /^ODDSWIRE_HTTPPORT: .*did you mean "ODDSWIRE_HTTP_PORT"/, /correct it/)
  const { status, stderr } = spawnSync(process.execPath, [MAIN, 'doctor', '--http-port', 'x'], { encoding: 'utf8' })
  assert.equal(status, 1)
  assert.match(stderr, /--http-port must be a port/)
})

test('ports: taken, the same twice, an address of another machine', async (t) => {
  const home = newHome(t)
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  t.after(() => other.close())
  const { port } = other.address() as AddressInfo
  const taken = doctor(home, ['--http-port', String(port)])
  assert.equal(taken.code, 1)
  assertIs(taken.of('port http'), 'wrong', new RegExp(`^port ${port} is in use$`), /stop its owner.*--http-port/)
  const twice = doctor(home, ['--http-port', '65123', '--stomp-port', '65123'])
  assert.equal(twice.code, 1)
  assertIs(twice.of('port stomp'), 'wrong', /is the port of http, too/, /--stomp-port/)
  const foreign = doctor(home, ['--admin-host', '192.0.2.1'])
  assert.equal(foreign.code, 1)
  assertIs(foreign.of('port admin'), 'wrong', /192\.0\.2\.1/, /--admin-host/)
})

test('address: plain beyond the loopback, and customers who are sent to localhost', (t) => {
  const home = newHome(t)
  assertIs(doctor(home).of('address'), 'note', /only this machine/, null)
  assertIs(doctor(home, ['--host', '0.0.0.0']).of('address'), 'warning', /localhost/, /--public-url/)
  const plain = doctor(home, ['--host', '0.0.0.0', '--public-url', 'http://odds.example.com'])
  assertIs(plain.of('address'), 'warning', /can be read on the way/, /--tls-cert/)
})

test('connections: few, and more than file descriptors', (t) => {
  const home = newHome(t)
  const asked = doctor(home, ['--connections-max', '900000000'])
  assertIs(asked.of('connections'), 'warning', /900000000|descriptors/, /LimitNOFILE/)
  const few = spawnSync('sh', ['-c', `ulimit -n 1024 && exec "$0" "$@"`, process.execPath, MAIN, 'doctor', ...FREE], {
    encoding: 'utf8',
    cwd: home,
  })
  assert.match(few.stdout, /"id":"connections","level":"warning","found":"768 at most, of 1024/)
})

const settingsOf = (flags: Readonly<Record<string, string>>): Settings => {
  const settings = readSettings(flags, {})
  assert('httpPort' in settings)
  return settings
}

test('certificate: expired, not valid yet, soon to expire, of another name, without its key', (t) => {
  if (!hasOpenssl) {
    t.skip('openssl is not installed')
    return
  }
  const home = newHome(t)
  const [cert, key, other] = ['a.pem', 'a.key', 'b.key'].map((name) => join(home, name)) as [string, string, string]
  for (const file of [key, other]) {
    execFileSync('openssl', ['ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', file], { stdio: 'ignore' })
  }
  const names = ['-subj', '/CN=odds.example.com', '-addext', 'subjectAltName=DNS:odds.example.com,IP:192.0.2.7']
  execFileSync('openssl', ['req', '-x509', '-key', key, '-out', cert, '-days', '90', ...names], { stdio: 'ignore' })
  const now = clock.now()
  const days = 24 * 3_600_000
  const of = (at: number, more: Readonly<Record<string, string>> = {}): Row => {
    const { advice, ...finding } = certificateFinding(settingsOf({ 'tls-cert': cert, 'tls-key': key, ...more }), at)
    return { ...finding, do: advice }
  }
  assertIs(of(now + 60_000), 'fine', /^valid until/, null)
  assertIs(of(now + 60_000, { 'public-url': 'https://odds.example.com' }), 'fine', /^valid until/, null)
  assertIs(of(now + 60_000, { 'public-url': 'https://192.0.2.7:8443' }), 'fine', /^valid until/, null)
  assertIs(of(now + 60_000, { 'public-url': 'https://other.example.com' }), 'wrong', /not for other\.example/, /names/)
  assertIs(of(now + 80 * days), 'warning', /in \d days/, /renew it/)
  assertIs(of(now + 91 * days), 'wrong', /has expired/, /renew it.*SIGHUP/)
  assertIs(of(now - 2 * days), 'wrong', /is valid from/, /clock/)
  assertIs(of(now, { 'tls-key': other }), 'wrong', /cannot be used/, /PEM pair/)
  assertIs(of(now, { 'tls-cert': join(home, 'none.pem') }), 'wrong', /cannot be used/, /PEM pair/)
})

test('data folder: a file in its place, and one that others can read', (t) => {
  const home = newHome(t)
  writeFileSync(join(home, 'data'), '')
  const { code, of } = doctor(home)
  assert.equal(code, 1)
  assertIs(of('data folder'), 'wrong', /is not a folder/, /--data-dir/)
  rmSync(join(home, 'data'))
  mkdirSync(join(home, 'data'))
  chmodSync(join(home, 'data'), 0o755)
  assertIs(doctor(home).of('data folder'), 'warning', /other users/, /chmod 700/)
})

test('data folder: one that this user cannot write', (t) => {
  if (process.getuid?.() !== 0) {
    t.skip('only root can take another user')
    return
  }
  const home = newHome(t)
  chmodSync(home, 0o755)
  mkdirSync(join(home, 'data'), { mode: 0o755 })
  const { status, stdout } = spawnSync(process.execPath, [MAIN, 'doctor', ...FREE], {
    ...{ encoding: 'utf8', cwd: home, uid: 65_534, gid: 65_534 },
  })
  assert.equal(status, 1, stdout)
  assert.match(stdout, /"id":"data folder","level":"wrong","found":"[^"]*cannot be written/)
})

test('disk: one in memory, without room, without as much room as the log may take, and a slow one', (t) => {
  const home = newHome(t)
  const wants = doctor(home, ['--log-bytes-max', '900000t'])
  assert.equal(wants.code, 0)
  assertIs(wants.of('disk space'), 'warning', /the log may take/, /--log-bytes-max/)
  assertIs(wants.of('disk flush'), 'fine', /ms a flush/, null)
  const ofFlush = (ms: number, fsync: Settings['fsync']): string => flushFinding(ms, fsync).level
  assert.deepEqual(
    [
      ofFlush(10, 'always'),
      ofFlush(11, 'always'),
      ofFlush(11, 'interval'),
      ofFlush(101, 'interval'),
      ofFlush(1_001, 'off'),
    ],
    ['fine', 'warning', 'fine', 'warning', 'wrong'],
  )
  const memory = '/dev/shm'
  if (statfsSync(memory, { bigint: false }).type !== 0x01021994) return
  const folder = mkdtempSync(join(memory, 'oddswire-doctor-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const inMemory = doctor(home, ['--data-dir', folder])
  assertIs(inMemory.of('data folder'), 'warning', /tmpfs/, /put it on a disk/)
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', folder]).status !== 0) return
  try {
    const small = doctor(home, ['--data-dir', folder])
    assert.equal(small.code, 1)
    assertIs(small.of('disk space'), 'wrong', /need 128 MiB/, /free space/)
  } finally {
    spawnSync('umount', [folder])
  }
})

test('store: damaged, lost its log, a backup, without an organization, of a newer version', async (t) => {
  const home = newHome(t)
  const data = join(home, 'data')
  done(data, 'coverage', 'import', join(ROOT, 'coverage', 'the-odds-api.json'))
  assertIs(doctor(home).of('store'), 'warning', /no organization/, /org create/)
  assertIs(doctor(home).of('coverage'), 'fine', /^\d+ bookmaker/, null)
  done(data, 'org', 'create', 'acme', '--plan', 'desk')
  assertIs(doctor(home).of('store'), 'fine', /^1 organization/, null)

  done(data, 'backup', join(home, 'copy.db'))
  mkdirSync(join(home, 'restored'), { mode: 0o700 })
  copyFileSync(join(home, 'copy.db'), join(home, 'restored', 'oddswire.db'))
  const restored = doctor(home, ['--data-dir', 'restored'])
  assert.equal(restored.code, 1)
  assertIs(restored.of('store'), 'wrong', /is a backup/, /--accept-store/)

  const service = await startService(data)
  await service.kill()
  assertIs(doctor(home).of('store'), 'note', /was not ended in order/, null)
  // Without the index it is not known either that all of the log was checkpointed.
  for (const name of ['oddswire.db-wal', 'oddswire.db-shm']) rmSync(join(data, name))
  const lost = doctor(home)
  assert.equal(lost.code, 1)
  assertIs(lost.of('store'), 'wrong', /log .* missing/, /put the log back/)

  const octets = readFileSync(join(home, 'copy.db'))
  const version = 60 // https://sqlite.org/fileformat.html, 1.3: the user version
  octets.writeUInt32BE(9_999, version)
  // Not a backup any more: of a store that was closed.
  octets.write('oddc', 68, 'latin1')
  const newer = newHome(t)
  mkdirSync(join(newer, 'data'), { mode: 0o700 })
  writeFileSync(join(newer, 'data', 'oddswire.db'), octets)
  assertIs(doctor(newer).of('store'), 'wrong', /version 9999/, /newer oddswire/)
  octets.fill(0x5a, 4_096, 8_192)
  writeFileSync(join(newer, 'data', 'oddswire.db'), octets)
  const damaged = doctor(newer)
  assert.equal(damaged.code, 1)
  assertIs(damaged.of('store'), 'wrong', /damaged|cannot be read|malformed/, /backup/)
})

test('log: a segment whose beginning cannot be read', async (t) => {
  const home = await served(t)
  const folder = join(home, 'data', 'log')
  const segment = readdirSync(folder).find((name) => name.endsWith('.seg'))!
  const octets = readFileSync(join(folder, segment))
  octets.fill(0, 0, 64)
  writeFileSync(join(folder, segment), octets)
  const { code, of } = doctor(home)
  assert.equal(code, 1)
  assertIs(of('log'), 'wrong', new RegExp(segment), /./)
})

test('clock: not synchronised, not known, behind and ahead of the time of the service', (t) => {
  const home = newHome(t)
  const of = (id: string, isSynchronized?: boolean): Row => {
    const { advice, ...finding } = clockFindings(home, () => isSynchronized).find((each) => each.id === id)!
    return { ...finding, do: advice }
  }
  assertIs(of('clock', true), 'fine', /synchronised/, null)
  assertIs(of('clock', false), 'warning', /not synchronised/, /NTP/)
  assertIs(of('clock'), 'note', /does not say/, null)
  const mark = clock.ours.mark()
  const leave = (change: Partial<typeof mark>): void =>
    writeFileSync(join(home, 'clock.json'), checkedText({ ...mark, ...change }))
  leave({})
  assertIs(of('clock file'), 'fine', /goes on/, null)
  leave({ at: mark.at + 60_000 })
  assertIs(of('clock file'), 'wrong', /60 s behind/, /docs\/operations\.md 10/)
  if (mark.bootId !== '') {
    leave({ at: mark.at - 60_000 })
    assertIs(of('clock file'), 'warning', /60 s ahead/, /compare it/)
  }
  leave({ at: mark.at + 60_000, bootId: 'another' })
  assertIs(of('clock file'), 'wrong', /60 s behind/, /compare it/)
  leave({ at: mark.at - 60_000, bootId: 'another' })
  assertIs(of('clock file'), 'fine', /gone on/, null)
  writeFileSync(join(home, 'clock.json'), 'x')
  assertIs(of('clock file'), 'note', /cannot be read/, null)
})

const pinnacle = {
  name: 'keyed',
  kind: 'pinnacle',
  baseUrl: 'http://127.0.0.1:1/',
  groups: [{ name: 'f', matchups: 'm', straight: 's' }],
}

test('sources: an unknown field, a variable that is not set, no file, and a file that is right', (t) => {
  const home = newHome(t)
  const configure = (...sources: object[]): void =>
    writeFileSync(join(home, 'oddswire.feeds.json'), JSON.stringify({ sources }))
  configure({ ...pinnacle, speling: 1 })
  const unknown = doctor(home)
  assert.equal(unknown.code, 1)
  assertIs(unknown.of('sources'), 'wrong', /sources\[0\].*speling/, /feed check/)
  configure({ ...pinnacle, credential: { header: 'X-Secret', value: '$DOCTOR_SECRET' } })
  const unset = doctor(home)
  assert.equal(unset.code, 1)
  assertIs(unset.of('sources'), 'wrong', /\$DOCTOR_SECRET is not set/, /set what it names/)
  const set = doctor(home, [], { DOCTOR_SECRET: 'x' })
  assert.equal(set.code, 0)
  assertIs(set.of('sources'), 'fine', /1 source/, null)
  assertIs(doctor(home, ['--feeds', 'none.json']).of('sources'), 'wrong', /none\.json cannot be read/, /--feeds/)
})

test('server: ready with its own ports, ready without a source, and one that is not ready', async (t) => {
  const home = newHome(t)
  const data = join(home, 'data')
  const service = await startService(data, '--demo')
  const ready = JSON.parse(service.stdout().split('\n', 1)[0]!) as Record<'http' | 'stomp' | 'admin', number>
  const own = (['http', 'stomp', 'admin'] as const).flatMap((name) => [`--${name}-port`, String(ready[name])])
  const running = doctor(home, own)
  assert.equal(running.code, 0, JSON.stringify(running.rows))
  assertIs(running.of('server'), 'fine', new RegExp(`process ${service.process.pid} is ready`), null)
  for (const id of ['port http', 'port stomp', 'port admin'])
    assertIs(running.of(id), 'fine', /of the running server/, null)
  assertIs(running.of('coverage'), 'fine', /bookmaker/, null)
  service.process.kill('SIGSTOP')
  const killed = doctor(home, own)
  assert.equal(killed.code, 1)
  assertIs(killed.of('server'), 'wrong', /does not answer/, /its log/)
  service.process.kill('SIGCONT')
  assert.equal(await service.stop(), 0)

  const feeds = join(home, 'feeds.json')
  const source = { ...pinnacle, credential: { header: 'X-Secret', value: '$DOCTOR_SECRET' } }
  writeFileSync(feeds, JSON.stringify({ sources: [source] }))
  const lacking = await startService(data, '--feeds', feeds)
  const off = doctor(home)
  assert.equal(off.code, 1)
  assertIs(off.of('server'), 'wrong', /ready without: .*keyed/, /feed status/)
  assert.equal(await lacking.stop(), 0)
})

test('on a terminal it is a table, and below it what to do', (t) => {
  if (terminalMissing !== false) {
    t.skip(terminalMissing)
    return
  }
  const home = newHome(t)
  const { code, lines } = onTerminal(120, 'doctor', ...FREE, '--data-dir', join(home, 'data'))
  assert.equal(code, 0)
  assert.match(lines[0]!, /^what +is +found$/)
  assert(lines.some((line) => line.startsWith('warning: coverage: no bookmaker has verified')))
  assert(lines.some((line) => /^ {4}do: oddswire coverage import FILE/.test(line)))
  assert.match(lines.at(-1)!, /^\d+ warning, \d+ note, \d+ fine$/)
})
