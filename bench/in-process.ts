// The broker in this process, with connections that keep nothing: what it costs without sockets.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Access } from '../src/access/access.ts'
import { collectAlone } from '../src/command/thread-priority.ts'
import { LIMITS } from '../src/limits.ts'
import { Engine } from '../src/engine/engine.ts'
import { Turns } from '../src/engine/turns.ts'
import type { FileLog } from '../src/log/file-log.ts'
import { ObservationScanner } from '../src/source/observations/observation-scanner.ts'
import { Broker } from '../src/stomp/broker.ts'
import { LiveHistory } from '../src/stomp/live-history.ts'
import type { Carrier } from '../src/stomp/carrier.ts'
import { frameBytes } from '../src/stomp/frame-writer.ts'
import type { Session } from '../src/stomp/session.ts'
import { prepareKeys } from './live-service.ts'

export const START = 1_790_000_000_000

/** A connection that accepts everything at once and keeps nothing. */
export class Sink implements Carrier {
  readonly kind = 'tcp'
  readonly bufferedBytes = 0
  bytes = 0

  connected(): void {}

  write(frame: Buffer): void {
    this.bytes += frame.length
  }

  writeRun(bytes: Buffer): void {
    this.bytes += bytes.length
  }

  cork(write: () => void): void {
    write()
  }

  join(): boolean {
    return false
  }

  leave(): void {}
  pauseReading(): void {}
  readOn(): void {}
  end(): void {}
  destroy(): void {}
}

/** A broker with its engine, keys in a folder of its own, and a clock that the bench sets. */
export class InProcess {
  nowAt = START
  readonly engine: Engine
  readonly turns: Turns
  readonly broker: Broker
  private readonly log: FileLog | undefined
  private readonly access: Access
  private readonly folder: string
  private readonly keys: { readonly customerKey: string; readonly feedKey: string }

  /**
   * @param bookmakers their slugs, or how many there are of `book_0` and so on
   * @param openLog undefined: nothing is kept
   */
  static async open(
    quotesMax: number,
    bookmakers: number | readonly string[],
    openLog?: (folder: string) => Promise<FileLog>,
  ): Promise<InProcess> {
    collectAlone()
    const folder = mkdtempSync(join(tmpdir(), 'oddswire-bench-'))
    const engine = new Engine({ ...LIMITS, quotesMax }, START)
    const slugs =
      typeof bookmakers === 'number' ? Array.from({ length: bookmakers }, (_, number) => `book_${number}`) : bookmakers
    const keys = prepareKeys(folder, slugs)
    const clock = { now: () => START as number }
    const access = await Access.open({
      dataDir: join(folder, 'oddswire'),
      numberOf: (slug) => engine.bookmakerNumber(slug),
      now: () => clock.now(),
      limits: LIMITS,
    })
    if ('fault' in access) throw new Error(access.fault)
    const opened = new InProcess(engine, access, folder, keys, await openLog?.(folder))
    clock.now = () => opened.nowAt
    return opened
  }

  private constructor(engine: Engine, access: Access, folder: string, keys: InProcess['keys'], log?: FileLog) {
    this.engine = engine
    this.log = log
    this.access = access
    this.folder = folder
    this.keys = keys
    const scanner = new ObservationScanner(LIMITS)
    this.turns = new Turns(engine, LIMITS, () => this.nowAt, log)
    this.broker = new Broker({
      engine,
      history: new LiveHistory(engine, LIMITS),
      turns: this.turns,
      gate: access.gate,
      registry: access.registry,
      limits: LIMITS,
      now: () => this.nowAt,
      elapsedMs: () => performance.now(),
      server: 'bench',
      readObservation: (body, bookmaker) => scanner.read(body, bookmaker),
      mintId: () => 'bench',
    })
  }

  /** A session of a customer or of the feed, connected. */
  connect(who: 'customer' | 'feed', carrier: Carrier): Session {
    const session = this.broker.open(carrier)
    const headers = [
      ['accept-version', '1.2'],
      ['passcode', who === 'feed' ? this.keys.feedKey : this.keys.customerKey],
    ] as const
    this.receive(session, frameBytes('CONNECT', headers, '1.2'))
    if (!session.isConnected) throw new Error(`the ${who} was not let in`)
    return session
  }

  /** Has a session read octets, share by share: to the end, or until a feed waits for room. */
  receive(session: Session, bytes: Uint8Array): void {
    session.receive(bytes)
    while (session.hasInput && this.broker.passes.waiting > 0) this.broker.passes.pass()
  }

  async close(): Promise<void> {
    this.broker.close()
    await this.log?.close()
    await this.access.close()
    rmSync(this.folder, { recursive: true, force: true })
  }
}
