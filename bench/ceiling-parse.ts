// The ceiling of ingest (P4): the least that can be done with the body of a SEND. Bodies are decoded as UTF-8 and
// parsed as JSON, one after the other in a loop.
//
//   node dist/bench/ceiling-parse.js FILE_OF_BODIES SECONDS

import { readFileSync } from 'node:fs'

const LF = 0x0a

const bytes = readFileSync(process.argv[2]!)
const runMs = Number(process.argv[3]) * 1000

const bodies: Buffer[] = []
for (let from = 0, end = bytes.indexOf(LF); end !== -1; from = end + 1, end = bytes.indexOf(LF, from)) {
  bodies.push(bytes.subarray(from, end))
}

let quotes = 0
const pass = (): void => {
  for (const body of bodies) quotes += (JSON.parse(body.toString('utf8')) as { quotes: unknown[] }).quotes.length
}

const run = (ms: number): { quotesPerSecond: number; cpuUsPerQuote: number } => {
  quotes = 0
  const cpuBefore = process.cpuUsage()
  const startedAt = performance.now()
  while (performance.now() - startedAt < ms) pass()
  const elapsedMs = performance.now() - startedAt
  const { user, system } = process.cpuUsage(cpuBefore)
  return { quotesPerSecond: (quotes / elapsedMs) * 1000, cpuUsPerQuote: (user + system) / quotes }
}

run(runMs / 4) // a warm-up
process.stdout.write(`${JSON.stringify(run(runMs))}\n`)
