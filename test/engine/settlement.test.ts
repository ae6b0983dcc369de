// Events that are matched, merged, swapped, split and taken back again, with sources that fall silent, against a twin that
// knows only what each source key last said; and the log of changes against what the reader shows.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Alias, EventDecision, EventMatcher, Match, Spellings } from '../../src/domain/event-identity.ts'
import type { ImageReader, ImageWriter } from '../../src/domain/image.ts'
import type { MarketType } from '../../src/domain/market.ts'
import type { EventSighting, Observation, Others, Price } from '../../src/domain/observation.ts'
import type { QuoteStatus } from '../../src/domain/quote.ts'
import type { FedTransport } from '../../src/domain/transport.ts'
import { FedEngine } from '../fed-engine.ts'
import { assertSame, isShown, LogPicture, quoteKey, saidOnly, type Shown, shownBy, textsOf } from '../naive-engine.ts'
import { Random, SEED } from '../random.ts'
import { WORLD_START } from '../random-observations.ts'
import { checkCatalogue, checkInvariants } from '../board/invariants.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const RUNS = 12
const STEPS = 250

/** Same initials of both sides within an hour: the same event, if it is the only one. */
class InitialsMatcher implements EventMatcher {
  private readonly known = new Map<number, Map<string, EventSighting>>()
  private aliases: readonly Alias[] = []

  add(event: number, key: string, sighting: EventSighting): void {
    this.known.set(event, (this.known.get(event) ?? new Map<string, EventSighting>()).set(key, sighting))
  }

  remove(event: number, key: string): void {
    this.known.get(event)?.delete(key)
    if (this.known.get(event)?.size === 0) this.known.delete(event)
  }

  match(sighting: EventSighting, isExcluded: (event: number) => boolean): Match | undefined {
    const sides = this.sidesOf(sighting)
    const events = [...this.known]
      .filter(([, spellings]) =>
        [...spellings.values()].some(
          (other) =>
            other.sport === sighting.sport &&
            this.sidesOf(other) === sides &&
            Math.abs(other.kickoffAt - sighting.kickoffAt) <= HOUR_MS,
        ),
      )
      .map(([event]) => event)
      .filter((event) => !isExcluded(event))
    if (events.length === 0) return undefined
    return events.length === 1 ? { kind: 'same', event: events[0]!, level: 'A' } : { kind: 'ambiguous', events }
  }

  save(image: ImageWriter, numberOf: (key: string) => number): void {
    const known = Array.from(this.known, ([event, spellings]) => [event, Array.from(spellings.keys(), numberOf)])
    image.value('initials', { known, aliases: this.aliases })
  }

  load(image: ImageReader, spellings: Spellings): void {
    const { known, aliases } = image.value('initials') as { known: [number, number[]][]; aliases: readonly Alias[] }
    this.aliases = aliases
    for (const [event, numbers] of known) {
      for (const number of numbers) this.add(event, spellings.keyAt(number), spellings.takeSighting(number))
    }
  }

  areOtherTeams(): boolean {
    return false
  }
  setAliases(aliases: readonly Alias[]): readonly number[] {
    const before = this.picture()
    this.aliases = aliases
    const after = this.picture()
    return [...this.known.keys()].filter((event) => before.get(event) !== after.get(event))
  }

  private picture(): Map<number, string> {
    return new Map(
      Array.from(this.known, ([event, each]) => [event, Array.from(each.values(), (s) => this.sidesOf(s)).join()]),
    )
  }

  private sidesOf({ home, away }: EventSighting): string {
    return [home, away]
      .map((name) => this.aliases.findLast((alias) => alias.name === name)?.means ?? name)
      .map((name) => name.replace(/(\w)\w*\s*/g, '$1'))
      .join(':')
  }
}

const newEngine = (quotesMax: number, wheelVisitsMax: number, walkVisitsMax: number): FedEngine =>
  new FedEngine(
    {
      quotesMax,
      walkVisitsMax,
      skewMsMax: 5_000,
      bookmakersMax: 100,
      wheelVisitsMax,
      feedLateMs: 10_000,
      feedDownMs: 60_000,
      matcher: new InitialsMatcher(),
    },
    WORLD_START,
  )

