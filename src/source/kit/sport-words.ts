// From a source's word for a sport to ours (docs/feeds.md 3). A word that is not listed has no sport here.

import type { Sport } from '../../domain/sport.ts'

interface SourceWords {
  /** The Odds API: the part of `sport_key` before the first `_`. */
  readonly theOddsApi?: readonly string[]
  /** Kambi: `path[0].termKey`. */
  readonly kambi: readonly string[]
  /** Pinnacle: `league.sport.id`. */
  readonly pinnacle: readonly number[]
  /** Betfair: `marketDefinition.eventTypeId`. */
  readonly betfair?: readonly string[]
  /** UOF: the number of `sr:sport:N`. */
  readonly uof: readonly number[]
}

const WORDS: Readonly<Record<Sport, SourceWords>> = {
  football: { theOddsApi: ['soccer'], kambi: ['football'], pinnacle: [29], betfair: ['1'], uof: [1] },
  tennis: { theOddsApi: ['tennis'], kambi: ['tennis'], pinnacle: [33], betfair: ['2'], uof: [5] },
  basketball: { theOddsApi: ['basketball'], kambi: ['basketball'], pinnacle: [4], betfair: ['7522'], uof: [2] },
  ice_hockey: { theOddsApi: ['icehockey'], kambi: ['ice_hockey'], pinnacle: [19], betfair: ['7524'], uof: [4] },
  handball: { theOddsApi: ['handball'], kambi: ['handball'], pinnacle: [18], betfair: ['468328'], uof: [6] },
  baseball: { theOddsApi: ['baseball'], kambi: ['baseball'], pinnacle: [3], betfair: ['7511'], uof: [3] },
  darts: { theOddsApi: ['darts'], kambi: ['darts'], pinnacle: [10], betfair: ['3503'], uof: [22] },
  australian_rules: {
    theOddsApi: ['aussierules'],
    kambi: ['australian_rules'],
    pinnacle: [39],
    betfair: ['61420'],
    uof: [13],
  },
  rugby: {
    theOddsApi: ['rugbyleague', 'rugbyunion'],
    kambi: ['rugby_union', 'rugby_league'],
    pinnacle: [26, 27],
    betfair: ['5', '1477'],
    uof: [12, 59],
  },
  cricket: { theOddsApi: ['cricket'], kambi: ['cricket'], pinnacle: [8], betfair: ['4'], uof: [21] },
  combat_sport: {
    theOddsApi: ['boxing', 'mma'],
    kambi: ['boxing', 'ufc_mma', 'martial_arts'],
    pinnacle: [6, 22],
    betfair: ['6', '26420387'],
    uof: [10, 117],
  },
  volleyball: { theOddsApi: ['volleyball'], kambi: ['volleyball'], pinnacle: [34], betfair: ['998917'], uof: [23] },
  american_football: {
    theOddsApi: ['americanfootball'],
    kambi: ['american_football'],
    pinnacle: [15],
    betfair: ['6423'],
    uof: [16],
  },
  golf: { theOddsApi: ['golf'], kambi: ['golf'], pinnacle: [17], betfair: ['3'], uof: [9] },
  motorsport: {
    kambi: ['motorsports', 'formula_1', 'nascar'],
    pinnacle: [44, 63],
    betfair: ['8'],
    uof: [11, 40, 70],
  },
  cycling: { kambi: ['cycling'], pinnacle: [45], betfair: ['11'], uof: [17] },
  table_tennis: { theOddsApi: ['tabletennis'], kambi: ['table_tennis'], pinnacle: [32], uof: [20] },
  snooker: { theOddsApi: ['snooker'], kambi: ['snooker'], pinnacle: [28], betfair: ['6422'], uof: [19] },
  badminton: { kambi: ['badminton'], pinnacle: [1], uof: [31] },
  esports: {
    kambi: ['esports'],
    pinnacle: [12],
    betfair: ['27454571'],
    uof: [107, 109, 110, 111, 112, 113, 114, 115, 118, 119, 120, 121, 122, 123, 124, 125, 127, 128, 132, 133, 134],
  },
  waterpolo: { kambi: ['water_polo'], pinnacle: [36], uof: [26] },
  winter_sport: {
    kambi: ['winter_sports', 'alpine_skiing', 'biathlon', 'cross_country', 'ski_jumping'],
    pinnacle: [40, 41, 42, 43],
    betfair: ['451485'],
    uof: [14, 43, 44, 46, 48],
  },
}

const tableOf = <Word>(wordsOf: (words: SourceWords) => readonly Word[] | undefined): ReadonlyMap<Word, Sport> =>
  new Map(
    (Object.entries(WORDS) as [Sport, SourceWords][]).flatMap(([sport, words]) =>
      (wordsOf(words) ?? []).map((word): [Word, Sport] => [word, sport]),
    ),
  )

const THE_ODDS_API = tableOf(({ theOddsApi }) => theOddsApi)
const KAMBI = tableOf(({ kambi }) => kambi)
const PINNACLE = tableOf(({ pinnacle }) => pinnacle)
const BETFAIR = tableOf(({ betfair }) => betfair)
const UOF = tableOf(({ uof }) => uof.map((number) => `sr:sport:${number}`))

/** Sport of The Odds API's name for it: the part of `sport_key` before the first `_` (`soccer`). */
export const sportOfTheOddsApi = (prefix: string): Sport | undefined => THE_ODDS_API.get(prefix)

/** Sport of Kambi's `path[0].termKey` (`ice_hockey`). */
export const sportOfKambi = (termKey: string): Sport | undefined => KAMBI.get(termKey)

/** Sport of Pinnacle's `league.sport.id` (29). */
export const sportOfPinnacle = (id: number): Sport | undefined => PINNACLE.get(id)

/** Sport of Betfair's `eventTypeId` (`7522`). */
export const sportOfBetfair = (id: string): Sport | undefined => BETFAIR.get(id)

/** Sport of UOF's id for it, whole (`sr:sport:1`). */
export const sportOfUof = (id: string): Sport | undefined => UOF.get(id)
