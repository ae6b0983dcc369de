// The invented sports world of the simulator: who plays whom, where and when. No country, team or player is a real one.

import type { EventSighting } from '../../domain/observation.ts'
import type { Sport } from '../../domain/sport.ts'
import { FightMatch } from './fights.ts'
import { FOOTBALL, GoalsMatch, ICE_HOCKEY } from './goals.ts'
import { type Match } from './match.ts'
import { BASEBALL, BASKETBALL, HANDBALL, PointsMatch } from './points.ts'
import { ESPORTS, SetsMatch, TENNIS } from './sets.ts'
import type { SeededRandom } from './random.ts'

interface League {
  readonly key: string
  readonly name: string
  /** Endings of the names of its places; the players of a league are from everywhere. */
  readonly endings: readonly string[]
}

interface SportPlan {
  readonly sport: Sport
  /** Events of this sport at a time. */
  readonly events: number
  /** Approximate length of a match. */
  readonly playMinutes: number
  readonly leagues: readonly League[]
  /** Second words of team names, after the place; null: single players; empty: a name of two words. */
  readonly teamNames: readonly string[] | null
  readonly newMatch: (random: SeededRandom) => Match
}

const VALMORA = ['holt', 'mere', 'stead', 'wold']
const KESTRIA = ['ovice', 'itz', 'ovar', 'enka']
const LIRENIA = ['ano', 'etta', 'ello', 'una']

const league = (key: string, name: string, endings: readonly string[]): League => ({ key, name, endings })

const SPORT_PLANS: readonly SportPlan[] = [
  {
    sport: 'football',
    events: 30,
    playMinutes: 110,
    leagues: [
      league('valmora_premier_division', 'Valmora Premier Division', VALMORA),
      league('kestria_first_league', 'Kestria First League', KESTRIA),
      league('lirenia_serie_uno', 'Lirenia Serie Uno', LIRENIA),
    ],
    teamNames: ['United', 'FC', 'Rovers', 'Athletic', 'City'],
    newMatch: (random) => new GoalsMatch(FOOTBALL, random),
  },
  {
    sport: 'tennis',
    events: 14,
    playMinutes: 100,
    leagues: [
      league('valmora_open', 'Valmora Open', []),
      league('kestria_masters', 'Kestria Masters', []),
      league('lirenia_challenger', 'Lirenia Challenger', []),
    ],
    teamNames: null,
    newMatch: (random) => new SetsMatch(TENNIS, random),
  },
  {
    sport: 'basketball',
    events: 14,
    playMinutes: 130,
    leagues: [
      league('valmora_basketball_league', 'Valmora Basketball League', VALMORA),
      league('lirenia_basket_a', 'Lirenia Basket A', LIRENIA),
    ],
    teamNames: ['Herons', 'Millers', 'Lanterns', 'Ferrymen', 'Falconers'],
    newMatch: (random) => new PointsMatch(BASKETBALL, random),
  },
  {
    sport: 'ice_hockey',
    events: 10,
    playMinutes: 135,
    leagues: [
      league('valmora_hockey_league', 'Valmora Hockey League', VALMORA),
      league('kestria_extra_league', 'Kestria Extra League', KESTRIA),
    ],
    teamNames: ['Icebreakers', 'Snow Foxes', 'Glaciers', 'Stokers'],
    newMatch: (random) => new GoalsMatch(ICE_HOCKEY, random),
  },
  {
    sport: 'handball',
    events: 7,
    playMinutes: 85,
    leagues: [
      league('kestria_handball_league', 'Kestria Handball League', KESTRIA),
      league('lirenia_handball_a', 'Lirenia Handball A', LIRENIA),
    ],
    teamNames: ['HC', 'Handball', 'Sport'],
    newMatch: (random) => new PointsMatch(HANDBALL, random),
  },
  {
    sport: 'baseball',
    events: 8,
    playMinutes: 175,
    leagues: [
      league('valmora_baseball_association', 'Valmora Baseball Association', VALMORA),
      league('lirenia_baseball_league', 'Lirenia Baseball League', LIRENIA),
    ],
    teamNames: ['Bricklayers', 'Orchards', 'Night Owls', 'Coopers'],
    newMatch: (random) => new PointsMatch(BASEBALL, random),
  },
  {
    sport: 'combat_sport',
    events: 6,
    playMinutes: 15,
    leagues: [
      league('valmora_fight_night', 'Valmora Fight Night', []),
      league('kestria_ring_series', 'Kestria Ring Series', []),
    ],
    teamNames: null,
    newMatch: (random) => new FightMatch(random),
  },
  {
    sport: 'esports',
    events: 7,
    playMinutes: 60,
    leagues: [
      league('continental_arena_league', 'Continental Arena League', []),
      league('lirenia_digital_cup', 'Lirenia Digital Cup', []),
    ],
    teamNames: [],
    newMatch: (random) => new SetsMatch(ESPORTS, random),
  },
]

/** Beginnings of invented places and surnames. */
const STEMS = [
  'Aver',
  'Brask',
  'Corv',
  'Drell',
  'Esk',
  'Farn',
  'Gorm',
  'Hald',
  'Irm',
  'Jost',
  'Krav',
  'Lurn',
  'Morv',
  'Nesk',
  'Orl',
  'Prill',
  'Quen',
  'Rusk',
  'Sorn',
  'Tarv',
  'Vesk',
  'Wend',
  'Yarl',
  'Zell',
]

const SURNAME_ENDINGS = ['sen', 'ovan', 'ini', 'ek', 'aud', 'øy', 'én', 'ić']

