// oddswire coverage as a real process, beside a server that the test itself is.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { Access } from '../../src/access/access.ts'
import { NOTICE_DAYS } from '../../src/access/coverage-records.ts'
import { isFault } from '../../src/access/fault.ts'
import { LIMITS } from '../../src/limits.ts'
import type { VerificationOutcome, VerificationRequest } from '../../src/domain/coverage.ts'
import { newFolder } from '../access/folder.ts'
import { type CommandResult, command, done, MAIN, writeCoverage } from '../service.ts'

// Later than any import by a command here: a failure counts from then on.
const AT = Date.UTC(2999, 0, 31, 12, 30)
const DAY_MS = 24 * 3_600_000

const rows = (result: CommandResult): Record<string, unknown>[] => {
  assert.equal(result.code, 0, result.stderr)
  return linesOf(result.stdout)
}

const linesOf = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

const refused = (result: CommandResult, message: RegExp): void => {
  assert.deepEqual([result.code, result.stdout], [1, ''], result.stderr)
  assert.match(result.stderr, /^oddswire: [^\n]+\n$/)
  assert.match(result.stderr, message)
}

const imported = (): string => {
  const folder = newFolder()
  const file = writeCoverage(folder, [
    ['a', 'verified_rest_live', true, true, ['football', 'tennis']],
    ['b', 'verified_rest_only', true, false],
  ])
  done(folder, 'coverage', 'import', file)
  return folder
}

const listed = (folder: string): unknown[] =>
  rows(command(folder, 'coverage', 'list')).map(({ id, status, restAvailable }) => [id, status, restAvailable])

test('set: what removes nothing from customers, at once; else with --now and a reason, and a removal to announce', () => {
  const folder = imported()
  const set = (...args: string[]): CommandResult => command(folder, 'coverage', 'set', ...args)
  refused(set('a', '--sport', 'golf', '--rest', 'true'), /golf yet: give --status/)
  refused(set('b', '--sport', '*', '--rest', 'false'), /all sports on rest of b from customers.*--now and a --reason/)
  refused(set('b', '--sport', '*', '--rest', 'false', '--now'), /--reason/)
  refused(set('b', '--sport', 'chess', '--rest', 'true'), /--sport has no value "chess"/)
  refused(set('b', '--sport', 'golf', '--status', 'fine'), /--status has no value "fine"/)
  refused(set('b', '--sport', 'golf', '--live', 'yes'), /--live must be true or false/)
  refused(set('c', '--sport', 'golf', '--live', 'true'), /no bookmaker "c"/)
  assert.match(set('b', '--sport', 'golf').stderr, /nothing to set/)
  assert.equal(set('b', '--sport', 'golf').code, 2)
  assert.equal(set('b', '--rest', 'true').code, 2)
  done(folder, 'coverage', 'set', 'b', '--sport', 'golf', '--status', 'verified_rest_live', '--live', 'true')
  const fall = set('b', '--sport', '*', '--status', 'source_limited', '--now', '--reason', 'blocked')
  assert.equal(fall.code, 0)
  assert.match(fall.stderr, /without notice.*\n.*coverage of their own, which is unchanged: golf/)
  assert.deepEqual(listed(folder), [
    ['a:football', 'verified_rest_live', true],
    ['a:tennis', 'verified_rest_live', true],
    ['b:*', 'source_limited', true],
    ['b:golf', 'verified_rest_live', true],
  ])
  const [removal] = rows(command(folder, 'coverage', 'removals'))
  assert.deepEqual(
    [Object.keys(removal!)[0], removal!.kind, removal!.bookmaker, removal!.notice, removal!.transports],
    ['id', 'coverage_removal', 'b', 'immediate', ['rest']],
  )
  assert.match(
    String(removal!.markdown),
    /^- \d{4}-\d\d-\d\d: coverage of B \(`b`\) in .* on rest has ended on .*\(blocked\)\.$/,
  )
})

test('remove: announced for a day after the window, printed as data, withdrawn by an import; history has it all', () => {
  const folder = imported()
  const remove = (...args: string[]): CommandResult => command(folder, 'coverage', 'remove', ...args)
  refused(remove('a', '--effective', '2026-11-21'), new RegExp(`${NOTICE_DAYS} days.*at the earliest`))
  refused(remove('a', '--effective', '2999-02-30'), /--effective must be a day/)
  refused(remove('a', '--now'), /--reason/)
  refused(remove('x'), /no bookmaker "x"/)
  refused(remove('a', '--sport', 'golf'), /no coverage in golf/)
  assert.equal(remove('a', '--now', '--effective', '2999-01-31').code, 2)
  const [announced] = rows(remove('a', '--sport', 'tennis', '--effective', '2999-01-31', '--reason', 'no source'))
  const { date, ...told } = announced!
  assert.deepEqual(told, {
    id: '1',
    kind: 'coverage_removal',
    bookmaker: 'a',
    displayName: 'A',
    sports: ['tennis'],
    transports: ['rest', 'live'],
    effective: '2999-01-31',
    status: 'announced',
    notice: 'window',
    reason: 'no source',
    markdown: `- ${date}: coverage of A (\`a\`) in tennis on rest and live ends on 2999-01-31 (no source).`,
  })
  const [byDefault] = rows(remove('b'))
  const waits = Date.parse(String(byDefault!.effective)) - Date.parse(String(byDefault!.date))
  assert.ok(waits >= NOTICE_DAYS * DAY_MS && waits <= (NOTICE_DAYS + 1) * DAY_MS, `${waits / DAY_MS} days`)
  assert.equal(listed(folder).length, 3, 'nothing has gone yet')
  const again = command(folder, 'coverage', 'import', writeCoverage(folder, [['b', 'verified_rest_only', true, false]]))
  assert.match(again.stderr, /withdrawn/)
  rows(remove('a', '--sport', 'football', '--now', '--reason', 'wrong prices'))
  assert.deepEqual(
    rows(command(folder, 'coverage', 'removals')).map(({ status, notice }) => [status, notice]),
    [
      ['announced', 'window'],
      ['withdrawn', 'window'],
      ['done', 'immediate'],
    ],
  )
  const history = rows(command(folder, 'coverage', 'history', '--bookmaker', 'a'))
  assert.deepEqual(
    history.map(({ id, sport, by, before, after, reason }) => [id, sport, by, before, after, reason]),
    [
      ['1', 'football', 'import', null, 'verified_rest_live rest live unverified', 'import'],
      ['2', 'tennis', 'import', null, 'verified_rest_live rest live unverified', 'import'],
      ['4', 'football', 'remove', 'verified_rest_live rest live unverified', null, 'wrong prices'],
    ],
  )
  assert.equal(rows(command(folder, 'coverage', 'history')).length, 4)
})

