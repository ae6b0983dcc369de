// The recordings as of now: each payload in its source's own shape with its times moved, so that local servers can give it
// out today; and beside it the quotes that it must lead to, told by code that shares none with the normalisers.

import { type SeasonReplay, FOOTBALL_DATA_NAMES, footballData } from './replay-football-data.ts'
import { type KambiPage, type KambiReplay, KAMBI_NAMES, kambi } from './replay-kambi.ts'
import { FILES, MINUTE_MS, SEASONS, columnsOf, linesOf, pathOf, read, seasonPath } from './payloads.ts'
import { type PinnacleReplay, pinnacle } from './replay-pinnacle.ts'
import { type TheOddsApiReplay, theOddsApi } from './replay-the-odds-api.ts'
import { type TxLineReplay, txline } from './replay-txline.ts'

export interface Slugs {
  readonly kambi: string
  readonly pinnacle: string
  readonly txline: string
}

export interface Replays {
  readonly theOddsApi: TheOddsApiReplay
  readonly footballData: readonly SeasonReplay[]
  readonly kambi: KambiReplay
  readonly pinnacle: PinnacleReplay
  readonly txline: TxLineReplay
}

/** The football matches that football-data or Kambi name as well, in the words of The Odds API. */
const namedTwice = (): Set<string> => {
  const names = new Set<string>()
  for (const season of SEASONS) {
    const [header, ...lines] = linesOf(read(seasonPath(season)))
    const columns = columnsOf(header!)
    const sides = ['HomeTeam', 'AwayTeam'].map((name) => columns.indexOf(name))
    for (const line of lines) {
      const cells = columnsOf(line)
      names.add(sides.map((side) => FOOTBALL_DATA_NAMES[cells[side]!] ?? cells[side]!).join(' v '))
    }
  }
  const { events } = JSON.parse(read(pathOf(FILES.kambiPage))) as KambiPage
  for (const { homeName, awayName } of events) {
    names.add([homeName, awayName].map((name) => KAMBI_NAMES[name] ?? name).join(' v '))
  }
  return names
}

/** How long ago what several sources name kicked off: prices of football-data are seen at kickoff, and none may be ahead. */
const KICKED_OFF_MS = 45 * MINUTE_MS

export const replaysAsOf = (nowAt: number, slugs: Slugs): Replays => {
  const twice = namedTwice()
  const kickoffAt = Math.floor((nowAt - KICKED_OFF_MS) / MINUTE_MS) * MINUTE_MS
  const kickoffOf = (home: string, away: string) => (twice.has(`${home} v ${away}`) ? kickoffAt : undefined)
  const theOdds = theOddsApi(nowAt, kickoffOf)
  const played = new Set(theOdds.matches.map(({ home, away }) => `${home} v ${away}`))
  const isPlayed = (home: string, away: string): boolean => played.has(`${home} v ${away}`)
  return {
    theOddsApi: theOdds,
    footballData: footballData(kickoffAt, isPlayed),
    kambi: kambi(nowAt, slugs.kambi, (home, away) => (isPlayed(home, away) ? kickoffOf(home, away) : undefined)),
    pinnacle: pinnacle(nowAt, slugs.pinnacle),
    txline: txline(nowAt, slugs.txline),
  }
}
