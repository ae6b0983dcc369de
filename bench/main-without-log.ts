// The service without its log: what the log costs is the difference. Turns are published as soon as they end, and a restart
// forgets them.
//
//   node dist/bench/main-without-log.js serve …

import { FileLog } from '../src/log/file-log.ts'

FileLog.prototype.append = (turn, written) => written(turn)

// Not main.js: the log in its bundle is another one.
const { run } = await import('../src/command/serve-command.ts')
process.exitCode = await run(process.argv.slice(3))
