// oddswire event as a real process, beside a server that the test itself is: its store, and an admin port.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { Access } from '../../src/access/access.ts'
import { isFault } from '../../src/access/fault.ts'
import { LIMITS } from '../../src/limits.ts'
import type { Decision } from '../../src/domain/event-identity.ts'
import { newFolder } from '../access/folder.ts'
import { MAIN } from '../service.ts'

const AT = Date.UTC(2026, 10, 20, 12, 30)

interface Result {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const event = async (folder: string, ...args: string[]): Promise<Result> => {
  const child = spawn(process.execPath, [MAIN, 'event', ...args, '--data-dir', folder])
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const [code] = await once(child, 'close')
  return { code, stdout, stderr }
}

const rows = ({ code, stdout, stderr }: Result): Record<string, unknown>[] => {
  assert.equal(code, 0, stderr)
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

const refused = ({ code, stdout, stderr }: Result, message: RegExp): void => {
  assert.deepEqual([code, stdout], [1, ''], stderr)
  assert.match(stderr, /^oddswire: [^\n]+\n$/)
  assert.match(stderr, message)
}

const knownEvent = (id: string, sport: string, keys: readonly string[], swapped: readonly string[] = []): object => ({
  id,
  sport,
  home: `H${id}`,
  away: `A${id}`,
  kickoffAt: '2026-11-20T15:00:00.000Z',
  sourceKeys: keys,
  spellings: keys.map((key) => ({ key, turned: swapped.includes(key) })),
})

const EVENTS: Readonly<Record<string, object>> = {
  1: knownEvent('1', 'football', ['kambi:1', 'uof:sr:match:1'], ['uof:sr:match:1']),
  2: knownEvent('2', 'football', ['pinnacle:2']),
  // A former id of the first.
  11: knownEvent('1', 'football', ['kambi:1', 'uof:sr:match:1'], ['uof:sr:match:1']),
  3: knownEvent('3', 'tennis', ['kambi:3']),
  4: knownEvent('4', 'football', []),
  'a:5': knownEvent('5', 'football', ['a:5', 'b:5', 'c:5'], ['b:5']),
  'b:5': knownEvent('5', 'football', ['a:5', 'b:5', 'c:5'], ['b:5']),
  'c:5': knownEvent('5', 'football', ['a:5', 'b:5', 'c:5'], ['b:5']),
  'kambi:1': knownEvent('1', 'football', ['kambi:1', 'uof:sr:match:1']),
  'kambi:3': knownEvent('3', 'tennis', ['kambi:3']),
  conflicts: {
    conflicts: [{ id: '2', reason: 'alike', event: knownEvent('2', 'football', []), candidates: [{ id: '1' }] }],
  },
}

/** Makes the test the server of a folder; the decisions that it was given, the newest last. */
const serve = async (context: TestContext, dataDir: string): Promise<(readonly Decision[])[]> => {
  const told: (readonly Decision[])[] = []
  const access = await Access.open({
    dataDir,
    numberOf: () => 1,
    now: () => AT,
    limits: { ...LIMITS, credentialsMax: 10, ledgerDeadlineMs: 1_000 },
    onDecisions: (decisions) => void told.push(decisions),
  })
  assert.ok(!isFault(access), isFault(access) ? access.fault : '')
  context.after(() => access.close())
  const admin = createServer((request, response) => {
    const known = EVENTS[decodeURIComponent(request.url!.replace('/events/', ''))]
    response.writeHead(known === undefined ? 404 : 200).end(known === undefined ? 'no' : JSON.stringify(known))
  })
  admin.listen(0, '127.0.0.1')
  await once(admin, 'listening')
  context.after(() => admin.close())
  access.announce({ admin: (admin.address() as AddressInfo).port })
  return told
}

test('merge by ids: every pair of their sources, swapped as each of them spells it; applied before it returns', async (context) => {
  const folder = newFolder()
  const told = await serve(context, folder)
  const merged = await event(folder, 'merge', '1', '2', '--swapped')
  assert.equal(merged.code, 0, merged.stderr)
  assert.match(
    merged.stderr,
    /^decision 1: 1 H1 v A1 \(football, .*\) and 2 H2 v A2 \(.*\) are one event, sides swapped\n$/,
  )
  assert.deepEqual(told.at(-1), [
    { kind: 'merge', keys: ['kambi:1', 'pinnacle:2'], swapped: true },
    { kind: 'merge', keys: ['uof:sr:match:1', 'pinnacle:2'], swapped: false },
  ])
  const [decision] = rows(await event(folder, 'decisions'))
  assert.deepEqual(
    [decision!.id, decision!.kind, decision!.holds, decision!.about],
    ['1', 'merge', true, ['kambi:1', 'pinnacle:2', 'uof:sr:match:1']],
  )
  const undone = await event(folder, 'undo', '1')
  assert.deepEqual([undone.code, undone.stderr], [0, 'decision 1 is undone\n'])
  assert.deepEqual(told.at(-1), [])
  refused(await event(folder, 'undo', '1'), /no decision 1; oddswire event decisions/)
  refused(await event(folder, 'undo', 'x'), /ID must be the number/)
})

test('what cannot be one event is refused: other sports, unknown ids, itself, sources without ids', async (context) => {
  const folder = newFolder()
  const told = await serve(context, folder)
  refused(await event(folder, 'merge', '1', '3'), /1 is football and 3 is tennis/)
  refused(await event(folder, 'merge', 'pinnacle:9', '77'), /no event 77/)
  refused(await event(folder, 'merge', 'kambi:1', 'kambi:3'), /different sports/)
  refused(await event(folder, 'merge', '1', '1'), /one event already/)
  refused(await event(folder, 'merge', '1', 'kambi:1'), /one event already/)
  refused(await event(folder, 'merge', '1', '4'), /event 4 comes from sources without ids/)
  refused(await event(folder, 'merge', '1', 'Arsenal'), /"Arsenal" is no event/)
  refused(await event(folder, 'split', '1', '1'), /cannot be split from itself/)
  refused(await event(folder, 'merge', '1', 'kambi:1', '--swapped'), /one event already: to swap.*give source keys/)
  refused(await event(folder, 'split', '2', 'pinnacle:2'), /same source key only/)
  refused(
    await event(folder, 'split', '1', '11'),
    /one event now, known as kambi:1, uof:sr:match:1: name the key to split off/,
  )
  refused(await event(folder, 'alias', 'Spurs', '--means', 'Spurs'), /means "Spurs" already/)
  refused(await event(folder, 'alias', 'Spurs FC', '--means', 'spurs  fc'), /means "spurs  fc" already/)
  refused(
    await event(folder, 'alias', 'Спартак', '--means', 'Spartak'),
    /"Спартак" has no Latin letter.*merge the events/,
  )
  refused(await event(folder, 'alias', 'Spartak', '--means', '🙂'), /"🙂" has no Latin letter/)
  refused(await event(folder, 'alias', ' ', '--means', 'x'), /NAME must be a name/)
  refused(await event(folder, 'alias', 'x', '--means', 'y', '--sport', 'chess'), /--sport has no value "chess"/)
  assert.deepEqual(told, [[]], 'nothing was decided')
  assert.equal((await event(folder, 'merge', '1')).code, 2)
})

test('split: a key goes from an event, or two keys are two events; the later decision is the one that holds', async (context) => {
  const folder = newFolder()
  const told = await serve(context, folder)
  const gone = await event(folder, 'split', '1', 'kambi:1')
  assert.equal(gone.code, 0)
  assert.match(gone.stderr, /^decision 1: 1 H1 v A1 \(.*\) and kambi:1 of 1 H1 v A1 \(.*\) are two events\n$/)
  assert.deepEqual(told.at(-1), [{ kind: 'split', keys: ['uof:sr:match:1', 'kambi:1'] }])
  assert.equal((await event(folder, 'merge', 'kambi:1', 'uof:sr:match:1')).code, 0)
  assert.deepEqual(told.at(-1), [{ kind: 'merge', keys: ['kambi:1', 'uof:sr:match:1'], swapped: false }])
  assert.equal((await event(folder, 'alias', 'Spurs', '--means', 'Tottenham', '--sport', 'football')).code, 0)
  assert.deepEqual(told.at(-1)?.at(-1), { kind: 'alias', sport: 'football', name: 'Spurs', means: 'Tottenham' })
  assert.deepEqual(
    rows(await event(folder, 'decisions')).map(({ id, kind, holds, sport }) => [id, kind, holds, sport]),
    [
      ['1', 'split', false, null],
      ['2', 'merge', true, null],
      ['3', 'alias', true, 'football'],
    ],
  )
})

test('two keys of one event: all that is known of it goes with the first, so that nothing else holds beside it', async (context) => {
  const folder = newFolder()
  const told = await serve(context, folder)
  assert.equal((await event(folder, 'merge', 'a:5', 'c:5', '--turned')).code, 0)
  assert.deepEqual(told.at(-1), [
    { kind: 'merge', keys: ['a:5', 'c:5'], swapped: true },
    { kind: 'merge', keys: ['b:5', 'c:5'], swapped: false },
  ])
  assert.equal((await event(folder, 'merge', 'b:5', 'c:5')).code, 0)
  assert.deepEqual(told.at(-1), [
    { kind: 'merge', keys: ['a:5', 'c:5'], swapped: true },
    { kind: 'merge', keys: ['b:5', 'c:5'], swapped: false },
  ])
})

test('a key that no source has named is accepted, with a note; it may have spaces', async (context) => {
  const folder = newFolder()
  const told = await serve(context, folder)
  const merged = await event(folder, 'merge', 'pinnacle:2', 'alpha:a b')
  assert.equal(merged.code, 0, merged.stderr)
  assert.match(merged.stderr, /\nnote: no source has named alpha:a b yet; it holds as soon as one does\n$/)
  assert.deepEqual(told.at(-1), [{ kind: 'merge', keys: ['pinnacle:2', 'alpha:a b'], swapped: false }])
})

test('conflicts need the running server', async (context) => {
  const folder = newFolder()
  refused(await event(folder, 'conflicts'), /there is no store in/)
  refused(await event(folder, 'merge', '1', '2'), /only it knows event ids.*source keys/)
  refused(await event(folder, 'conflicts'), /no server runs.*start it first/)
  assert.equal((await event(folder, 'merge', 'kambi:1', 'pinnacle:2')).code, 0, 'source keys need no server')
  const told = await serve(context, folder)
  assert.equal(told[0]?.length, 1, 'decided before the start')
  assert.deepEqual(rows(await event(folder, 'conflicts')), [
    { id: '2', reason: 'alike', event: '2 H2 v A2 (football, 2026-11-20T15:00:00.000Z)', candidates: ['1'] },
  ])
})
