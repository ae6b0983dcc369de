// The STOMP client of the sources. Loaded when the first connection needs it: its modules are a part of the time of a
// start. CommonJS without types: an import would have none; `require` accepts ours.

import { createRequire } from 'node:module'
import type { Stompit } from './stompit-types.d.ts'

const load = createRequire(import.meta.url)

export const stompit = (): Stompit => load('stompit') as Stompit
