// Memory of large bodies that were replaced, for the bodies that come after them. While answers wait to be sent
// (body-pace.ts), the body of an event that changes cannot be written again in its place. Memory of 345 KB for each of
// 200 bodies a second outside of V8's heap made V8 mark the whole heap three times a second, 3.4 to 5.7 ms each time.

import type { Reply } from './reply.ts'

/** Memory of smaller bodies is left to V8: they hardly ever wait. */
const ROOM_BYTES_MIN = 16 * 1024

export class BodyMemory {
  private readonly bytesMax: number
  // The one that was given last at the end.
  private readonly rooms: ArrayBuffer[] = []
  private readonly replaced: Reply[] = []
  private freeBytes = 0
  private isScheduled = false

  /** @param bytesMax octets that are kept free */
  constructor(bytesMax: number) {
    this.bytesMax = bytesMax
  }

  /** Octets that are kept free. */
  get bytes(): number {
    return this.freeBytes
  }

  /** Memory for so many octets, of less than twice as many; undefined: there is none. */
  take(octets: number): ArrayBuffer | undefined {
    if (octets < ROOM_BYTES_MIN) return undefined
    const place = this.rooms.findLastIndex((room) => room.byteLength >= octets && room.byteLength < 2 * octets)
    if (place === -1) return undefined
    const [room] = this.rooms.splice(place, 1)
    this.freeBytes -= room!.byteLength
    return room
  }

  /**
   * The cache has another reply instead: its memory is free when no answer waits with it. Not at once: an answer that is
   * continued by a promise holds its reply before the next iteration of the event loop.
   */
  replace(reply: Reply): void {
    if (reply.isHeld || reply.body.buffer.byteLength < ROOM_BYTES_MIN) return
    this.replaced.push(reply)
    if (this.isScheduled) return
    this.isScheduled = true
    setImmediate(() => {
      this.isScheduled = false
      for (const free of this.replaced.splice(0)) {
        if (free.waiting === 0) this.give(free)
        else free.onSent = () => this.give(free)
      }
    })
  }

  private give(reply: Reply): void {
    if (reply.isHeld) return
    // Nobody else may get it for the same body.
    reply.isHeld = true
    const room = reply.body.buffer as ArrayBuffer
    this.rooms.push(room)
    this.freeBytes += room.byteLength
    while (this.freeBytes > this.bytesMax) this.freeBytes -= this.rooms.shift()!.byteLength
  }
}
