// The clock of the service, with readings that are set by hand.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FOLLOWED_MS_MAX } from '../src/clock.ts'
import { Host, HOUR, MINUTE, SECOND, START } from './host.ts'
import { Random, SEED } from './random.ts'

for (const hours of [1, -1, 25, -25]) {
  test(`a step of ${hours} h changes no time and is reported once; stepping back is reported too`, () => {
    const host = new Host()
    const clock = host.newClock()
    host.run(clock, MINUTE)
    host.wall += hours * HOUR
    host.run(clock, HOUR)
    assert.equal(clock.now(), START + HOUR + MINUTE)
    assert.deepEqual(host.events, [{ kind: 'stepped', ms: hours * HOUR, apartMs: hours * HOUR }])
    assert.equal(clock.apartMs, hours * HOUR)
    assert.equal(clock.driftMs(), hours * HOUR)
    host.wall -= hours * HOUR
    host.run(clock, MINUTE)
    assert.equal(clock.now(), START + HOUR + 2 * MINUTE)
    assert.deepEqual(host.events.at(-1), { kind: 'stepped', ms: -hours * HOUR, apartMs: 0 })
    assert.equal(clock.apartMs, 0)
    assert.equal(host.events.length, 2)
  })
}

for (const [what, ms] of [
  ['10 min', 10 * MINUTE],
  ['30 h', 30 * HOUR],
] as const) {
  test(`a suspension of ${what} is elapsed time 5 ms after it`, () => {
    const host = new Host()
    const clock = host.newClock()
    host.run(clock, MINUTE)
    host.suspend(ms)
    host.pass(5)
    assert.equal(clock.now(), START + MINUTE + ms + 5)
    assert.deepEqual(host.events, [{ kind: 'suspended', ms }])
    assert.equal(clock.suspensions, 1)
    assert.equal(clock.suspendedMs, ms)
    host.run(clock, HOUR)
    assert.equal(clock.now(), START + MINUTE + ms + 5 + HOUR)
    assert.equal(host.events.length, 1)
  })
}

test('a suspension and a step at the same time: each counts as what it is', () => {
  const host = new Host()
  const clock = host.newClock()
  host.suspend(10 * MINUTE)
  host.wall -= 25 * HOUR
  host.run(clock, SECOND)
  assert.equal(clock.now(), START + 10 * MINUTE + SECOND)
  assert.deepEqual(host.events, [
    { kind: 'suspended', ms: 10 * MINUTE },
    { kind: 'stepped', ms: -25 * HOUR, apartMs: -25 * HOUR },
  ])
})

test('a difference of two minutes disappears at one part in a hundred, in both directions', () => {
  for (const ms of [FOLLOWED_MS_MAX, -FOLLOWED_MS_MAX]) {
    const host = new Host()
    const clock = host.newClock()
    host.wall += ms
    host.run(clock, 100 * SECOND)
    assert.ok(Math.abs(clock.now() - (START + 100 * SECOND + Math.sign(ms) * SECOND)) <= 5)
    host.run(clock, 12_000 * SECOND)
    assert.ok(Math.abs(clock.driftMs()) <= 20)
    assert.equal(clock.apartMs, 0)
    assert.equal(host.events.length, 1)
  }
})

test('a larger difference is not followed', () => {
  const host = new Host()
  const clock = host.newClock()
  host.wall += FOLLOWED_MS_MAX + 1
  host.run(clock, HOUR)
  assert.equal(clock.now(), START + HOUR)
})

for (const hours of [1, 25]) {
  test(`a clock ${hours} h behind at the start: two seconds after it is set, a sender's time confirms it`, () => {
    const host = new Host()
    host.wall -= hours * HOUR
    const clock = host.newClock()
    host.run(clock, MINUTE)
    host.wall += hours * HOUR
    host.run(clock, SECOND)
    clock.witness()
    host.run(clock, 1_200)
    assert.equal(clock.now(), START + MINUTE + 2_200)
    assert.deepEqual(host.events.at(-1), { kind: 'corrected', ms: hours * HOUR })
    assert.equal(clock.corrections, 1)
    assert.equal(clock.apartMs, 0)
  })
}

test('a witness of before a step does not confirm what came after it', () => {
  const host = new Host()
  const clock = host.newClock()
  host.wall += HOUR
  host.run(clock, SECOND)
  clock.witness()
  host.wall += 25 * HOUR
  host.run(clock, MINUTE)
  assert.equal(clock.now(), START + SECOND + MINUTE)
  host.wall -= 26 * HOUR
  clock.witness()
  host.run(clock, MINUTE)
  assert.equal(clock.now(), START + SECOND + 2 * MINUTE)
  assert.equal(clock.corrections, 0)
})

test('a clock that is set every second is not reported every time', () => {
  const host = new Host()
  const clock = host.newClock()
  for (let n = 0; n < 60; n++) {
    host.wall += n % 2 === 0 ? HOUR : -HOUR
    host.run(clock, SECOND)
  }
  assert.ok(host.events.length <= 7, `${host.events.length} reports`)
  assert.equal(clock.now(), START + MINUTE)
})