/** Makes the test the server of a folder. */
const serve = async (
  context: TestContext,
  dataDir: string,
  verify?: (request: VerificationRequest) => Promise<void> | undefined,
): Promise<Access> => {
  const numbers = new Map<string, number>()
  const access = await Access.open({
    dataDir,
    numberOf: (slug) => numbers.get(slug) ?? numbers.set(slug, numbers.size + 1).size,
    now: () => AT,
    limits: { ...LIMITS, credentialsMax: 10, ledgerDeadlineMs: 1_000 },
    ...(verify === undefined ? {} : { onVerificationRequest: (request) => void verify(request) }),
  })
  assert.ok(!isFault(access), isFault(access) ? access.fault : '')
  context.after(() => access.close())
  return access
}

/** Beside a server in this very process, a command must not be waited for in silence. */
const beside = async (folder: string, ...args: string[]): Promise<CommandResult> => {
  const child = spawn(process.execPath, [MAIN, ...args, '--data-dir', folder])
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const [code] = await once(child, 'close')
  return { code, stdout, stderr, last: stdout.trimEnd().split('\n').at(-1)! }
}

const POLICY = { everyHours: 24, failuresMax: 1, onFailure: 'disabled_until_review' } as const

test('verify: the running server does it, results come as they are recorded, and a failure is exit code 1', async (context) => {
  const folder = imported()
  refused(command(folder, 'coverage', 'verify'), /no server runs with data folder/)
  const outcomes: Record<string, VerificationOutcome> = { football: 'passed', tennis: 'passed' }
  const access: Access = await serve(context, folder, async ({ id, bookmaker, sport }) => {
    for (const each of ['football', 'tennis'] as const) {
      if (sport !== null && sport !== each) continue
      const channels = (['rest', 'live'] as const).map((transport) => {
        return { transport, outcome: outcomes[each]!, quotes: 7, detail: 'as the test has it' }
      })
      await access.recordVerification({ bookmaker: bookmaker ?? 'a', sport: each, channels }, POLICY, id)
    }
    await access.finishVerificationRequest(id, sport === null ? '' : 'only what was asked for')
  })
  refused(await beside(folder, 'coverage', 'verify', '--bookmaker', 'x'), /no bookmaker "x"/)
  refused(await beside(folder, 'coverage', 'verify', '--sport', 'chess'), /--sport has no value "chess"/)
  const passed = await beside(folder, 'coverage', 'verify', '--bookmaker', 'a')
  assert.deepEqual(
    rows(passed).map(({ id, outcome, quotes }) => [id, outcome, quotes]),
    [
      ['a:football:rest', 'passed', 7],
      ['a:football:live', 'passed', 7],
      ['a:tennis:rest', 'passed', 7],
      ['a:tennis:live', 'passed', 7],
    ],
  )
  assert.match(passed.stderr, /^1: a football passed\n2: a tennis passed\n$/)
  const dates = rows(await beside(folder, 'coverage', 'list')).map(({ id, lastVerifiedAt }) => [id, lastVerifiedAt])
  assert.deepEqual(dates.slice(0, 2), [
    ['a:football', '2999-01-31'],
    ['a:tennis', '2999-01-31'],
  ])
  outcomes.tennis = 'failed'
  const failed = await beside(folder, 'coverage', 'verify', '--sport', 'tennis')
  assert.equal(failed.code, 1)
  assert.equal(linesOf(failed.stdout).length, 2)
  assert.match(failed.stderr, /note: only what was asked for\noddswire: verification failed: 1 of 1/)
  assert.equal(access.registry.bookmakerOf('a')?.coverage[1]?.status, 'disabled_until_review')
})

test('verify: a server without sources says so, and one that ends is not waited for', async (context) => {
  const folder = imported()
  const first = await serve(context, folder)
  refused(await beside(folder, 'coverage', 'verify'), /nothing was verified: this server verifies nothing/)
  await first.close()
  const second: Access = await serve(context, folder, () => void second.close())
  refused(await beside(folder, 'coverage', 'verify'), /the server ended/)
})
