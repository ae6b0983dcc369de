// A log of files for benches, new and empty, as the service opens its own.

import { newEncoder } from '../src/command/log-recovery.ts'
import { DISK } from '../src/log/disk.ts'
import type { FileLog } from '../src/log/file-log.ts'
import { LIMITS } from '../src/limits.ts'
import { LogFault } from '../src/log/log-fault.ts'
import { QuickWriter } from '../src/log/quick-writer.ts'
import { openFileLog } from '../src/log/recovery.ts'
import type { FsyncMode } from '../src/log/segment-writer.ts'
import { TurnDecoder } from '../src/log/turn-decoder.ts'
import { WitnessFile } from '../src/log/witness-file.ts'

export const openBenchLog = async (folder: string, fsync: FsyncMode): Promise<FileLog> => {
  const opened = await openFileLog({
    folder,
    rules: 'bench',
    fsync,
    fsyncEveryMs: 50,
    encoder: newEncoder({ eventsMax: 100_000, labelsMax: 100_000 }),
    newDecoder: () => new TurnDecoder(),
    witness: new WitnessFile(`${folder}.json`),
    disk: { ...DISK, quick: new QuickWriter(LIMITS.logNowMsMax) },
    useCheckpoint: async () => undefined,
    apply: () => {},
  })
  if (opened instanceof LogFault) throw opened
  return opened.log
}
