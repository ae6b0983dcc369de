// Which line of the contract is tested where, in which versions and over which carriers.

import { join } from 'node:path'
import { ROOT } from '../root.ts'
import { ACCESS } from './cases/access.ts'
import { CONNECT, HEART_BEATS } from './cases/connect.ts'
import { CONNECTING, NARROWING, OVER_TLS } from './cases/connecting.ts'
import { CONFLATION, FILTERING } from './cases/filters.ts'
import { FRAMES } from './cases/frames.ts'
import { LIMITS } from './cases/limits.ts'
import { MESSAGES } from './cases/messages.ts'
import { OBSERVATIONS } from './cases/observations.ts'
import { ERRORS, LINE_ENDS, NOT_OFFERED_CASES, RECEIPTS } from './cases/receipts.ts'
import { SLOW_CONSUMERS } from './cases/slow-consumers.ts'
import { RESUMING, SNAPSHOTS } from './cases/snapshots.ts'
import { ACKS, SUBSCRIBE } from './cases/subscriptions.ts'
import { TOPICS } from './cases/topics.ts'
import { TRANSACTIONS } from './cases/transactions.ts'
import { CONFIGURED, UNCONFIGURED, WEBSOCKET } from './cases/websocket.ts'
import type { Case } from './conformance.ts'
import { type Carrier, CARRIERS } from './raw-client.ts'
import { type Version, VERSIONS } from './strict-frames.ts'

/** The contract, where it lies beside the repository. */
export const CONTRACT = join(ROOT, '..', 'shared', 'LIVE.md')

/** Section 4 of the contract, on a service that is configured for nothing special. */
export const PROTOCOL: readonly Case[] = [
  ...FRAMES,
  ...LIMITS,
  ...CONNECT,
  ...HEART_BEATS,
  ...SUBSCRIBE,
  ...ACKS,
  ...TRANSACTIONS,
  ...RECEIPTS,
  ...ERRORS,
  ...LINE_ENDS,
  ...WEBSOCKET,
  ...UNCONFIGURED,
  ...NOT_OFFERED_CASES,
]

/** The cases of each section of the contract. */
export const SECTIONS: Readonly<Record<string, readonly Case[]>> = {
  '1': [...CONNECTING, ...NARROWING, ...OVER_TLS],
  '2': [...TOPICS, ...ACCESS, ...SNAPSHOTS, ...RESUMING, ...CONFLATION, ...FILTERING],
  '3': [...MESSAGES, ...SLOW_CONSUMERS],
  '3a': OBSERVATIONS,
  '4': [...PROTOCOL, ...CONFIGURED],
}

/** One line of the contract, and what its tests cover. */
export interface Line {
  readonly section: string
  readonly line: string
  /** `carrier version` of every combination that is tested. */
  readonly combinations: ReadonlySet<string>
  readonly cases: number
}

export const combinationOf = (carrier: Carrier, version: Version): string => `${carrier} ${version}`

/** Every combination, in the order of the table. */
export const COMBINATIONS: readonly string[] = CARRIERS.flatMap((carrier) =>
  VERSIONS.map((version) => combinationOf(carrier, version)),
)

const linesOf = (section: string, cases: readonly Case[]): Line[] => {
  const lines = new Map<string, { combinations: Set<string>; cases: number }>()
  for (const { line, carriers, versions } of cases) {
    const known = lines.get(line) ?? { combinations: new Set(), cases: 0 }
    lines.set(line, known)
    known.cases++
    for (const carrier of carriers)
      for (const version of versions) known.combinations.add(combinationOf(carrier, version))
  }
  return Array.from(lines, ([line, covered]) => ({ section, line, ...covered }))
}

/** Every line of the contract that has cases. */
export const LINES: readonly Line[] = Object.entries(SECTIONS).flatMap(([section, cases]) => linesOf(section, cases))

/** Lines that are shown by tests without a carrier or version, and where. */
export const ELSEWHERE: readonly (readonly [line: string, where: string])[] = [
  ['SIGTERM: sessions get ERROR `server_shutdown` with `resume-from`, spread over the drain.', 'connecting.test.ts'],
  ['served at `/asyncapi.json`', 'connecting.test.ts'],
  [
    'Silence is judged only after the sockets have been read since the last look (a paused process must not disconnect everybody).',
    'pause.test.ts',
  ],
  [
    'A price that was held back has its own, older seq: of message-ids keep the greatest (compare SEQ as an integer, within one EPOCH); who resumes gets again the prices of the last `conflate-ms`.',
    'conflation.test.ts',
  ],
  [
    'Former ids: a destination that names the id of a merged event means the event it became, at SUBSCRIBE, at resume, and when the event appears later.',
    'former-ids.test.ts',
  ],
  [
    'In a file the line is reported with its number, skipped and counted, and the exit code says so.',
    '../command/serve.test.ts',
  ],
  [
    '| `on-slow: conflate` | fall behind gracefully instead of being disconnected: latest price per quote, all status transitions, `kind: degraded` when it begins and `kind: restored` when everything flows again |',
    'degraded.test.ts',
  ],
  [
    '- `cause` stands beside `suspended` and `reopened`: `book` (the bookmaker said so), `source_down`, `gap`, `clock`, `operator`.',
    'truth.test.ts',
  ],
]
