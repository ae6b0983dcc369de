// docs/live-protocol.md 7 against the running service, from the contract alone.

import { OBSERVATIONS } from './cases/observations.ts'
import { runCases } from './conformance.ts'

runCases('live-protocol 7: observations in', OBSERVATIONS)
