// npm run test:built: all tests of the build, each file in a process of its own.

import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { run } from 'node:test'
import { spec, tap } from 'node:test/reporters'

/**
 * Files that take longest begin first, so that no processor waits for the last of them: `node --test` begins them in the
 * order of their names, stomp/topics near the end.
 */
const FIRST = [
  'seven-sources',
  'replicas/processes',
  'stomp/topics',
  'command/other-logs',
  'replicas/redis-restarts',
  'command/shared-access',
  'log/stream-log',
  'replicas/redis-failover',
  'console/pages',
  'command/connections',
  'command/clock',
  'examples',
]

const SUFFIX = '.test.js'
const folder = import.meta.dirname
const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith(SUFFIX))
  .map((path) => path.slice(0, -SUFFIX.length))
  .toSorted()
const unknown = FIRST.filter((name) => !names.includes(name))
if (unknown.length > 0) throw new Error(`there is no test ${unknown.join(', ')}`)
const files = [...new Set([...FIRST, ...names])].map((name) => join(folder, `${name}${SUFFIX}`))

// Node reads that file at each start, 40 ms for the certificates of a system, and some files start a hundred processes. The
// servers of tests are on this machine: what needs a certificate names it itself.
delete process.env.NODE_EXTRA_CA_CERTS
// A quarter of what a start takes, of some 240. What is warmed up has tests of its own, and starts of benches and faults have it.
process.env.ODDSWIRE_WARM_UP ??= 'false'

// Many wait, for a process or for a time.
run({ files, concurrency: availableParallelism() + 2 })
  .on('test:fail', ({ todo }) => {
    if (todo === undefined || todo === false) process.exitCode = 1
  })
  .compose(process.stdout.isTTY ? new spec() : tap)
  .pipe(process.stdout)
