// LIVE 3a against the running service, from the contract alone.

import { OBSERVATIONS } from './cases/observations.ts'
import { runCases } from './conformance.ts'

runCases('LIVE 3a, observations in', OBSERVATIONS)
