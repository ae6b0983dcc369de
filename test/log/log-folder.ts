// A file log for tests: turns as JSON, a witness in memory, and checkpoints that are JSON of the turns until then.

import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { elapsedMs } from '../../src/clock.ts'
import type { Turn } from '../../src/domain/input.ts'
import { DISK } from '../../src/log/disk.ts'
import type { FileLog, Witness, Witnessed } from '../../src/log/file-log.ts'
import { LogFault } from '../../src/log/log-fault.ts'
import { checkpointPath } from '../../src/log/log-folder.ts'
import { type OpenOptions, openFileLog, type Recovered } from '../../src/log/recovery.ts'
import { JsonDecoder, JsonEncoder, turnOf } from './json-turns.ts'

const folders: string[] = []
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** @param parent where it is created */
export const newFolder = (parent = tmpdir()): string => {
  const folder = mkdtempSync(join(parent, 'oddswire-log-'))
  folders.push(folder)
  return folder
}

export class MemoryWitness {
  value: { readonly epoch: string; readonly position: number } | undefined

  /** What was written last; a test may put another value in its place, which knows no segment. */
  private written: { readonly value: object; readonly segment: number | undefined } | undefined

  read(): Witnessed | undefined {
    const segment = this.written?.value === this.value ? this.written?.segment : undefined
    return this.value && { ...this.value, segment }
  }

  write({ epoch, position, segment }: Witnessed): undefined {
    this.value = { epoch, position }
    this.written = { value: this.value, segment }
  }
}

export interface Opened extends Recovered {
  /** All turns, of the checkpoint and after it, by number. */
  readonly turns: Turn[]
}

export type Options = Partial<OpenOptions> & { readonly folder: string }

/** All turns until one, as a checkpoint. */
export const writeCheckpoint = (folder: string, turns: readonly Turn[]): string => {
  const path = checkpointPath(folder, turns.length)
  writeFileSync(path, JSON.stringify(turns))
  return path
}

const optionsOf = (options: Options, turns: Turn[]): OpenOptions => ({
  rules: 'rules 1',
  fsync: 'interval',
  fsyncEveryMs: 5,
  encoder: new JsonEncoder(),
  newDecoder: () => new JsonDecoder(),
  witness: new MemoryWitness(),
  disk: DISK,
  useCheckpoint: async (path) => {
    try {
      turns.splice(0, turns.length, ...(JSON.parse(readFileSync(path, 'utf8')) as Turn[]))
      return undefined
    } catch (error) {
      return (error as Error).message
    }
  },
  apply: (turn, number) => {
    assert.equal(number, turns.length + 1)
    turns.push(turn)
  },
  ...options,
})

const detachers = new WeakMap<FileLog, () => void>()

/** The process has ended abruptly, once nothing waits: its log has no more effects. */
export const abandon = async (log: FileLog): Promise<void> => {
  await until('all is written', () => log.written === log.position && log.counters.writes > 0)
  detachers.get(log)!()
}

export const tryOpen = async (options: Options): Promise<Opened | LogFault> => {
  const turns: Turn[] = []
  const complete = optionsOf(options, turns)
  let isAttached = true
  const witness: Witness = {
    read: () => complete.witness.read(),
    write: (at) => (isAttached ? complete.witness.write(at) : undefined),
  }
  const recovered = await openFileLog({ ...complete, witness })
  if (recovered instanceof LogFault) return recovered
  detachers.set(recovered.log, () => {
    isAttached = false
  })
  assert.equal(recovered.log.position, turns.length)
  return { ...recovered, turns }
}

export const open = async (options: Options): Promise<Opened> => {
  const opened = await tryOpen(options)
  if (opened instanceof LogFault) throw opened
  return opened
}

/** Appends turns up to a number, and waits until they are written. */
export const appendTo = async (log: FileLog, last: number, length?: number): Promise<void> => {
  while (log.position < last) log.append(turnOf(log.position + 1, length), () => undefined)
  await until('all turns are written', () => log.written === last)
}

export const until = async (what: string, holds: () => boolean, msMax = 30_000): Promise<void> => {
  const beganMs = elapsedMs()
  while (!holds()) {
    assert.ok(elapsedMs() - beganMs < msMax, `not within ${msMax} ms: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
}

/** That the turns are those with numbers from 1 on. */
export const checkTurns = (turns: readonly Turn[], length?: number): void => {
  for (const [place, turn] of turns.entries()) assert.deepEqual(turn, turnOf(place + 1, length))
}

export const filesOf = (folder: string, ending = '.seg'): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .toSorted()
    .map((name) => join(folder, name))

export const readAll = async (log: FileLog, from: number): Promise<Turn[]> => {
  const turns: Turn[] = []
  for await (const turn of log.read(from)) turns.push(turn)
  return turns
}
