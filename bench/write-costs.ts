// The ceiling of short updates over TCP (bench/README.md): by how much fewer octets can make a burst to many subscribers
// cheaper, where each of them takes a write. Bare C, no protocol (write-costs.c).
//
//   node dist/bench/write-costs.js [--subscribers 1000] [--full 68500] [--numbered 13400] [--writes 30] [--rounds 3]
//
// --full, --numbered: octets of a burst of 128 changes for a subscriber, in full messages and by numbers.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildLoad } from './load.ts'
import { leaveOut } from './peer.ts'
import { machine, print, ratio, spread } from './report.ts'

const { values: flags } = parseArgs({
  options: {
    subscribers: { type: 'string', default: '1000' },
    full: { type: 'string', default: '68500' },
    numbered: { type: 'string', default: '13400' },
    writes: { type: 'string', default: '30' },
    rounds: { type: 'string', default: '3' },
  },
})
const rounds = Number(flags.rounds)

/** CPU time of a write, µs. */
const costOf = (program: string, size: string): number => {
  const text = execFileSync(program, [flags.subscribers, size, flags.writes], { encoding: 'utf8' })
  return (JSON.parse(text) as { readonly cpu_us: number }).cpu_us
}

const measure = (program: string): void => {
  const full: number[] = []
  const numbered: number[] = []
  for (let round = 0; round < rounds; round++) {
    full.push(costOf(program, flags.full))
    numbered.push(costOf(program, flags.numbered))
  }
  const results = [
    {
      id: 'writes',
      subscribers: Number(flags.subscribers),
      octets: { full: Number(flags.full), numbered: Number(flags.numbered) },
      // More than this nobody reaches with a write for each subscriber.
      ...ratio('fullToNumbered', full, numbered),
      cpuUsPerWrite: { full: spread(full), numbered: spread(numbered) },
    },
  ]
  print({ bench: 'write-costs', rounds, ...machine(), results })
}

const folder = mkdtempSync(join(tmpdir(), 'oddswire-bench-'))
try {
  const program = buildLoad(folder, 'write-costs')
  if (program === undefined) leaveOut('bench/write-costs', 'there is no C compiler (gcc)')
  else measure(program)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
