// What a restart does with a checkpoint, part by part: milliseconds of CPU time, for reading a part (with its check sum) and
// for what is built of it.
//
//   node dist/bench/load-checkpoint.js DATA_DIR [--quotes-max N]

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { logFolder } from '../src/command/log-recovery.ts'
import { State } from '../src/command/state.ts'
import { readSettings, type Settings } from '../src/config.ts'
import type { Column, ImageReader } from '../src/domain/image.ts'
import { CheckpointReader } from '../src/log/checkpoint.ts'
import { DISK } from '../src/log/disk.ts'
import { print } from './report.ts'

/** CPU time of this process so far, all threads. */
const cpuMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

const startedMs = cpuMs()
const startedWallMs = performance.now()

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { 'quotes-max': { type: 'string', default: '5000000' } },
})

interface Part {
  readonly name: string
  octets: number
  readMs: number
  /** Until the next part is read. */
  builtMs: number
}

class TimedReader implements ImageReader {
  readonly parts: Part[] = []
  private readonly inner: CheckpointReader
  private lastMs = cpuMs()

  constructor(inner: CheckpointReader) {
    this.inner = inner
  }

  value(name: string): unknown {
    return this.timed(name, () => this.inner.value(name))
  }

  column(name: string, into: Column): number {
    return this.timed(name, () => this.inner.column(name, into))
  }

  fill(name: string, into: Column): number {
    return this.timed(name, () => this.inner.fill(name, into))
  }

  settle(): void {
    this.inner.settle()
  }

  lengthOf(name: string): number {
    return this.inner.lengthOf(name)
  }

  derived(name: string, into: Column, when?: 'now' | 'later'): boolean {
    return this.timed(name, () => this.inner.derived(name, into, when))
  }

  /** The last part is built. */
  end(): void {
    this.inner.end()
    this.parts.at(-1)!.builtMs += cpuMs() - this.lastMs
  }

  private timed<Value>(name: string, read: () => Value): Value {
    const from = cpuMs()
    const last = this.parts.at(-1)
    if (last !== undefined) last.builtMs += from - this.lastMs
    const before = this.inner.offset
    const value = read()
    this.lastMs = cpuMs()
    this.parts.push({ name, octets: this.inner.offset - before, readMs: this.lastMs - from, builtMs: 0 })
    return value
  }
}

const settings = readSettings({ 'data-dir': positionals[0]!, 'quotes-max': flags['quotes-max'] }) as Settings
const folder = logFolder(settings.dataDir)
const newest = readdirSync(folder)
  .filter((name) => name.endsWith('.ckpt'))
  .toSorted()
  .at(-1)!
const allocatedMs = cpuMs()
const state = new State(settings, 0)
const constructedMs = cpuMs()
const timed = new TimedReader(new CheckpointReader(join(folder, newest), { ...DISK, read: undefined }))
state.engine.load(timed)
const engineMs = cpuMs()
state.history.load(timed)
timed.end()
const endMs = cpuMs()
// In the server this comes after readiness.
state.history.build(() => false)
const builtMs = cpuMs()
const ms = (value: number): number => Math.round(value * 10) / 10
const groups = new Map<string, Part>()
for (const part of timed.parts) {
  const name = part.name.split(' ')[0]!
  const group = groups.get(name) ?? { name, octets: 0, readMs: 0, builtMs: 0 }
  group.octets += part.octets
  group.readMs += part.readMs
  group.builtMs += part.builtMs
  groups.set(name, group)
}
print({
  bench: 'load-checkpoint',
  octets: timed.parts.reduce((sum, { octets }) => sum + octets, 0),
  moduleMs: ms(startedMs),
  constructMs: ms(constructedMs - allocatedMs),
  engineMs: ms(engineMs - constructedMs),
  historyMs: ms(endMs - engineMs),
  buildMs: ms(builtMs - endMs),
  readMs: ms(timed.parts.reduce((sum, { readMs }) => sum + readMs, 0)),
  cpuMs: ms(endMs),
  wallMs: ms(performance.now() - startedWallMs),
  rssMb: Math.round(process.memoryUsage.rss() / 2 ** 20),
  parts: [...groups.values()]
    .toSorted((a, b) => b.readMs + b.builtMs - a.readMs - a.builtMs)
    .slice(0, 24)
    .map(({ name, octets, readMs, builtMs }) => ({
      name,
      mb: ms(octets / 1e6),
      readMs: ms(readMs),
      builtMs: ms(builtMs),
    })),
})