const FORENAMES = ['Ada', 'Bruno', 'Carla', 'Dario', 'Elin', 'Filip', 'Greta', 'Hugo', 'Ines', 'Jonas', 'Klara', 'Leo']

const GROUP_WORDS = [
  ['Quiet', 'Copper', 'Static', 'Hollow', 'Velvet', 'Nimble', 'Crooked', 'Amber'],
  ['Lighthouse', 'Badgers', 'Pilots', 'Foxgloves', 'Anvils', 'Meridian', 'Otters', 'Kites'],
] as const

/** Entrants of a league; all leagues of a sport together have more than may be busy at a time. */
const ENTRANTS_MAX = 32

const entrantsOf = (plan: SportPlan, { endings }: League, leagueNumber: number): readonly string[] =>
  Array.from({ length: ENTRANTS_MAX }, (_, place) => {
    // 7 and 5 share no factor with the lengths of the tables, so neighbours look different and none occurs twice.
    const stem = STEMS[(place * 7) % STEMS.length]!
    const round = Math.floor(place / STEMS.length)
    if (plan.teamNames === null) {
      const forename = FORENAMES[(place * 5 + leagueNumber) % FORENAMES.length]!
      return `${forename} ${stem}${SURNAME_ENDINGS[(place + round + leagueNumber * 3) % SURNAME_ENDINGS.length]!}`
    }
    if (plan.teamNames.length === 0) {
      const word = (place + leagueNumber * ENTRANTS_MAX) % GROUP_WORDS[0].length
      const other = Math.floor(place / GROUP_WORDS[0].length) + leagueNumber * 4
      return `${GROUP_WORDS[0][word]!} ${GROUP_WORDS[1][(word + other) % GROUP_WORDS[1].length]!}`
    }
    const team = plan.teamNames[place % plan.teamNames.length]!
    return `${stem}${endings[(place + round) % endings.length]!} ${team}`
  })

const MINUTE_MS = 60_000

/** Kickoffs are multiples of this. */
const KICKOFF_STEP_MS = 5 * MINUTE_MS

/** New events are announced up to so long ahead; most of them much later. */
const LEAD_MS_MAX = 72 * 60 * MINUTE_MS

/** No event is announced later than this before its kickoff. */
const LEAD_MS_MIN = 10 * MINUTE_MS

/** At the start the oldest event in play began this long ago. */
const STARTED_MS_MAX = 120 * MINUTE_MS

/** Share of the events that are in play at the start. */
const IN_PLAY_SHARE = 0.2

/** An event of the simulator: the sighting that all bookmakers share, and the match behind it. */
export interface Fixture {
  readonly event: EventSighting
  readonly match: Match
}

interface Entrants {
  readonly league: League
  readonly names: readonly string[]
}

/** Announces fixtures, and ensures that no team or player plays twice at a time. */
export class FixtureList {
  private readonly random: SeededRandom
  private readonly entrants = new Map<Sport, readonly Entrants[]>()
  private readonly busy = new Set<string>()
  private lastNumber: number

  constructor(random: SeededRandom, startAt: number) {
    this.random = random
    // Numbers continue from the start time, and fewer events than milliseconds pass: no run, and no run after a restart
    // on the same board, reuses the key of an event.
    this.lastNumber = startAt
    for (const plan of SPORT_PLANS) {
      const leagues = plan.leagues.map((row, number) => ({ league: row, names: entrantsOf(plan, row, number) }))
      this.entrants.set(plan.sport, leagues)
    }
  }

  /** The fixtures of the start: some in play, the others spread over the next three days, most of them soon. */
  opening(startAt: number): Fixture[] {
    const { random } = this
    return SPORT_PLANS.flatMap((plan) =>
      Array.from({ length: plan.events }, () => {
        const isInPlay = random.next() < IN_PLAY_SHARE
        const leadMs = isInPlay
          ? -random.between(KICKOFF_STEP_MS, Math.min(STARTED_MS_MAX, plan.playMinutes * MINUTE_MS * 0.9))
          : KICKOFF_STEP_MS + LEAD_MS_MAX * random.next() ** 2.5
        return this.announce(plan, startAt + leadMs)
      }),
    )
  }

  /** Replaces an event that has ended by a new one of the same sport. */
  replace(fixture: Fixture, now: number): Fixture {
    const { sport, home, away } = fixture.event
    this.busy.delete(`${sport}:${home}`)
    this.busy.delete(`${sport}:${away}`)
    const plan = SPORT_PLANS.find((row) => row.sport === sport)!
    return this.announce(plan, now + LEAD_MS_MIN + LEAD_MS_MAX * this.random.next() ** 6)
  }

  private announce(plan: SportPlan, kickoffAt: number): Fixture {
    const { random, busy } = this
    const open = this.entrants
      .get(plan.sport)!
      .map(({ league, names }) => ({ league, free: names.filter((name) => !busy.has(`${plan.sport}:${name}`)) }))
      .filter(({ free }) => free.length >= 2)
    const { league, free } = random.pick(open)
    const home = random.pick(free)
    const away = random.pick(free.filter((name) => name !== home))
    busy.add(`${plan.sport}:${home}`)
    busy.add(`${plan.sport}:${away}`)
    return {
      event: {
        sport: plan.sport,
        leagueKey: league.key,
        leagueName: league.name,
        home,
        away,
        kickoffAt: Math.ceil(kickoffAt / KICKOFF_STEP_MS) * KICKOFF_STEP_MS,
        sourceKey: `sim:${++this.lastNumber}`,
      },
      match: plan.newMatch(random),
    }
  }
}
