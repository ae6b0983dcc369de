// What sources left on the board that are no longer configured after a restart.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import * as clock from '../../src/clock.ts'
import { markOf } from '../../src/command/clock-file.ts'
import { LIMITS } from '../../src/limits.ts'
import { checkedText } from '../../src/log/checked-file.ts'
import { until } from '../feeds/waiting.ts'
import { command, done, newFolder, writeCoverage } from '../service.ts'
import { ServiceProcess } from './process.ts'

test('a source that is gone after a restart leaves its minute after the last turn before it, not after the start', async () => {
  const folder = newFolder()
  const observation = {
    ...{ bookmaker: 'alpha', transport: 'rest', observedAt: new Date(clock.now()).toISOString() },
    event: { sport: 'football', league: { key: 'l', name: 'L' }, home: 'Harbour Town', away: 'Millbrook' },
    quotes: [{ type: 'match_winner', outcome: 'home', odds: 2 }],
  }
  const kickoffAt = new Date(clock.now() + 3_600_000).toISOString()
  const path = join(folder.path, 'observations.jsonl')
  writeFileSync(path, JSON.stringify({ ...observation, event: { ...observation.event, kickoffAt } }))
  const configure = (...sources: object[]): void =>
    writeFileSync(join(folder.path, 'oddswire.feeds.json'), JSON.stringify({ sources }))
  done(folder.path, 'org', 'create', 'small', '--plan', 'starter')
  const key = done(folder.path, 'key', 'create', '--org', 'small')
  /** What hides the quote, null: nothing; undefined: it is not on the board. */
  const hiddenBy = (): unknown => {
    const of = ['--event', 'Harbour Town v Millbrook', '--bookmaker', 'alpha']
    const { code, stdout } = command(folder.path, 'explain', '--key', key, ...of)
    return code === 1 ? undefined : (JSON.parse(stdout) as Record<string, unknown>).hiddenBy
  }
  const start = async (...bookmakers: string[]): Promise<ServiceProcess> => {
    const rows = bookmakers.map((slug) => [slug, 'verified_rest_live', true, true] as const)
    const coverage = writeCoverage(folder.path, rows)
    const service = new ServiceProcess(folder.path, folder.path, '--coverage', coverage)
    await service.ready()
    return service
  }
  const end = async (service: ServiceProcess): Promise<void> => {
    service.child.kill('SIGTERM')
    assert.equal(await service.exited, 0)
  }
  try {
    configure({ name: 'leaves', kind: 'file', path, format: 'observations' })
    const before = await start('alpha')
    await until('the quote is shown', () => hiddenBy() === null)
    await end(before)

    // More than its minute passes: the next process continues this time.
    const mark = markOf(folder.path)!
    const passedMs = LIMITS.formerMsMax + 1_000
    writeFileSync(join(folder.path, 'clock.json'), checkedText({ ...mark, at: mark.at + passedMs }))
    configure()
    // A new bookmaker gets its number in a turn of the start.
    const after = await start('alpha', 'beta')
    await until('the quote is suspended', () => hiddenBy() === 'status', hiddenBy, LIMITS.formerMsMax / 2)
    await end(after)
  } finally {
    folder.remove()
  }
})
