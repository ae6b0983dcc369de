// docs/live-protocol.md 8 against the running service, line by line, from the contract alone; and that the tests of all
// sections quote the contract as it stands, and leave nothing of it out.

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { ALLOWED_ORIGINS, CONFIGURED } from './cases/websocket.ts'
import { runCases } from './conformance.ts'
import { testsWith } from '../root.ts'
import { CONTRACT, ELSEWHERE, LINES, PROTOCOL } from './conformance-lines.ts'

runCases('live-protocol 8: frames', PROTOCOL)

runCases('live-protocol 8: as configured', CONFIGURED, {
  environment: { ODDSWIRE_ORIGINS: ALLOWED_ORIGINS.join(), ODDSWIRE_WS_COMPRESSION: 'true' },
})

const skip = !existsSync(CONTRACT) && 'the contract does not lie beside the repository'
const withContract = testsWith('the contract', skip)

const QUOTED = [...LINES.map(({ line }) => line), ...ELSEWHERE.map(([line]) => line)]

withContract('every line that names a test is in the contract', () => {
  const contract = readFileSync(CONTRACT, 'utf8')
  for (const line of QUOTED) assert(contract.includes(line), `not in LIVE.md: ${line}`)
})

/** Sentences and clauses that state nothing that a client could see, or that another line says in full. */
const NOT_TESTABLE: readonly string[] = [
  'SUBSCRIBE headers beyond the standard ones:',
  'Each line is a test. Versions differ: ',
  // How one library has to be used.
  '(uWebSockets.js: `end()` under back-pressure leaves the socket established and forbids `close()`; wait for drain, else `close()`.)',
]

/** What the contract announces and this version does not offer. */
const NOT_BUILT: readonly string[] = [
  '| `quotes: numbered` | short bodies: the snapshot numbers quotes and names the event once, updates carry (number, odds, status) |',
]

withContract('every clause of the sections 1 to 4 is quoted by a test', () => {
  const contract = readFileSync(CONTRACT, 'utf8')
  const from = contract.indexOf('## 1.')
  const to = contract.indexOf('## 5.')
  assert(from > 0 && to > from)
  const isQuoted = new Uint8Array(contract.length)
  for (const line of [...QUOTED, ...NOT_TESTABLE, ...NOT_BUILT]) {
    for (let at = contract.indexOf(line); at >= 0; at = contract.indexOf(line, at + 1)) {
      isQuoted.fill(1, at, at + line.length)
    }
  }
  let rest = ''
  for (let at = from; at < to; at++) rest += isQuoted[at] === 1 ? '\n' : contract[at]
  const open = rest
    // Examples, titles, the heads of tables, and what is between two clauses.
    .replaceAll(/^```\n[^]*?^```$/gm, '')
    .replaceAll(/\*\*[^*]+\*\*|^#.*$|^\| \w+ \| \w+ \|$/gm, '')
    .split('\n')
    .filter((part) => /\p{L}/u.test(part) && part.trim() !== 'and')
  assert.deepEqual(open, [])
})
