// The service without its log: what the log costs is the difference. Turns are published as soon as they end, and a restart
// forgets them.
//
//   node dist/bench/main-without-log.js serve …

import { FileLog } from '../src/log/file-log.ts'

FileLog.prototype.append = (_turn, written) => written()

await import('../src/main.ts')
