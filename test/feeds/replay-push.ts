// What comes by itself: the recorded day of the exchange and the messages with odds of the Unified Odds Feed, as of now.

import { FILES, MINUTE_MS, linesOf, pathOf, read, timeText } from './payloads.ts'

export interface RecordedChange {
  readonly pt: number
  readonly mc: readonly {
    readonly id: string
    readonly img?: boolean
    readonly marketDefinition?: Readonly<Record<string, unknown>>
    readonly rc?: readonly { readonly id: number; readonly atb?: readonly (readonly [number, number])[] }[]
  }[]
}

/** The recorded day of the exchange, its last message a minute ago. */
export const betfairChanges = (nowAt: number): RecordedChange[] => {
  const recorded = linesOf(read(pathOf(FILES.betfair))).map((line) => JSON.parse(line) as RecordedChange)
  const shiftMs = nowAt - MINUTE_MS - recorded.at(-1)!.pt
  const moved = (definition: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => ({
    ...definition,
    ...Object.fromEntries(
      ['marketTime', 'suspendTime', 'openDate'].map((name) => [
        name,
        timeText(Date.parse(String(definition[name])) + shiftMs),
      ]),
    ),
  })
  return recorded.map(({ pt, mc, ...change }) => ({
    ...change,
    pt: pt + shiftMs,
    mc: mc.map(({ marketDefinition, ...rest }) =>
      marketDefinition === undefined ? rest : { ...rest, marketDefinition: moved(marketDefinition) },
    ),
  }))
}

export const UOF_EVENTS = { before: 'sr:match:31604309', live: 'sr:match:10927088' } as const

/** The two messages with odds, as sent at a time: before the match by product 3, in play by product 4. */
export const uofMessages = (at: number): string[] =>
  [FILES.uofBefore, FILES.uofLive].map((file) =>
    read(pathOf(file)).replace(/(<odds_change [^>]*timestamp=")\d+"/, `$1${at}"`),
  )
