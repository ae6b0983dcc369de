// Lets V8 take the code of Node's own modules from the cache in Node's binary, although `NODE_OPTIONS=--max-semi-space-size=4` is set
// (docs/operations.md, Sizing). It takes code only where all flags are those with which it was made; else each thread compiles
// these modules anew. The heap of this thread has its size when the process begins, so the flag can have its default from then
// on; other threads have theirs from domain/memory.ts. A start with 5 M quotes after SIGTERM took 858 ms instead of 917, and
// 1 310 ms of CPU instead of 1 375 (medians of eight rounds in turn).

import { setFlagsFromString } from 'node:v8'

/** First of all: what is loaded from then on is taken from the cache, and so it is in threads. */
export const useNodeCache = (): void => setFlagsFromString('--max-semi-space-size=0')
