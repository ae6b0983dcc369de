// What a point of the log means while inputs about rights are not applied yet, and after a process that has lost some.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Caller } from '../../src/access/gate.ts'
import type { Input } from '../../src/domain/input.ts'
import { Rights } from '../../src/engine/rights.ts'
import { LiveRights } from '../../src/stomp/live-rights.ts'
import type { ReplayRing } from '../../src/stomp/replay-ring.ts'
import { MemoryImage } from '../memory-image.ts'
import { Random, SEED } from '../random.ts'

const caller = (keyId: string, text: string, organization: string): Caller =>
  ({ keyId, audience: { id: 0, text, sets: [] }, organization: { id: organization } }) as unknown as Caller

/** A log, and processes that begin with it one after the other. */
class Site {
  readonly applied = new Rights()
  readonly ring = { lastSeq: 0 }
  live: LiveRights
  /** Inputs that are not written. */
  private inputs: Input[] = []

  constructor() {
    this.live = this.begin()
  }

  private begin(wasClosed = false): LiveRights {
    const turns = { add: (input: Input) => void this.inputs.push(input) }
    return new LiveRights(this.applied, this.ring as ReplayRing, turns, wasClosed)
  }

  /** Writes some of the inputs; the log has them, whatever happens. */
  async write(count = Number.POSITIVE_INFINITY): Promise<void> {
    await Promise.resolve()
    for (const input of this.inputs.splice(0, count)) {
      if (input.kind === 'use') this.applied.use(input.key, input.organization, input.audience, input.seq)
      else if (input.kind === 'rights') this.applied.change(input.organizations, input.seq, input.isStart)
    }
  }

  get unwritten(): readonly Input[] {
    return this.inputs
  }

  /** The process ends in order, and another one begins. */
  async renew(): Promise<void> {
    await this.write()
    this.live = this.begin(true)
  }

  /** The process ends, with what is not written; another one begins. */
  restart(): void {
    this.inputs = []
    this.live = this.begin()
  }
}

test('a change of rights and the uses after it count at once, before the log has them', async () => {
  const site = new Site()
  const { live, ring } = site
  live.use(caller('k', 'A', 'org'))
  await site.write()
  ring.lastSeq = 10
  // There and back again in one turn: the log still has that nothing has changed.
  live.change(new Set(['org']))
  live.use(caller('k', 'B', 'org'))
  ring.lastSeq = 20
  live.change('all')
  live.use(caller('k', 'A', 'org'))
  ring.lastSeq = 30
  const at = (seq: number) => live.audiencesAt(caller('k', 'A', 'org'), seq, () => true)
  assert.deepEqual(at(5), ['A'])
  assert.deepEqual(at(10), ['A', 'B'])
  assert.deepEqual(at(15), ['B'])
  assert.deepEqual(at(25), ['A'])
  assert.deepEqual(
    site.applied.audiencesAt('k', 'org', 15, () => true),
    ['A'],
  )
  await site.write()
  for (const seq of [5, 10, 15, 20, 25]) {
    assert.deepEqual(
      site.applied.audiencesAt('k', 'org', seq, () => true),
      at(seq),
      String(seq),
    )
  }
})

test('no input is added during the call: a turn may not be published in the middle of a check of all sessions', async () => {
  const site = new Site()
  site.live.use(caller('k', 'A', 'org'))
  site.live.change('all')
  site.live.change(new Set())
  assert.deepEqual(site.unwritten, [])
  await Promise.resolve()
  assert.deepEqual(
    site.unwritten.map(({ kind }) => kind),
    ['use', 'rights'],
  )
})

test('a use that was lost with its process is answered with a reset, even where another key would fit', async () => {
  const site = new Site()
  site.live.use(caller('first', 'beta', 'org'))
  site.ring.lastSeq = 10
  await site.write()
  site.live.use(caller('second', 'alpha beta', 'org'))
  site.restart()
  // Meanwhile the organization has lost alpha: the point of the second key, at 10, is not of what it sees now.
  const { live } = site
  live.use(caller('second', 'beta', 'org'))
  assert.equal(
    live.audiencesAt(caller('second', 'beta', 'org'), 10, () => true),
    undefined,
  )
  live.use(caller('first', 'beta', 'org'))
  assert.deepEqual(
    live.audiencesAt(caller('first', 'beta', 'org'), 10, () => true),
    ['beta'],
    'it continues',
  )
})

test('after a process that has ended in order a point at the first use of a key continues', async () => {
  const site = new Site()
  site.ring.lastSeq = 10
  const key = caller('k', 'A', 'org')
  site.live.use(key)
  await site.write()
  await site.renew()
  site.live.use(key)
  assert.deepEqual(
    site.live.audiencesAt(key, 10, () => true),
    ['A'],
  )
  // What it may see has changed while there was no process.
  await site.renew()
  site.live.use(caller('k', 'B', 'org'))
  assert.deepEqual(
    site.live.audiencesAt(caller('k', 'B', 'org'), 10, () => true),
    ['A', 'B'],
  )
  site.restart()
  site.live.use(key)
  assert.equal(
    site.live.audiencesAt(key, 10, () => true),
    undefined,
  )
})