test('readings that the process was interrupted between are not compared', () => {
  const host = new Host()
  const clock = host.newClock()
  // 30 ms between the readings of one comparison.
  host.readMs = 30
  host.boot += 10_000
  host.pass(200)
  clock.now()
  assert.equal(clock.suspensions, 0)
  host.readMs = 0
  host.pass(200)
  clock.now()
  assert.equal(clock.suspensions, 1)
})

test('a restart on a running host continues by elapsed time, whatever the clock says', () => {
  for (const hours of [0, 1, -1, 25, -25]) {
    const host = new Host()
    const first = host.newClock()
    host.run(first, MINUTE)
    const mark = first.mark()
    host.wall += hours * HOUR
    host.pass(10 * MINUTE)
    host.suspend(30 * MINUTE)
    // The monotonic time of a process starts with it.
    host.monotonic = 40
    const second = host.newClock()
    const resumed = second.resume(mark, mark.at)
    assert.equal(second.now(), START + 41 * MINUTE)
    assert.deepEqual(resumed, { sinceTurnMs: 40 * MINUTE, isExact: true, apartMs: hours * HOUR })
    assert.equal(second.apartMs, hours * HOUR)
    host.run(second, MINUTE)
    assert.equal(second.now(), START + 42 * MINUTE)
    assert.equal(second.suspensions, 0, 'it was suspended before the start')
  }
})

test('a restart of the host continues by the clock, and never goes back', () => {
  const host = new Host()
  const first = host.newClock()
  const mark = first.mark()
  const restart = (wall: number): Host => {
    const later = new Host()
    later.id = 'b'
    later.wall = wall
    later.boot = 20_000
    later.monotonic = 30
    return later
  }
  const right = restart(START + 5 * MINUTE)
  const second = right.newClock()
  assert.deepEqual(second.resume(mark, mark.at), { sinceTurnMs: 5 * MINUTE, isExact: false, apartMs: 0 })
  assert.equal(second.now(), START + 5 * MINUTE)
  for (const hours of [1, 25]) {
    const behind = restart(START - hours * HOUR)
    const third = behind.newClock()
    assert.deepEqual(third.resume(mark, mark.at), { sinceTurnMs: 0, isExact: false, apartMs: -hours * HOUR })
    behind.run(third, MINUTE)
    assert.equal(third.now(), START + MINUTE)
  }
  const ahead = restart(START + 25 * HOUR)
  assert.equal(ahead.newClock().resume(mark, mark.at).sinceTurnMs, 25 * HOUR)
})

test('a mark of any moment will do; without one the clock of the host counts, and never a time before the last turn', () => {
  const host = new Host()
  const first = host.newClock()
  const mark = first.mark()
  host.run(first, HOUR)
  const lastTurnAt = first.now()
  host.wall -= 25 * HOUR
  host.pass(MINUTE)
  const second = host.newClock()
  assert.deepEqual(second.resume(mark, lastTurnAt), { sinceTurnMs: MINUTE, isExact: true, apartMs: -25 * HOUR })
  const third = host.newClock()
  assert.deepEqual(third.resume(undefined, lastTurnAt), {
    sinceTurnMs: 0,
    isExact: false,
    apartMs: -25 * HOUR + MINUTE,
  })
  // The time went forward after the mark, by a correction that no mark has.
  host.wall += 25 * HOUR
  const fourth = host.newClock()
  assert.equal(fourth.resume(mark, lastTurnAt + 2 * HOUR).sinceTurnMs, 0)
  assert.equal(fourth.now(), lastTurnAt + 2 * HOUR)
})

test('a restored snapshot of the machine is not a running host', () => {
  const host = new Host()
  const mark = host.newClock().mark()
  host.boot -= 10 * SECOND
  host.wall += HOUR
  const clock = host.newClock()
  assert.deepEqual(clock.resume(mark, mark.at), { sinceTurnMs: HOUR, isExact: false, apartMs: 0 })
})

test('a moment that was read before is never before the last answer', () => {
  const host = new Host()
  const clock = host.newClock()
  const moment = host.monotonic
  host.suspend(HOUR)
  host.pass(5)
  const now = clock.now()
  assert.equal(clock.at(moment), now)
  assert.equal(clock.at(moment - 10), now)
})

test('random steps, suspensions and pauses: the time is the elapsed time, within what it follows', () => {
  const random = new Random(SEED)
  const host = new Host()
  const clock = host.newClock()
  let elapsed = 0
  let last = clock.now()
  for (let n = 0; n < 5_000; n++) {
    const kind = random.int(0, 19)
    if (kind === 0) host.wall += random.int(-25, 25) * HOUR
    if (kind === 1) {
      const ms = random.int(SECOND, HOUR)
      host.suspend(ms)
      elapsed += ms
    }
    const ms = kind === 2 ? random.int(5, 10 * MINUTE) : random.int(5, 2 * SECOND)
    host.pass(ms)
    elapsed += ms
    const now = clock.now()
    assert.ok(now >= last, `seed ${SEED}`)
    last = now
    assert.ok(Math.abs(now - START - elapsed) <= FOLLOWED_MS_MAX, `seed ${SEED}: ${now - START - elapsed} ms off`)
  }
})
