// The recorded page and event of Kambi as of now.

import { FILES, HOUR_MS, MINUTE_MS, pathOf, read, timeText, type Expected } from './payloads.ts'

/** Its spellings of clubs that The Odds API names otherwise; written by hand from both files. */
export const KAMBI_NAMES: Readonly<Record<string, string>> = {
  'Paris SG': 'Paris Saint Germain',
  Birmingham: 'Birmingham City',
  '1. FC Union Berlin': 'Union Berlin',
}

export interface KambiPage {
  readonly betOffers: readonly {
    readonly eventId: number
    readonly closed?: string
    readonly criterion: { readonly id: number }
    readonly suspended?: boolean
    readonly outcomes: readonly { readonly type: string; readonly odds?: number; readonly status: string }[]
  }[]
  readonly events: readonly {
    readonly id: number
    readonly start: string
    readonly homeName: string
    readonly awayName: string
  }[]
}

export interface KambiReplay {
  readonly page: string
  /** The pages after the first: the recording has one of two. */
  readonly emptyPage: string
  readonly list: string
  readonly event: string
  readonly eventId: string
  readonly expected: readonly Expected[]
}

const FULL_TIME = 1001159858
const FULL_TIME_OUTCOMES: Readonly<Record<string, string>> = { OT_ONE: 'home', OT_CROSS: 'draw', OT_TWO: 'away' }

export const kambi = (
  nowAt: number,
  bookmaker: string,
  kickoffOf: (home: string, away: string) => number | undefined,
): KambiReplay => {
  const page = JSON.parse(read(pathOf(FILES.kambiPage))) as KambiPage
  const event = (JSON.parse(read(pathOf(FILES.kambiEvent))) as { readonly data: KambiPage }).data
  const expected: Expected[] = []
  const moved = (recorded: KambiPage): KambiPage => {
    const closes = recorded.betOffers.flatMap(({ closed }) => (closed === undefined ? [] : [Date.parse(closed)]))
    // The first bet ends in two hours.
    const shiftMs = Math.floor((nowAt - Math.min(...closes)) / MINUTE_MS) * MINUTE_MS + 2 * HOUR_MS
    const kickoffs = new Map<number, number>()
    const events = recorded.events.map((each) => {
      const names = [each.homeName, each.awayName].map((name) => KAMBI_NAMES[name] ?? name) as [string, string]
      const kickoffAt = kickoffOf(...names)
      if (kickoffAt !== undefined) kickoffs.set(each.id, kickoffAt)
      return { ...each, start: timeText(kickoffAt ?? Date.parse(each.start) + shiftMs) }
    })
    const betOffers = recorded.betOffers.map((offer) =>
      offer.closed === undefined
        ? offer
        : { ...offer, closed: timeText(Math.max(nowAt + HOUR_MS, Date.parse(offer.closed) + shiftMs)) },
    )
    return { ...recorded, events, betOffers }
  }
  const movedPage = moved(page)
  const movedEvent = moved(event)
  for (const { eventId, criterion, outcomes } of movedPage.betOffers) {
    if (criterion.id !== FULL_TIME) continue
    for (const { type, odds } of outcomes) {
      if (odds === undefined) continue
      const outcome = FULL_TIME_OUTCOMES[type]!
      const price = { type: 'match_result_1x2', line: null, outcome, odds: odds / 1_000, at: nowAt }
      expected.push({ key: `kambi:${eventId}`, bookmaker, ...price })
    }
  }
  const [one] = movedEvent.events
  return {
    page: JSON.stringify(movedPage),
    emptyPage: JSON.stringify({
      betOffers: [],
      events: [],
      prePacks: [],
      range: { start: 2000, size: 0, total: 3737 },
    }),
    list: JSON.stringify({ events: [{ event: one }] }),
    event: JSON.stringify(movedEvent),
    eventId: String(one!.id),
    expected,
  }
}
