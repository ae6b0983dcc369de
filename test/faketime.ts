// libfaketime: a process for which the clock of the host can be set, while its monotonic time and that of the boot stay.

import { existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RunningService, startService } from './service.ts'

const LIBRARIES = '/usr/lib'

/** The library; undefined: it is not installed. */
const FAKETIME = (existsSync(LIBRARIES) ? ['', ...readdirSync(LIBRARIES)] : [])
  .map((folder) => join(LIBRARIES, folder, 'faketime', 'libfaketime.so.1'))
  .find((path) => existsSync(path))

/** Why tests that need it are skipped; false: they are not. */
export const faketimeMissing = (): string | false =>
  FAKETIME === undefined ? 'libfaketime is not installed (apt-get install faketime)' : false

/** A host whose clock is wrong by what is set. */
export class FakeHost {
  private readonly folder: string

  constructor(folder: string) {
    this.folder = folder
    this.set(0)
  }

  /** Sets the clock of the host, relative to the right time. */
  set(wrongMs: number): void {
    const seconds = (wrongMs / 1_000).toFixed(3)
    // Read again at each reading of the clock: never half written.
    writeFileSync(`${this.file}.new`, wrongMs < 0 ? seconds : `+${seconds}`)
    renameSync(`${this.file}.new`, this.file)
  }

  /** Variables of a process on this host. */
  get environment(): Readonly<Record<string, string>> {
    return {
      LD_PRELOAD: FAKETIME!,
      FAKETIME_TIMESTAMP_FILE: this.file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      FAKETIME_DONT_FAKE_UTIME: '1',
    }
  }

  /** Starts the service on this host. */
  async start(dataDir: string, ...args: string[]): Promise<RunningService> {
    const variables = this.environment
    Object.assign(process.env, variables)
    try {
      return await startService(dataDir, ...args)
    } finally {
      for (const name of Object.keys(variables)) delete process.env[name]
    }
  }

  private get file(): string {
    return join(this.folder, 'faketime')
  }
}
