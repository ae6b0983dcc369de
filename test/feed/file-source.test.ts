// A recording as a source: once, again and again, in its own time; what cannot be read; the end in the midst of it.

import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Observation } from '../../src/domain/observation.ts'
import type { ConnectorContext } from '../../src/source/kit/connector.ts'
import { FileSource, type FileSourceOptions } from '../../src/feed/file-source.ts'
import { Account } from '../../src/source/kit/account.ts'
import { ROOT } from '../root.ts'
import { SaidBoard } from '../source/kit/said-board.ts'

const T0 = Date.parse('2026-03-08T12:00:00.000Z')
const folder = await mkdtemp(join(tmpdir(), 'oddswire-file-'))
after(() => rm(folder, { recursive: true, force: true }))

const lineOf = (n: number): string =>
  JSON.stringify({
    bookmaker: 'northbet',
    transport: 'rest',
    observedAt: new Date(T0 + n * 40).toISOString(),
    event: {
      sport: 'football',
      league: { key: 'l', name: 'L' },
      home: 'Harbour Town',
      away: 'Kestrel Rovers',
      kickoffAt: new Date(T0 + 3_600_000).toISOString(),
      sourceId: '1',
    },
    quotes: [{ type: 'match_result_1x2', outcome: 'home', odds: 2 + n }],
  })

const fileOf = async (name: string, ...lines: string[]): Promise<string> => {
  const path = join(folder, name)
  await writeFile(path, lines.join('\n'))
  return path
}

class World {
  private readonly events = new EventEmitter()
  readonly board = new SaidBoard(() => this.events.emit('more'))
  readonly taken: readonly Observation[] = this.board.observations
  readonly told: string[] = []
  readonly malformed: string[] = []
  heard = 0
  /** Set, nothing is recorded until it resolves. */
  gate: Promise<void> | undefined
  readonly source: FileSource

  constructor(options: Partial<FileSourceOptions> & Pick<FileSourceOptions, 'path'>, gate?: Promise<void>) {
    this.gate = gate
    this.board.onTake = () => this.gate
    const context: ConnectorContext = {
      name: 's',
      account: new Account(),
      now: () => Date.now(),
      chance: () => 0,
      producer: this.board.producer,
      alive: () => {
        this.heard++
        this.events.emit('more')
      },
      log: (_level, message) => {
        this.told.push(message)
        this.events.emit('more')
      },
      onMalformed: (place) => this.malformed.push(place),
    }
    this.source = new FileSource(
      {
        format: 'observations',
        transport: null,
        speed: null,
        rebase: false,
        repeatMs: null,
        facts: {},
        limits: { lineBytesMax: 2 ** 16, documentBytesMax: 2 ** 20, pricesMax: 100, textLengthMax: 200 },
        ...options,
      },
      context,
    )
  }

  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await once(this.events, 'more', { signal: AbortSignal.timeout(10_000) })
  }

  get plays(): unknown {
    return this.source.facts().plays
  }
}

const oddsOf = (observations: readonly Observation[]): (number | null)[] =>
  observations.map(({ prices }) => prices[0]!.odds)

test('a file is read once, as it is, and what is malformed in it is named', async () => {
  const world = new World({ path: await fileOf('once.jsonl', lineOf(0), '{"bookmaker":', lineOf(1)) })
  await world.until(() => world.plays === 1)
  assert.deepEqual(oddsOf(world.taken), [2, 3])
  assert.deepEqual(
    world.taken.map(({ observedAt }) => observedAt - T0),
    [0, 40],
  )
  assert.equal(world.malformed.length, 1)
  assert.ok(world.heard > 0)
  assert.deepEqual(world.told, [])
  assert.equal(await world.source.refresh(), undefined)
  assert.deepEqual(oddsOf(world.taken), [2, 3, 2, 3])
  await world.source.stop()
})

test('what a recording does not name is in the status for as long as it is not named', async () => {
  const path = join(ROOT, 'fixtures', 'betfair', 'unnamed.jsonl')
  const world = new World({ path, format: 'betfair', transport: 'live' })
  await world.until(() => world.plays === 1)
  assert.equal(world.told.length, 1)
  assert.match(world.told[0]!, /unnamed\.jsonl does not name 2 events .*--fixtures FILE/)
  assert.equal(world.source.trouble(), world.told[0])
  await world.source.refresh()
  assert.equal(world.told.length, 1, 'logged once')
  assert.equal(world.source.trouble(), world.told[0])
  await world.source.stop()
  const named = new World({ path: await fileOf('named.jsonl', lineOf(0)) })
  await named.until(() => named.plays === 1)
  assert.equal(named.source.trouble(), null)
  await named.source.stop()
})

test('a file has delivered when it was read once; in its own time with its first observation', async () => {
  const path = await fileOf('delivered.jsonl', lineOf(0), lineOf(1))
  const whole = new World({ path })
  assert.equal(whole.source.hasDelivered(), false)
  await whole.until(() => whole.plays === 1)
  assert.equal(whole.source.hasDelivered(), true)
  await whole.source.stop()
  const played = new World({ path: await fileOf('hours.jsonl', lineOf(0), lineOf(90_000)), speed: 1, rebase: true })
  assert.equal(played.source.hasDelivered(), false)
  await played.until(() => played.taken.length === 1)
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual([played.source.hasDelivered(), played.plays], [true, 0])
  await played.source.stop()
  const refused = new World({ path: await fileOf('refused.jsonl', lineOf(0), lineOf(90_000)), speed: 1, rebase: true })
  let refusals = 0
  refused.board.isRefusing = true
  refused.board.onTake = () => void refusals++
  await refused.until(() => refusals === 1)
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(refused.source.hasDelivered(), false, 'nothing of it is on the board')
  await refused.source.stop()
  const empty = new World({ path: await fileOf('nothing.jsonl', '') })
  await empty.until(() => empty.plays === 1)
  assert.equal(empty.source.hasDelivered(), true, 'that there is nothing is an answer')
  await empty.source.stop()
  const broken = new World({ path: join(folder, 'missing.jsonl') })
  await broken.until(() => broken.told.length > 0)
  assert.equal(broken.source.hasDelivered(), false)
  await broken.source.stop()
})