test('random lives, with processes that lose what they have not written: no point is taken for another', async () => {
  const random = new Random(SEED)
  let continued = 0
  let repeated = 0
  for (let world = 0; world < 60; world++) {
    const site = new Site()
    // An organization never gets a former entitlement again; its keys have a scope of their own, which may make them equal.
    let entitlement = 0
    const keys = ['k1', 'k2', 'k3', 'k4'].map((name) => ({ name, scope: 'all', isUsed: false }))
    /** What each point was made with. */
    const points: { readonly key: string; readonly seq: number; readonly audience: string }[] = []
    const audienceOf = ({ scope }: { readonly scope: string }): string => `${entitlement} ${scope}`
    const changeSome = (): void => {
      if (random.chance(0.5)) entitlement++
      // A scope is not narrowed again in the same entitlement: a lost change that was undone cannot be known.
      const key = random.pick(keys)
      if (random.chance(0.5)) {
        entitlement++
        key.scope = random.pick(['all', 'half', 'none'])
      }
      for (const each of keys) each.isUsed = false
    }
    for (let step = 0; step < 200; step++) {
      const at = `seed ${SEED}, world ${world}, step ${step}`
      if (random.chance(0.4)) {
        // What is published was written, and what was added before it may still be on its way.
        if (random.chance(0.8)) await site.write()
        site.ring.lastSeq += random.int(1, 3)
      }
      if (random.chance(0.1)) {
        changeSome()
        site.live.change(random.chance(0.5) ? 'all' : new Set(['org']))
      }
      if (random.chance(0.05)) {
        await site.write(random.int(0, 4))
        if (random.chance(0.5)) changeSome()
        for (const each of keys) each.isUsed = false
        site.restart()
      }
      const key = random.pick(keys)
      const of = caller(key.name, audienceOf(key), 'org')
      if (!key.isUsed) site.live.use(of)
      key.isUsed = true
      points.push({ key: key.name, seq: site.ring.lastSeq, audience: audienceOf(key) })
      for (let look = 0; look < 5; look++) {
        const point = random.pick(points)
        // At 0 nothing has been seen yet: a process that continues there forgets nothing.
        if (point.key !== key.name || point.seq === 0) continue
        const known = site.live.audiencesAt(of, point.seq, () => true)
        if (known?.every((audience) => audience === audienceOf(key)) !== true) {
          repeated++
          continue
        }
        assert.equal(point.audience, audienceOf(key), `${at}: a point of ${key.name} at ${point.seq}`)
        continued++
      }
    }
    await site.write()
    assert.deepEqual(MemoryImage.of(site.applied).parts, MemoryImage.of(site.live.history).parts, `seed ${SEED}`)
  }
  assert(continued > 1_000 && repeated > 1_000, `seed ${SEED}: ${continued} continued, ${repeated} did not`)
})

test('where several processes share the log, a use at one is known at the others, and changes come with their stores', async () => {
  const ring = { lastSeq: 100 }
  const inputs: Input[] = []
  const turns = { add: (input: Input) => void inputs.push(input) }
  const begin = (applied: Rights, wasClosed: boolean): LiveRights =>
    new LiveRights(applied, ring as ReplayRing, turns, wasClosed, true)
  const isValid = (): boolean => true
  const applied = new Rights()
  const [a, b] = [begin(applied, true), begin(applied, true)]
  a.use(caller('k', 'all', 'o'))
  await Promise.resolve()
  // In order, and without a word about rights: nothing has changed.
  assert.deepEqual(inputs, [{ kind: 'use', key: 'k', organization: 'o', audience: 'all', seq: 100 }])
  ring.lastSeq = 150
  assert.equal(b.audiencesAt(caller('k', 'all', 'o'), 150, isValid), undefined)
  const [use] = inputs.splice(0) as [Input & { readonly kind: 'use' }]
  b.hear(use)
  applied.use(use.key, use.organization, use.audience, use.seq)
  assert.deepEqual(b.audiencesAt(caller('k', 'all', 'o'), 150, isValid), ['all'])
  // A change of the store, at the same turn in each.
  for (const live of [a, b]) live.change(new Set(['o']))
  applied.change(['o'], 150)
  ring.lastSeq = 160
  b.use(caller('k', 'some', 'o'))
  assert.deepEqual(b.audiencesAt(caller('k', 'some', 'o'), 149, isValid), ['all'])
  assert.deepEqual(b.audiencesAt(caller('k', 'some', 'o'), 160, isValid), ['some'])
  await Promise.resolve()
  a.hear(inputs[0]!)
  assert.deepEqual(a.audiencesAt(caller('k', 'some', 'o'), 160, isValid), ['some'])
  assert.equal(inputs.length, 1)
  // One that begins in order knows all of it; after a crash, only what keys themselves have seen.
  applied.use('k', 'o', 'some', 160)
  ring.lastSeq = 170
  const late = begin(applied, true)
  assert.deepEqual(late.audiencesAt(caller('k', 'some', 'o'), 165, isValid), ['some'])
  const crashed = begin(applied, false)
  assert.deepEqual(crashed.audiencesAt(caller('k', 'some', 'o'), 165, isValid), ['some'])
  assert.equal(crashed.audiencesAt(caller('new', 'some', 'o'), 165, isValid), undefined)
})