// --- the twin: what each key last said, in its own words

interface Said {
  readonly price: Price
  odds: number
  status: QuoteStatus
  observedAt: number
  producer: number
  isSuspect: boolean
}

class Twin {
  /** By key, then bookmaker and transport, then quote. */
  readonly said = new Map<string, Map<string, Map<string, Said>>>()
  /** What was last said of all quotes of a book that were not named. It is forgotten with the last quote, or the event. */
  private readonly ended = new Map<Map<string, Said>, { readonly status: QuoteStatus; readonly observedAt: number }>()

  age(nowAt: number): void {
    for (const quotes of this.booksOf('')) {
      const old = [...quotes].filter(([, { observedAt }]) => observedAt + DAY_MS <= nowAt)
      for (const [key] of old) quotes.delete(key)
      if (old.length > 0 && quotes.size === 0) this.ended.delete(quotes)
    }
  }

  /** @param isKnown whether the board has an event of a key */
  forget(isKnown: (key: string) => boolean): void {
    for (const [key, books] of this.said) {
      if (!isKnown(key)) for (const quotes of books.values()) this.ended.delete(quotes)
    }
  }

  observe({ event, bookmaker, transport, observedAt, prices, others }: Observation, producer: number): void {
    for (const channel of transport === 'both' ? [0, 1] : [transport === 'live' ? 1 : 0]) {
      const books = this.said.get(event.sourceKey!) ?? new Map<string, Map<string, Said>>()
      this.said.set(event.sourceKey!, books)
      const quotes = books.get(`${bookmaker} ${channel}`) ?? new Map<string, Said>()
      books.set(`${bookmaker} ${channel}`, quotes)
      const named = new Set<Said>()
      const ended = this.ended.get(quotes)
      const late = ended !== undefined && observedAt < ended.observedAt ? ended : undefined
      for (const price of prices) {
        const key = quoteKey(price.type, price.line, price.outcome)
        const known = quotes.get(key)
        if (known === undefined) {
          if (price.status === 'closed' || price.odds === null) continue
          if (late?.status === 'closed') continue
          const of = { producer, isSuspect: false }
          const added = { price, odds: price.odds, status: price.status, observedAt, ...of, ...late }
          quotes.set(key, added)
          named.add(added)
          continue
        }
        named.add(known)
        if (observedAt < known.observedAt) continue
        if (observedAt === known.observedAt && known.status === 'closed' && price.status !== 'closed') continue
        const end = known.status === 'closed' && price.status !== 'closed' ? late : undefined
        if (end?.status === 'closed') continue
        known.odds = price.odds ?? known.odds
        known.status = end?.status ?? price.status
        known.observedAt = end?.observedAt ?? observedAt
        Object.assign(known, { producer, isSuspect: false })
      }
      if (others === 'keep') continue
      for (const quote of quotes.values()) {
        if (named.has(quote) || quote.status === 'closed' || observedAt < quote.observedAt) continue
        quote.status = others
        quote.observedAt = observedAt
        quote.isSuspect = false
      }
      if (late === undefined) this.ended.set(quotes, { status: others, observedAt })
    }
  }

  /** What one that is down, or a producer, last said is suspect. */
  suspect(isMeant: (producer: number) => boolean): void {
    for (const quote of this.saidBy(isMeant)) quote.isSuspect = true
  }

  confirm(producer: number, at: number): void {
    for (const quote of this.saidBy((other) => other === producer)) {
      quote.isSuspect = false
      quote.observedAt = Math.max(quote.observedAt, at)
    }
  }

  end(producer: number, at: number): void {
    for (const quote of this.saidBy((other) => other === producer)) {
      quote.status = 'closed'
      quote.isSuspect = false
      quote.observedAt = Math.max(quote.observedAt, at)
    }
  }

  private saidBy(isMeant: (producer: number) => boolean): Said[] {
    const all = this.booksOf('').flatMap((quotes) => [...quotes.values()])
    return all.filter(({ producer, status }) => isMeant(producer) && status !== 'closed')
  }

