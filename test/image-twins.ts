// Two engines with equal inputs: one is never saved, the other is saved and loaded into a new one at random moments.
// Whatever can be seen of them must be equal.

import assert from 'node:assert/strict'
import type { Changes } from '../src/board/changes.ts'
import type { KnownEvent } from '../src/domain/event-identity.ts'
import type { Turn } from '../src/domain/input.ts'
import type { ImageReader, ImageWriter } from '../src/domain/image.ts'
import type { Engine } from '../src/engine/engine.ts'
import { applyTurn } from '../src/engine/inputs.ts'
import { ChecksumWriter } from '../src/log/checksum.ts'
import { assertSameImage, MemoryImage } from './memory-image.ts'
import { checkInvariants } from './board/invariants.ts'

const EVERYBODY = new Uint32Array(4).fill(2 ** 32 - 1)

/** All that a turn publishes, as text. */
const textsOf = (changes: Changes): string[] => {
  const texts = [`${changes.seqBefore} + ${changes.length}`]
  for (let group = 0; group < changes.groups; group++) {
    const { event, book, bookmaker, transport, recordedAt, notice } = changes
    texts.push(
      JSON.stringify([event[group], book[group], bookmaker[group], transport[group], recordedAt[group], notice[group]]),
    )
    if (notice[group] !== undefined) continue
    for (let n = changes.first[group]!; n !== -1; n = changes.next[n]!) {
      const { change, cause, quote, type, line, outcome, odds, status, observedAt } = changes
      const label = Buffer.from(outcome[n]!).toString()
      texts.push([change[n], cause[n], quote[n], type[n], line[n], label, odds[n], status[n], observedAt[n]].join(' '))
    }
  }
  return texts
}

/** All that readers see, in their order. */
const seenIn = ({ reader, sightings }: Engine, nowAt: number): string[] => {
  const named = ({ event, sightings: all }: KnownEvent): unknown => [
    event,
    all.map(({ key, sighting, swapped }) => [key, sighting, swapped]),
  ]
  const texts = sightings
    .conflicts()
    .map(({ reason, event, others }) => JSON.stringify([reason, named(event), others.map(named)]))
  reader.visitEvents(undefined, undefined, Number.NEGATIVE_INFINITY, (view) => {
    texts.push(JSON.stringify([view.number, view.formerIds, named(sightings.knownEvent(view.event.id)!)]))
    for (const transport of [0, 1] as const) {
      texts.push(`${reader.marketCount(view, transport, EVERYBODY, nowAt, reader.isSettled(nowAt))}`)
      const until = reader.visitOdds(view, transport, EVERYBODY, EVERYBODY, nowAt, {
        beginMarket: (type, line) => texts.push(`market ${type} ${line}`),
        beginBookmaker: (bookmaker) => texts.push(reader.bookmakerSlug(bookmaker)),
        outcome: (outcome, odds, at) => texts.push(`${Buffer.from(outcome).toString()} ${odds} ${at}`),
        endBookmaker: () => {},
        endMarket: () => {},
      })
      texts.push(`until ${until}`)
    }
    for (const bookmaker of reader.liveBookmakers(view)) {
      reader.visitLiveBook(view, bookmaker, nowAt, (...quote) => {
        texts.push(quote.map((each) => (each instanceof Uint8Array ? Buffer.from(each).toString() : each)).join(' '))
      })
    }
    return true
  })
  return texts
}

export const imageOf = (engine: Engine): MemoryImage => {
  const image = new MemoryImage()
  engine.save(image)
  return image
}

const checksumOf = (engine: Engine): string => {
  const sum = new ChecksumWriter()
  engine.save(sum)
  return sum.digest()
}

/** What carries the state from one engine to the next: an image in memory, or a file. */
export type Carry = (save: (image: ImageWriter) => void, load: (image: ImageReader) => void) => void

export const inMemory: Carry = (save, load) => {
  const image = new MemoryImage()
  save(image)
  image.read()
  load(image)
  image.checkRead()
}

export class ImageTwins {
  readonly whole: Engine
  restarted: Engine
  private readonly newEngine: () => Engine
  private published: string[][] = [[], []]
  private restarts = 0

  constructor(newEngine: () => Engine) {
    this.newEngine = newEngine
    this.whole = newEngine()
    this.restarted = newEngine()
    this.listen(this.whole, 0)
    this.listen(this.restarted, 1)
  }

  apply(turn: Turn, at: string): boolean {
    const [refusals, others] = [[], []] as [unknown[], unknown[]]
    const isDone = applyTurn(this.whole, turn, (_input, _place, refusal) => refusals.push(refusal))
    const isOtherDone = applyTurn(this.restarted, turn, (_input, _place, refusal) => others.push(refusal))
    assert.deepEqual(others, refusals, at)
    assert.equal(isOtherDone, isDone, at)
    const [expected, published] = this.published as [string[], string[]]
    assert.deepEqual(published, expected, `${at}: changes`)
    this.published = [[], []]
    return isDone
  }

  /**
   * Saves and loads one of them. Comparing asks for all that an image only makes when it is asked for: every other time it is left to the
   * next comparison.
   */
  restart(at: string, carry: Carry = inMemory): void {
    const next = this.newEngine()
    carry(
      (image) => this.restarted.save(image),
      (image) => next.load(image),
    )
    this.restarted = next
    this.listen(next, 1)
    if (this.restarts++ % 2 === 0) return
    try {
      checkInvariants(next)
    } catch (error) {
      throw new Error(`${at}: ${(error as Error).message}`, { cause: error })
    }
    this.compare(at)
  }

  /** Compares all that readers see, and the images. */
  compare(at: string, nowAt = this.whole.lastTurnAt): void {
    assert.deepEqual(seenIn(this.restarted, nowAt), seenIn(this.whole, nowAt), at)
    assertSameImage(imageOf(this.restarted), imageOf(this.whole), at)
    assert.equal(checksumOf(this.restarted), checksumOf(this.whole), at)
  }

  private listen(engine: Engine, place: number): void {
    engine.onTurn((changes) => this.published[place]!.push(...textsOf(changes)))
  }
}
