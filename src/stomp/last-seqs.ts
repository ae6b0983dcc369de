// The seq of the last message that a new flow would have carried, for `prev` of its first message. Kept by (sport,
// bookmaker) and by event, so that it is found without a scan of the ring.

import { bookmakersOf, hasBookmaker } from '../domain/audience.ts'
import { MARKET_TYPES } from '../domain/market.ts'
import { SPORTS } from '../domain/sport.ts'
import { TRANSPORT_NUMBER } from '../domain/transport.ts'
import type { ImageReader, ImageWriter } from '../domain/image.ts'
import type { Flow } from './flow.ts'
import type { GroupChains } from './group-chains.ts'
import { ALL_TYPES, isTransition, type MarketTypes } from './message.ts'
import type { Renderer } from './renderer.ts'
import type { ReplayRing } from './replay-ring.ts'

// Of a bookmaker in a sport: the seq of the last change of each market type, then of any; the same for transitions.
const ANY_TYPE = MARKET_TYPES.length
const TRANSITIONS = ANY_TYPE + 1
const CELLS = 2 * TRANSITIONS

/** Groups examined for a flow that the tables do not cover: one of an event, of leagues, of notices. */
const LOOK_BACK_MAX = 256

export class LastSeqs {
  private readonly ring: ReplayRing
  private floorSeq: number
  // By sport and bookmaker. Bounded by sports × bookmakers.
  private readonly bookmakers: (Float64Array | undefined)[][] = SPORTS.map(() => [])
  private readonly chains: GroupChains

  constructor(ring: ReplayRing, chains: GroupChains) {
    this.ring = ring
    this.chains = chains
    this.floorSeq = ring.lastSeq
  }

  /** Called with each group that was appended to the ring. */
  note(group: number): void {
    const { ring } = this
    if (ring.noticeOf(group) !== undefined) return
    const view = ring.viewOf(group)
    const bySport = this.bookmakers[view.sportNumber]!
    const bookmaker = ring.bookmakerOf(group)
    const cells = (bySport[bookmaker] ??= new Float64Array(CELLS))
    const first = ring.firstChangeOf(group)
    const end = ring.endOf(group)
    let seq = ring.firstSeqOf(group)
    for (let at = first; at < end; at++, seq++) {
      const type = ring.typeAt(at)
      cells[type] = seq
      if (!isTransition(ring.changeAt(at))) continue
      cells[TRANSITIONS + type] = seq
      cells[TRANSITIONS + ANY_TYPE] = seq
    }
    cells[ANY_TYPE] = seq - 1
  }

  /** Saves what the ring may no longer hold; the rest follows from its groups. */
  save(image: ImageWriter): void {
    const keys: number[] = []
    const rows: Float64Array[] = []
    for (const [sport, bySport] of this.bookmakers.entries()) {
      for (const [bookmaker, cells] of bySport.entries()) {
        if (cells === undefined) continue
        keys.push(sport, bookmaker)
        rows.push(cells)
      }
    }
    const all = new Float64Array(rows.length * CELLS)
    for (const [place, cells] of rows.entries()) all.set(cells, place * CELLS)
    image.value('lastSeqs.floor', this.floorSeq)
    image.column('lastSeqs.keys', Uint32Array.from(keys))
    image.column('lastSeqs.cells', all)
  }

  load(image: ImageReader): void {
    this.floorSeq = image.value('lastSeqs.floor') as number
    const keys = new Uint32Array(image.lengthOf('lastSeqs.keys'))
    image.column('lastSeqs.keys', keys)
    const all = new Float64Array(image.lengthOf('lastSeqs.cells'))
    image.column('lastSeqs.cells', all)
    for (const bySport of this.bookmakers) bySport.length = 0
    for (let n = 0; n < keys.length; n += 2) {
      const from = (n / 2) * CELLS
      this.bookmakers[keys[n]!]![keys[n + 1]!] = all.slice(from, from + CELLS)
    }
  }

  /**
   * Sets `lastSeq` of a new flow: the seq of the last message that it would have carried. Where bounded work does not
   * find it, `lastSeq` is a higher one, and `isLastSeqExact` is false: a client may then see a gap that is none, but
   * never miss one.
   */
  setFor(flow: Flow, renderer: Renderer): void {
    const { topic, eventId, leagues } = flow.filter
    flow.isLastSeqExact = true
    if (topic !== 'odds' && topic !== 'status') {
      flow.lastSeq = this.lookBackFrom(flow, renderer, this.chains.notices.last)
      return
    }
    flow.lastSeq = this.lastOfBookmakers(flow)
    // Of the changes that `status` carries with numbers there is no table: those of all are as many or more.
    if (topic === 'status' && flow.filter.isNumbered) flow.isLastSeqExact = false
    if (eventId === null && leagues === null) return
    const view = eventId === null ? undefined : renderer.engine.reader.eventOf(eventId)
    // A former id was the id of another event: its groups are in two chains.
    const isOwn = view !== undefined && view.event.id === eventId
    const seq = isOwn ? this.lookBackFrom(flow, renderer, this.chains.lastOf(view)) : this.lookBack(flow, renderer)
    flow.lastSeq = Math.min(flow.lastSeq, seq)
  }

  /** For all bookmakers and sports that a flow may carry, without its filters of event and league. */
  private lastOfBookmakers({ filter, audience }: Flow): number {
    const { topic, sportNumber, bookmaker, types, isNumbered } = filter
    const from = topic === 'status' && !isNumbered ? TRANSITIONS : 0
    let last = Math.max(this.floorSeq, this.ring.overrunSeq)
    for (let sport = 0; sport < SPORTS.length; sport++) {
      if (sportNumber !== null && sport !== sportNumber) continue
      const seen = bookmakersOf(audience, TRANSPORT_NUMBER.live, sport)
      const bySport = this.bookmakers[sport]!
      const end = bookmaker === null ? bySport.length : Math.min(bySport.length, bookmaker + 1)
      for (let number = bookmaker ?? 0; number < end; number++) {
        const cells = bySport[number]
        if (cells !== undefined && hasBookmaker(seen, number)) last = Math.max(last, lastOf(cells, from, types))
      }
    }
    return last
  }

  /** Searches a chain of groups. */
  private lookBackFrom(flow: Flow, renderer: Renderer, last: number): number {
    const { ring } = this
    let group = last
    for (let visits = 0; group >= ring.groupsStart; visits++) {
      if (visits === LOOK_BACK_MAX) {
        flow.isLastSeqExact = false
        return ring.lastSeqOf(group)
      }
      if (renderer.pickGroup(flow, group)) return renderer.selection.lastSeq
      group = this.chains.beforeOf(group)
    }
    return ring.floorSeq
  }

  /** Searches the last groups of the ring. */
  private lookBack(flow: Flow, renderer: Renderer): number {
    const { ring } = this
    const end = Math.max(ring.groupsStart, ring.groupsEnd - LOOK_BACK_MAX)
    for (let group = ring.groupsEnd - 1; group >= end; group--) {
      if (renderer.pickGroup(flow, group)) return renderer.selection.lastSeq
    }
    if (end === ring.groupsStart) return ring.floorSeq
    flow.isLastSeqExact = false
    return ring.firstSeqOf(end) - 1
  }
}

const lastOf = (cells: Float64Array, from: number, types: MarketTypes): number => {
  if (types === ALL_TYPES) return cells[from + ANY_TYPE]!
  let last = 0
  for (let type = 0; type < ANY_TYPE; type++) {
    if ((types & (1 << type)) !== 0) last = Math.max(last, cells[from + type]!)
  }
  return last
}
