// Memory that runs of frames share: none reads what another one has written, and what is kept holds little more than its octets.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FrameRun, type MessageForm } from '../../src/stomp/frame-run.ts'
import { Random, SEED } from '../random.ts'

const FORM: MessageForm = { subscription: 'sub-0', acknowledges: false, ackNumber: undefined, encoding: 'json' }
const HEAD = Buffer.from('MESSAGE\ndestination:/topic/odds\nmessage-id:')

/** The least memory that a run gets, and by how much it may be longer than what is in it. */
const ROOM_MIN = 8 * 1024
const ROOM_FACTOR = 4

const add = (run: FrameRun, seq: number, body: string): void => run.add(HEAD, seq, -1, -1, 'update', Buffer.from(body))

/** A stream that writes bodies of about one length, in each turn. */
interface Writing {
  readonly run: FrameRun
  readonly length: number
  kept: { readonly bytes: Buffer; readonly text: string }[]
}

test('runs share memory, and each has its own frames, also those that are kept', () => {
  const random = new Random(SEED)
  const all = [20, 20, 300, 5_000, 70_000, 300_000].map(
    (length): Writing => ({ run: new FrameRun('epoch', FORM), length, kept: [] }),
  )
  let seq = 0
  for (let turn = 0; turn < 1_500; turn++) {
    const touched = all.filter(() => random.chance(0.6))
    const views = touched.map(({ run, length }) => {
      const bodies = Array.from(
        { length: random.int(1, 3) },
        () => `{"${'x'.repeat(random.int(length >> 1, length))}":${++seq}}`,
      )
      for (const body of bodies) add(run, seq, body)
      return { bodies, ...run.view() }
    })
    for (const [place, { bodies, bytes }] of views.entries()) {
      const text = bytes.toString()
      for (const body of bodies) assert(text.includes(body), `seed ${SEED}, turn ${turn}`)
      const { run, kept } = touched[place]!
      if (random.chance(0.2)) {
        // As a carrier does that has not written it: the memory is for no other run.
        kept.push({ bytes, text })
        run.end(true)
      } else if (random.chance(0.1)) {
        kept.push({ bytes: run.detach().bytes, text })
      } else run.end(false)
    }
    for (const one of all) {
      for (const { bytes, text } of one.kept) assert.equal(bytes.toString(), text, `seed ${SEED}, turn ${turn}`)
      if (one.kept.length > 4) one.kept = []
    }
  }
})

test('what is kept of short runs has short memory, whatever other runs have written', () => {
  const [short, long] = [new FrameRun('epoch', FORM), new FrameRun('epoch', FORM)]
  for (let turn = 0; turn < 100; turn++) {
    for (const [run, length] of [
      [long, 500_000],
      [short, 300],
    ] as const) {
      add(run, turn, `{"${'x'.repeat(length)}":1}`)
      const { bytes } = run.view()
      const room = bytes.buffer.byteLength
      assert(room <= Math.max(ROOM_MIN, ROOM_FACTOR * bytes.length), `${room} octets for ${bytes.length}`)
      run.end(run === short)
    }
  }
})

test('runs that are not kept have the same memory in each turn', () => {
  for (const length of [300, 9_000, 20_000, 70_000, 300_000]) {
    const run = new FrameRun('epoch', FORM)
    const turn = (seq: number): ArrayBufferLike => {
      add(run, seq, `{"${'x'.repeat(length)}":1}`)
      const { buffer } = run.view().bytes
      run.end(false)
      return buffer
    }
    // Memory that runs of the tests before have left may be too small: it grows, and is of another size then. 4 MiB are left at most.
    for (let seq = 0; seq < 300; seq++) turn(seq)
    const memory = turn(300)
    // Not by assert.equal, which would print all octets.
    for (let seq = 301; seq < 320; seq++) assert(turn(seq) === memory, `${length} octets`)
  }
})

test('a run that is longer than the one before has memory that other runs had', () => {
  const random = new Random(SEED)
  const run = new FrameRun('epoch', FORM)
  const body = `{"${'x'.repeat(900)}":1}`
  const known = new WeakSet<ArrayBufferLike>()
  let fresh = 0
  for (let turn = 0; turn < 2_000; turn++) {
    for (let left = random.int(1, 60); left > 0; left--) add(run, turn, body)
    const { buffer } = run.view().bytes
    if (!known.has(buffer) && turn > 1_000) fresh++
    known.add(buffer)
    run.end(false)
  }
  // 4 MiB are kept for runs of all lengths: what the tests before have left may go for that.
  assert(fresh < 50, `seed ${SEED}: ${fresh} of 1 000 runs have new memory`)
})
