// Who changed what, and what was refused: the command, and the log of the running server.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { hashOfToken, LINK_MS, newToken } from '../../src/access/token.ts'
import { isFault } from '../../src/access/fault.ts'
import { Store } from '../../src/access/store.ts'
import { auditLines, refusalLines } from '../../src/access/audit-lines.ts'
import { command, done, newFolder, startService } from '../service.ts'

const folders: { remove(): void }[] = []
const folder = (): string => {
  const made = newFolder()
  folders.push(made)
  return made.path
}
after(() => {
  for (const each of folders) each.remove()
})

/** Of a new store. */
const BUILT_IN = Array.from({ length: 3 }, () => 'plan set command null')

const rowsOf = (dataDir: string, ...args: string[]): Record<string, unknown>[] => {
  const { stdout, stderr, code } = command(dataDir, 'audit', ...args)
  assert.equal(code, 0, stderr)
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

const shown = (rows: readonly Record<string, unknown>[]): string[] =>
  rows.map(({ what, by, organization }) => [what, by, organization].map(String).join(' '))

test('changes are listed with who made them, the newest first; by organization, by somebody, from a time on', () => {
  const dataDir = folder()
  done(dataDir, 'org', 'create', 'acme', '--plan', 'pro')
  done(dataDir, 'org', 'create', 'other', '--plan', 'pro')
  done(dataDir, 'user', 'create', 'ada@example.com', '--org', 'acme', '--role', 'owner')
  const store = Store.open(dataDir, { waitMs: 5_000, busyMs: 5_000, at: Date.now() })
  assert(!isFault(store))
  const hash = hashOfToken(newToken())
  const linked = store.as('eve@example.com', () =>
    store.users.putLink('ada@example.com', { hash, needsPassword: true, expiresAt: Date.now() + LINK_MS }, Date.now()),
  )
  assert(!isFault(linked))
  store.close()
  assert.deepEqual(shown(rowsOf(dataDir, 'list')), [
    'user link eve@example.com acme',
    'user link command acme',
    'user create command acme',
    'organization create command other',
    'organization create command acme',
    ...BUILT_IN,
  ])
  assert.equal(rowsOf(dataDir, 'list', '--limit', '2').length, 2)
  assert.deepEqual(shown(rowsOf(dataDir, 'list', '--by', 'eve@example.com')), ['user link eve@example.com acme'])
  assert.deepEqual(shown(rowsOf(dataDir, 'list', '--org', 'other')), ['organization create command other'])
  assert.equal(rowsOf(dataDir, 'list', '--since', '1h').length, 5 + BUILT_IN.length)
  assert.equal(rowsOf(dataDir, 'list', '--since', '2100-01-01').length, 0)
  for (const [flag, value] of [
    ['since', 'yesterday'],
    ['limit', '0'],
    ['org', 'nobody'],
  ] as const) {
    const refused = command(dataDir, 'audit', 'list', `--${flag}`, value)
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, new RegExp(`--${flag}`))
  }
})

test('the server logs changes and refused requests; the command lists refusals by hour and code', async () => {
  const dataDir = folder()
  done(dataDir, 'org', 'create', 'acme', '--plan', 'pro')
  const key = done(dataDir, 'key', 'create', '--org', 'acme')
  const service = await startService(dataDir)
  const get = (path: string): Promise<Response> =>
    fetch(`http://127.0.0.1:${service.port}/api/v1/${path}`, { headers: { authorization: `Bearer ${key}` } })
  for (let each = 0; each < 3; each++) assert.equal((await get('events?sport=chess')).status, 400)
  assert.equal((await get('events/1/odds')).status, 404)
  done(dataDir, 'user', 'create', 'ada@example.com', '--org', 'acme', '--role', 'owner')
  await service.stop()
  const messages = service
    .stderr()
    .split('\n')
    .filter((line) => line.includes('"source":"audit"'))
    .map((line) => (JSON.parse(line) as { msg: string }).msg)
  assert.deepEqual(messages.toSorted(), [
    'organization acme: 1 request refused (not_found)',
    'organization acme: 3 requests refused (validation_failed)',
    'user create ada@example.com by command',
    'user link ada@example.com by command',
  ])
  // An hour may have ended in between.
  const refused: Record<string, number> = {}
  for (const { organization, code, requests } of rowsOf(dataDir, 'refusals', '--since', '2h')) {
    const name = `${String(organization)} ${String(code)}`
    refused[name] = (refused[name] ?? 0) + Number(requests)
  }
  assert.deepEqual(refused, { 'acme not_found': 1, 'acme validation_failed': 3 })
  done(dataDir, 'org', 'create', 'other', '--plan', 'pro')
  assert.deepEqual(rowsOf(dataDir, 'refusals', '--org', 'other'), [])
})

test('an import of many rows is some lines in the log, and says where the others are', () => {
  const row = { id: 1, at: 0, what: 'coverage import', subject: 'a', detail: '{}', by: 'command', organization: null }
  const lines = auditLines(Array.from({ length: 5_000 }, () => row))
  assert.equal(lines.length, 51)
  assert.equal(lines.at(-1), 'and 4950 more: oddswire audit list')
  assert.equal(refusalLines(Array.from({ length: 60 }, () => ({ organization: 'a', code: 'b', count: 1 }))).length, 51)
})