  private booksOf(begin: string): Map<string, Said>[] {
    return [...this.said].flatMap(([key, books]) => (key.startsWith(begin) ? [...books.values()] : []))
  }

  /** What an event shows: what its keys said, the other way round where the key is swapped. */
  shown(eventId: string, sightings: readonly { readonly key: string; readonly swapped: boolean }[]): string[] {
    const shown: [string, Shown][] = []
    for (const { key: sourceKey, swapped } of sightings) {
      for (const [book, quotes] of this.said.get(sourceKey) ?? []) {
        for (const { price, odds, status: said, observedAt, isSuspect } of quotes.values()) {
          const status = said === 'open' && isSuspect ? 'suspended' : said
          const key = `${eventId} ${book} ${swapped ? swappedKey(price) : quoteKey(price.type, price.line, price.outcome)}`
          const quote = { odds, status, observedAt }
          if (status !== 'closed' && isShown(key, quote)) shown.push([key, quote])
        }
      }
    }
    return textsOf(shown)
  }
}

const TURNED: Readonly<Record<string, string>> = {
  home: 'away',
  away: 'home',
  '2-1': '1-2',
  '1-2': '2-1',
  home_or_draw: 'draw_or_away',
}

const swappedKey = ({ type, line, outcome }: Price): string =>
  quoteKey(type, type === 'spread' ? -line! : line, TURNED[outcome] ?? outcome)

/** Whether all of it can be so at once. */
const isConsistent = (decisions: readonly EventDecision[]): boolean => {
  const groups = new Map<string, Map<string, boolean>>()
  const groupOf = (key: string): Map<string, boolean> => {
    const group = groups.get(key) ?? new Map([[key, false]])
    groups.set(key, group)
    return group
  }
  let isSo = true
  for (const decision of decisions) {
    if (decision.kind !== 'merge') continue
    const [a, b] = decision.keys
    const [one, two] = [groupOf(a), groupOf(b)]
    const isSwapped = (one.get(a) !== two.get(b)) !== decision.swapped
    if (one === two) isSo &&= !isSwapped
    else {
      for (const [key, swapped] of two) {
        one.set(key, swapped !== isSwapped)
        groups.set(key, one)
      }
    }
  }
  return (
    isSo &&
    decisions.every(
      ({ kind, ...rest }) => kind !== 'split' || !('keys' in rest) || groupOf(rest.keys[0]) !== groupOf(rest.keys[1]),
    )
  )
}

// --- the world

const MARKETS: readonly (readonly [MarketType, readonly (number | null)[], readonly string[]])[] = [
  ['match_result_1x2', [null], ['home', 'draw', 'away']],
  ['spread', [-1.5, 0, 0.5], ['home', 'away']],
  ['total_goals', [2.5], ['over', 'under']],
  ['correct_score', [null], ['2-1', '1-2', 'other']],
]

const TERMS = [
  { lateMs: 2_000, downMs: 5_000, suspendMs: 0 },
  { lateMs: 5_000, downMs: 20_000, suspendMs: 10_000 },
  { lateMs: 60_000, downMs: 120_000, suspendMs: null },
  { lateMs: 10_000, downMs: 10_000, suspendMs: 0 },
]

interface Silence {
  readonly number: number
  heardAt: number | undefined
  readonly startedAt: number
  downSince: number | undefined
  isSuspended: boolean
  /** The first observation since it went down, or was suspended. */
  saidAt: number | undefined
}

/**
 * A random life of a board.
 * @param isShared whether all sources feed the same bookmakers; then only the log is compared
 * @returns merges that were told, and how often what a producer said of all its quotes was not done at once
 */
