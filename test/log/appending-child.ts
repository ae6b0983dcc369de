// A process that appends turns until it is killed, and says which are written. Arguments: folder, mode.

import { readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs'
import type { Witnessed } from '../../src/log/file-log.ts'
import { LogFault } from '../../src/log/log-fault.ts'
import { openFileLog } from '../../src/log/recovery.ts'
import { DISK } from '../../src/log/disk.ts'
import type { FsyncMode } from '../../src/log/segment-writer.ts'
import { JsonDecoder, JsonEncoder, turnOf } from './json-turns.ts'

const [folder, fsync] = process.argv.slice(2) as [string, FsyncMode]
const witnessFile = `${folder}/../witness.json`

const say = (line: string): void => {
  writeSync(1, `${line}\n`)
}

let applied = 0
const recovered = await openFileLog({
  folder,
  rules: 'rules 1',
  fsync,
  fsyncEveryMs: 3,
  encoder: new JsonEncoder(200),
  newDecoder: () => new JsonDecoder(),
  disk: DISK,
  witness: {
    read: () => {
      try {
        return JSON.parse(readFileSync(witnessFile, 'utf8')) as Witnessed
      } catch {
        return undefined
      }
    },
    write: (at) => {
      writeFileSync(`${witnessFile}.tmp`, JSON.stringify(at))
      renameSync(`${witnessFile}.tmp`, witnessFile)
      return undefined
    },
  },
  useCheckpoint: async () => 'there are none',
  apply: (turn, number) => {
    if (JSON.stringify(turn) !== JSON.stringify(turnOf(number, number % 200))) say(`wrong ${number}`)
    applied = number
  },
})
if (recovered instanceof LogFault) say(`fault ${recovered.message}`)
else {
  const { log, newEpoch, faults } = recovered
  for (const { message } of faults) say(`fault ${message}`)
  say(`open ${log.epoch} ${applied} ${newEpoch ?? ''}`)
  const append = (): void => {
    for (let count = 0; count < 5 && !log.isFull; count++) {
      const number = log.position + 1
      log.append(turnOf(number, number % 200), () => say(`written ${number}`))
    }
    setImmediate(append)
  }
  append()
}