test('a file is read again and again, until it is stopped', async () => {
  const world = new World({ path: await fileOf('again.jsonl', lineOf(0)), repeatMs: 1 })
  await world.until(() => world.taken.length >= 4)
  await world.source.stop()
  const { length } = world.taken
  await new Promise((resolve) => setTimeout(resolve, 20))
  assert.equal(world.taken.length, length)
})

test('made those of now, the newest time is less than a minute old, and the distances stay', async () => {
  const world = new World({ path: await fileOf('rebased.jsonl', lineOf(0), lineOf(3)), rebase: true })
  await world.until(() => world.plays === 1)
  const [first, last] = world.taken
  const ageMs = Date.now() - last!.observedAt
  assert.ok(ageMs >= 0 && ageMs < 61_000, `${ageMs} ms`)
  assert.equal(last!.observedAt - first!.observedAt, 120)
  assert.equal(first!.event.kickoffAt - first!.observedAt, 3_600_000)
  await world.source.stop()
})

test('played in its own time, each is observed when it is due; it has nothing to say beyond that', async () => {
  const startedAt = Date.now()
  const world = new World({
    path: await fileOf('played.jsonl', lineOf(0), lineOf(1), lineOf(4)),
    speed: 2,
    rebase: true,
  })
  assert.match((await world.source.refresh()) ?? '', /own time/)
  await world.until(() => world.plays === 1)
  assert.ok(Date.now() - startedAt >= 80, 'twice as fast as 160 ms')
  const [first, second, third] = world.taken.map(({ observedAt }) => observedAt)
  assert.deepEqual([second! - first!, third! - first!], [20, 80])
  await world.source.stop()
})

test('a file of which nothing can be read says nothing, and is not alive; an empty one is', async () => {
  const broken = new World({ path: await fileOf('broken.jsonl', '{nonsense', '{"more":') })
  await broken.until(() => broken.told.length > 0)
  assert.match(broken.told[0]!, /broken\.jsonl: nothing in it could be read \(.*1.*JSON/)
  assert.equal(broken.heard, 0)
  assert.match((await broken.source.refresh()) ?? '', /nothing in it could be read/)
  await broken.source.stop()
  const empty = new World({ path: await fileOf('empty.jsonl', '') })
  await empty.until(() => empty.plays === 1)
  assert.ok(empty.heard > 0)
  await empty.source.stop()
})

test('a file that cannot be read is said, is not alive, and is tried again', async () => {
  const path = join(folder, 'late.jsonl')
  const world = new World({ path, repeatMs: 5 })
  await world.until(() => world.told.length >= 2)
  assert.match(world.told[0]!, /late\.jsonl does not exist/)
  assert.equal(world.heard, 0)
  assert.match((await world.source.refresh()) ?? '', /does not exist/)
  await writeFile(path, lineOf(0))
  await world.until(() => world.taken.length > 0)
  await world.source.stop()
})

test('a stop in the midst of it ends what is read, played or waited for', async () => {
  const many = Array.from({ length: 2_000 }, (_, n) => lineOf(n))
  const path = await fileOf('many.jsonl', ...many)
  for (const speed of [null, 1]) {
    for (const rebase of [true, false]) {
      let open: (() => void) | undefined
      const gate = new Promise<void>((resolve) => (open = resolve))
      const world = new World({ path, speed, rebase, repeatMs: 1 }, gate)
      const stopped = world.source.stop()
      open!()
      await stopped
      const { length } = world.taken
      assert.ok(length < 2_000, `${length} were taken`)
      await new Promise((resolve) => setImmediate(resolve))
      assert.equal(world.taken.length, length)
    }
  }
})

test('two refreshes at once are not played into each other', async () => {
  const world = new World({ path: await fileOf('twice.jsonl', ...Array.from({ length: 50 }, (_, n) => lineOf(n))) })
  await Promise.all([world.source.refresh(), world.source.refresh()])
  await world.source.stop()
  const plays = Array.from({ length: 50 }, (_, n) => n + 2)
  assert.equal(world.taken.length % 50, 0)
  for (let from = 0; from < world.taken.length; from += 50) {
    assert.deepEqual(oddsOf(world.taken.slice(from, from + 50)), plays, 'in the order of the file')
  }
})

test('a file in American odds is refused by its name, and one that names no teams says so once', async () => {
  const american = new World({ path: join(ROOT, 'fixtures/the-odds-api/american.json'), format: 'the-odds-api' })
  await american.until(() => american.told.length > 0)
  assert.match(american.told[0]!, /american\.json holds American odds .* oddsFormat/)
  assert.deepEqual(american.taken, [])
  assert.equal(american.heard, 0)
  await american.source.stop()

  const unnamed = new World({ path: join(ROOT, 'fixtures/betfair/unnamed.jsonl'), format: 'betfair', repeatMs: 1 })
  await unnamed.until(() => Number(unnamed.plays) >= 3)
  await unnamed.source.stop()
  assert.equal(unnamed.told.length, 1)
  assert.match(unnamed.told[0]!, /unnamed\.jsonl does not name 2 events \(501, 502\).*fixtures of a file/)
})