const live = (random: Random, quotesMax: number, steps: number, isShared: boolean, place: string): [number, number] => {
  // So few that what a producer says of its quotes is overtaken by what it says of some of them, by merges and by its next
  // word. Nothing is compared before all of it is done.
  const engine = newEngine(quotesMax, isShared ? 64 : 4_096, random.pick([3, 20, 4_096]))
  let sharesBooks = isShared
  const twin = new Twin()
  let at = place
  const log = new LogPicture(engine, () => at)
  let nowAt = WORLD_START
  let walks = 0
  const partsOf = new Map<number, readonly number[]>()
  const silences: Silence[] = TERMS.map((terms, n) => ({
    number: engine.addSource({ name: `s${n}`, ...terms, behindMsMax: Number.POSITIVE_INFINITY }, nowAt),
    heardAt: undefined,
    startedAt: nowAt,
    downSince: undefined,
    isSuspended: false,
    saidAt: undefined,
  }))
  for (const { number } of silences) {
    partsOf.set(number, [number, ...['a', 'b'].map((name) => engine.addProducer(number, name))])
  }
  // What each source calls a match: the truth is whether it names home and away the other way round.
  const spelled = new Map<string, { sighting: EventSighting; readonly truth: boolean; readonly match: number }>()
  const respell = (source: number, match: number, truth: boolean): EventSighting => {
    const letter = (place: number): string => String.fromCharCode(65 + 2 * match + place)
    const name = (place: number): string =>
      random.chance(0.1)
        ? `Zeta${source}${match}${place}`
        : `${letter(place)}lpha ${random.pick(['United', 'Utd', 'Union'])}`
    const [home, away] = [name(0), name(1)]
    return {
      sport: match % 4 === 0 ? 'tennis' : 'football',
      leagueKey: random.pick(['l', 'l', 'm']),
      leagueName: 'L',
      home: truth ? away : home,
      away: truth ? home : away,
      kickoffAt: WORLD_START + match * 5 * HOUR_MS + random.pick([0, 0, 1, 4]) * (HOUR_MS / 2),
      sourceKey: `s${source}:${match}`,
    }
  }
  for (let source = 0; source < TERMS.length; source++) {
    for (let match = 0; match < 8; match++) {
      const truth = random.chance(0.2)
      spelled.set(`s${source}:${match}`, { sighting: respell(source, match, truth), truth, match })
    }
  }
  const keys = [...spelled.keys()]
  let made: EventDecision[][] = []

  const observation = (key: string): Observation => {
    const known = spelled.get(key)!
    if (random.chance(0.04)) known.sighting = respell(Number(key[1]), known.match, known.truth)
    const isLate = random.chance(0.15)
    const price = (): Price => {
      const [type, lines, outcomes] = random.pick(MARKETS)
      const status = random.chance(0.85) ? 'open' : random.pick<QuoteStatus>(['suspended', 'closed'])
      const odds = status !== 'open' && random.chance(0.4) ? null : 1 + random.int(1, 300) / 100
      return { type, line: random.pick(lines), outcome: random.pick(outcomes), odds, status }
    }
    return {
      bookmaker: `book_${isShared ? random.int(0, 2) : `${key[1]}_${random.int(0, 1)}`}`,
      transport: random.pick<FedTransport>(['rest', 'live', 'both']),
      observedAt: nowAt - (isLate ? random.int(0, 90_000) : 0),
      event: known.sighting,
      prices: Array.from({ length: random.int(0, 4) }, price),
      others: random.chance(0.9) ? 'keep' : random.pick<Others>(['suspended', 'closed']),
    }
  }

  const observeSomething = (key = random.pick(keys)): void => {
    const observed = observation(key)
    const silence = silences[Number(key[1])]!
    const producer = random.pick(partsOf.get(silence.number)!)
    engine.observe(observed, nowAt, producer)
    twin.observe(observed, producer)
    twin.forget(isKnown)
    silence.saidAt ??= nowAt
  }

  const sayOfAll = (producer: number): void => {
    const saidAt = nowAt - random.int(0, 5_000)
    const said = random.pick(['suspect', 'suspect', 'suspect', 'confirm', 'confirm', 'end'] as const)
    if (said === 'suspect') {
      engine.suspect(producer, nowAt, 'gap')
      twin.suspect((other) => other === producer)
    } else {
      engine[said](producer, saidAt, nowAt)
      twin[said](producer, saidAt)
    }
    if (engine.isWalkingOn(producer)) walks++
  }

  const isKnown = (key: string): boolean => engine.sightings.knownEvent(key) !== undefined

  /** The latest decision of each pair, oldest first, as they are kept. */
  const holding = (): EventDecision[] => {
    const latest = new Map<string, EventDecision>()
    for (const decision of made.flat()) {
      const topic = decision.kind === 'alias' ? `alias ${decision.name}` : decision.keys.toSorted().join(' ')
      latest.delete(topic)
      latest.set(topic, decision)
    }
    return [...latest.values()]
  }

  const settle = (): void => {
    const left = engine.decide(holding(), nowAt)
    twin.forget(isKnown)
    if (left > 0) {
      assert(isShared, `${at}: there is room for all merges`)
      return
    }
    checkDecisions()
    const { seq } = engine
    engine.decide(holding(), nowAt)
    assert.equal(engine.seq, seq, `${at}: what is settled again changes nothing`)
  }

  const checkDecisions = (): void => {
    const isAllSo = isConsistent(holding())
    for (const decision of holding()) {
      if (decision.kind === 'alias') continue
      const [a, b] = decision.keys.map((key) => engine.sightings.find(key))
      if (a === undefined || b === undefined) continue
      const isOne = a.record === b.record
      const text = `${at}: ${decision.kind} of ${decision.keys.join(' and ')}`
      if (decision.kind === 'split') assert(!isOne, text)
      else if (isAllSo)
        assert(
          isOne && (a.swapped !== b.swapped) === decision.swapped,
          `${text}, swapped ${decision.swapped}, one ${isOne}`,
        )
    }
  }

  const decideSomething = (): void => {
    const pick = () => engine.sightings.knownEvent(random.pick(keys))
    const [one, two] = [pick(), pick()]
    if (made.length > 0 && random.chance(0.3)) made = made.filter((_, n) => n !== anyOf(made.length))
    else if (random.chance(0.1)) {
      const { sighting, match } = spelled.get(random.pick(keys))!
      const means = `${String.fromCharCode(65 + 2 * match)}lpha United`
      made.push([{ kind: 'alias', sport: null, name: sighting.home, means }])
    } else if (one === undefined || two === undefined) return
    else if (one.event.id === two.event.id) {
      const going = random.pick(one.sightings).key
      const staying = one.sightings.filter(({ key }) => key !== going)
      if (staying.length === 0) return
      made.push(staying.map(({ key }): EventDecision => ({ kind: 'split', keys: [key, going] })))
    } else {
      if (one.event.sport !== two.event.sport) return
      const sources = new Set(one.sightings.map(({ key }) => key.slice(0, 2)))
      if (!isShared && two.sightings.some(({ key }) => sources.has(key.slice(0, 2)))) return
      const pairs = one.sightings.flatMap((a) => two.sightings.map((b) => [a, b] as const))
      const truth = pairs.find(([a, b]) => spelled.get(a.key)!.match === spelled.get(b.key)!.match)
      const truthOf = (key: string): boolean => spelled.get(key)!.truth
      const isSwapped =
        truth === undefined
          ? random.chance(0.5)
          : (truthOf(truth[0].key) !== truthOf(truth[1].key)) !== (truth[0].swapped !== truth[1].swapped)
      made.push(
        pairs.map(([a, b]) => ({
          kind: 'merge',
          keys: [a.key, b.key],
          swapped: (a.swapped !== b.swapped) !== isSwapped,
        })),
      )
    }
    settle()
  }
  const anyOf = (length: number): number => random.int(0, length - 1)

  for (let step = 0; step < steps; step++) {
    at = `${place}, step ${step}`
    nowAt += random.chance(0.97) ? random.int(300, 3_000) : random.int(300, 5 * HOUR_MS)
    const quiet = Math.floor(step / 40) % (TERMS.length + 1)
    while (!engine.turn(nowAt));
    twin.age(nowAt)
    twin.forget(isKnown)
    for (const [n, silence] of silences.entries()) {
      const { downMs, suspendMs } = TERMS[n]!
      const isDown = nowAt - (silence.heardAt ?? silence.startedAt) >= downMs
      if (!isDown) [silence.downSince, silence.isSuspended] = [undefined, false]
      else if (silence.downSince === undefined) [silence.downSince, silence.saidAt] = [nowAt, undefined]
      const dueMs = isDown && suspendMs !== null ? nowAt - silence.downSince! - suspendMs : -1
      // What it brings all the same stands for a second at most.
      const saidMs = silence.saidAt === undefined ? undefined : nowAt - silence.saidAt
      const isStanding = silence.isSuspended && (saidMs === undefined || saidMs < 1_000)
      if (dueMs >= 0 && !isStanding) {
        Object.assign(silence, { isSuspended: true, saidAt: undefined })
        twin.suspect((producer) => partsOf.get(silence.number)!.includes(producer))
      }
      const { suspendedAt } = engine.clock.sourceHealth(silence.number)
      assert.equal(suspendedAt !== null, silence.isSuspended, `${at}: s${n}`)
    }
    for (let left = random.chance(0.08) ? random.int(1, 5) : 0; left > 0; left--) {
      if (random.chance(0.2)) observeSomething()
      else sayOfAll(random.pick(partsOf.get(random.pick(silences).number)!))
    }
    if (random.chance(0.06)) decideSomething()
    else {
      const key = random.pick(keys)
      const source = Number(key[1])
      if (source !== quiet) {
        const silence = silences[source]!
        if (random.chance(0.9)) observeSomething(key)
        // A source may bring something and yet say nothing of how it is.
        if (random.chance(0.9)) {
          engine.hear(silence.number, nowAt)
          Object.assign(silence, { heardAt: nowAt, downSince: undefined, isSuspended: false })
        }
      }
    }
    while (!engine.turn(nowAt));
    checkCatalogue(engine.board)
    const shown = shownBy(engine, nowAt)
    assertSame(
      saidOnly([...log.quotes].filter(([key, quote]) => isShown(key, quote))),
      saidOnly([...shown]),
      `${at}: the log is what is shown`,
    )
    const expected: string[] = []
    engine.reader.visitEvents(undefined, undefined, Number.NEGATIVE_INFINITY, (view) => {
      const { event, sightings } = engine.sightings.knownEvent(view.event.id)!
      assert.deepEqual([...(log.books.get(event.id) ?? [])].sort(), engine.reader.liveBookmakers(view).sort(), at)
      // A chain of merges may bind two keys of one source: then they share its books, which the twin does not know.
      const sources = new Set(sightings.map(({ key }) => key.slice(0, 2)))
      if (sources.size < sightings.length) sharesBooks = true
      if (!sharesBooks) expected.push(...twin.shown(event.id, sightings))
      return true
    })
    if (!sharesBooks) assertSame(textsOf([...shown]), expected.sort(), at)
  }
  // A tenth of a second, for the empty buckets of the wheel.
  if (random.chance(0.25)) checkInvariants(engine)
  nowAt += 2 * DAY_MS
  while (!engine.turn(nowAt));
  assert.deepEqual([...engine.board.counts], [0, 0])
  assert.equal(log.quotes.size, 0)
  assert.equal(log.books.size, 0)
  checkCatalogue(engine.board)
  return [log.merges, walks]
}

test('an event shows what its source keys last said, whatever is decided about them, and the log says it all', () => {
  let [merges, walks] = [0, 0]
  for (let run = 0; run < RUNS; run++) {
    const [merged, walked] = live(new Random(SEED + run), 4_000, STEPS, false, `seed ${SEED}, run ${run}`)
    merges += merged
    walks += walked
  }
  assert(walks > RUNS, `seed ${SEED}: walks were overtaken`)
  assert(merges > RUNS / 2, `seed ${SEED}: events were merged`)
})

test('where sources share bookmakers on a board that is full at times, the log is still what is shown', () => {
  let [merges, walks] = [0, 0]
  for (let run = 0; run < RUNS; run++) {
    const [merged, walked] = live(
      new Random(SEED + run),
      run % 2 === 0 ? 60 : 400,
      STEPS,
      true,
      `seed ${SEED}, run ${run}, shared`,
    )
    merges += merged
    walks += walked
  }
  assert(walks > RUNS, `seed ${SEED}: walks were overtaken`)
  assert(merges > RUNS / 2, `seed ${SEED}: events were merged`)
})
