// The HTTP client. Loaded when the first source needs it: a start without one is some 60 ms shorter.

import { createRequire } from 'node:module'

const load = createRequire(import.meta.url)

export const undici = (): typeof import('undici') => load('undici') as typeof import('undici')
