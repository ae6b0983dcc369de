// What the operator sees of the limits of the board: a line in the log before one is reached, and metrics.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import * as clock from '../../src/clock.ts'
import { newFolder, startService } from '../service.ts'

test('a bound of the board is in the log before it is reached, and in the metrics with what was refused', async () => {
  const folder = newFolder()
  const at = new Date(clock.now() - 60_000).toISOString()
  const lineOf = (bookmaker: string, event: number, count: number): string =>
    JSON.stringify({
      bookmaker,
      transport: 'rest',
      observedAt: at,
      event: { sport: 'football', league: { key: 'l', name: 'L' }, home: `H${event}`, away: 'A', kickoffAt: at },
      quotes: Array.from({ length: count }, (_, n) => ({ type: 'outright', outcome: `p${n}`, odds: 2 })),
    })
  const recording = join(folder.path, 'observations.jsonl')
  writeFileSync(recording, [lineOf('greedy', 1, 30), lineOf('other', 1, 5)].join('\n'))
  const service = await startService(
    folder.path,
    ...['--replay', recording, '--format', 'observations', '--quotes-max', '40'],
  )
  try {
    const metrics = await (await fetch(`${service.admin}/metrics`)).text()
    const lines = metrics.split('\n')
    for (const line of [
      'oddswire_quotes_max 40',
      'oddswire_events 1',
      'oddswire_events_max 40',
      'oddswire_outcome_labels 20',
      'oddswire_outcome_labels_max 40',
      'oddswire_event_source_ids 0',
      'oddswire_event_source_ids_max 160',
      'oddswire_board_held_ratio{limit="quotes"} 0.625',
      'oddswire_bookmaker_share_ratio{bookmaker="greedy",limit="quotes"} 1',
      'oddswire_bookmaker_share_ratio{bookmaker="greedy",limit="labels"} 1',
      'oddswire_board_refused_total{limit="bookmaker_quotes"} 10',
      'oddswire_board_refused_total{limit="quotes"} 0',
      'oddswire_prices_ignored_total{reason="full"} 10',
    ]) {
      assert(lines.includes(line), `${line}\n${metrics}`)
    }
    assert(!metrics.includes('oddswire_bookmaker_share_ratio{bookmaker="other"'))
    const logged = service
      .stderr()
      .split('\n')
      .filter((line) => line.includes('"source":"board"'))
      .map((line) => JSON.parse(line) as { level: number; msg: string })
    assert.deepEqual(
      logged.map(({ level, msg }) => [level, msg]),
      [
        [40, 'greedy holds 16 quotes of at most 20: past that new ones are refused; --bookmaker-share makes room'],
        [
          40,
          'greedy holds 16 outcome labels of at most 20: past that new ones are refused; --bookmaker-share makes room',
        ],
      ].toSorted(),
    )
  } finally {
    await service.stop()
    folder.remove()
  }
})
