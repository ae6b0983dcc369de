// The HTTP client. Loaded when the first source needs it: its modules are a part of the time of a start.

import { createRequire } from 'node:module'

const load = createRequire(import.meta.url)

export const undici = (): typeof import('undici') => load('undici') as typeof import('undici')
