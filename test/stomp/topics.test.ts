// docs/live-protocol.md 2 and 4 against the running service, from the contract alone.

import { ACCESS } from './cases/access.ts'
import { CONFLATION, FILTERING } from './cases/filters.ts'
import { MESSAGES } from './cases/messages.ts'
import { SLOW_CONSUMERS } from './cases/slow-consumers.ts'
import { RESUMING, SNAPSHOTS } from './cases/snapshots.ts'
import { TOPICS } from './cases/topics.ts'
import { runCases } from './conformance.ts'

runCases('live-protocol 2: topics', [...TOPICS, ...ACCESS])

runCases('live-protocol 3: headers of SUBSCRIBE', [...SNAPSHOTS, ...RESUMING, ...CONFLATION, ...FILTERING])

runCases('live-protocol 4: MESSAGE', MESSAGES)

// Each of them needs the whole machine, so they run one after the other.
runCases('live-protocol 6: slow consumers', SLOW_CONSUMERS, { flags: ['--quotes-max', '2000000'] }, 1)
