// Responses of uWebSockets.js whose sockets accept as much at a time as a test wants.

import assert from 'node:assert/strict'
import type { BodyResponse } from '../../src/server/body-pace.ts'

/** What was handed to all responses of a test. */
export interface Handed {
  bytesNow: number
  ended: number
}

export class FakeResponse {
  got = 0
  /** What it was given, as it was then. */
  readonly pieces: Buffer[] = []
  endedAt: number | undefined
  isAborted = false
  accepts: number
  private readonly log: Handed
  private aborted: () => void = () => {}
  private writable: ((offset: number) => boolean) | undefined

  /** @param accepts octets that the socket takes at once */
  constructor(log: Handed, accepts: number) {
    this.log = log
    this.accepts = accepts
  }

  get asResponse(): BodyResponse {
    return this as unknown as BodyResponse
  }

  /** Whether nothing more can come. */
  get isOver(): boolean {
    return this.isAborted || this.endedAt !== undefined
  }

  cork(write: () => void): this {
    write()
    return this
  }

  onAborted(handler: () => void): this {
    this.aborted = handler
    return this
  }

  onWritable(handler: (offset: number) => boolean): this {
    this.writable = handler
    return this
  }

  end(body: Buffer): this {
    this.take(body, body.length)
    return this
  }

  tryEnd(rest: Buffer, size: number): [boolean, boolean] {
    assert.equal(this.got + rest.length, size)
    this.take(rest.subarray(0, this.accepts), size)
    return [this.got === size, this.got === size]
  }

  /** The socket has room again. */
  read(): void {
    if (!this.isOver) this.writable?.(this.got)
  }

  abort(): void {
    this.isAborted = true
    this.aborted()
  }

  private take(octets: Buffer, size: number): void {
    assert(!this.isOver)
    this.log.bytesNow += octets.length
    this.got += octets.length
    this.pieces.push(Buffer.from(octets))
    if (this.got === size) this.endedAt = this.log.ended++
  }
}
