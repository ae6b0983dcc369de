// LIVE 2 and 3 against the running service, from the contract alone.

import { ACCESS } from './cases/access.ts'
import { CONFLATION, FILTERING } from './cases/filters.ts'
import { MESSAGES } from './cases/messages.ts'
import { SLOW_CONSUMERS } from './cases/slow-consumers.ts'
import { RESUMING, SNAPSHOTS } from './cases/snapshots.ts'
import { TOPICS } from './cases/topics.ts'
import { runCases } from './conformance.ts'

runCases('LIVE 2, topics', [...TOPICS, ...ACCESS])

runCases('LIVE 2, headers of SUBSCRIBE', [...SNAPSHOTS, ...RESUMING, ...CONFLATION, ...FILTERING])

runCases('LIVE 3, MESSAGE', MESSAGES)

// Each of them takes the whole machine; so they come one after the other.
runCases('LIVE 3, slow consumers', SLOW_CONSUMERS, { flags: ['--quotes-max', '2000000'] }, 1)
