// The sports of the service, in the order in which lists show them (docs/architecture.md 7.7).

/** Slug and display name of every sport; the order is the order of `GET /sports`. */
export const SPORT_NAMES = {
  football: 'Football',
  tennis: 'Tennis',
  basketball: 'Basketball',
  ice_hockey: 'Ice Hockey',
  handball: 'Handball',
  baseball: 'Baseball',
  darts: 'Darts',
  australian_rules: 'Australian Rules',
  rugby: 'Rugby',
  cricket: 'Cricket',
  combat_sport: 'Combat Sport',
  volleyball: 'Volleyball',
  american_football: 'American Football',
  golf: 'Golf',
  motorsport: 'Motorsport',
  cycling: 'Cycling',
  table_tennis: 'Table Tennis',
  snooker: 'Snooker',
  badminton: 'Badminton',
  esports: 'Esports',
  waterpolo: 'Water Polo',
  winter_sport: 'Winter Sport',
} as const

export type Sport = keyof typeof SPORT_NAMES

export const SPORTS = Object.keys(SPORT_NAMES) as readonly Sport[]

/** Place of a sport in {@link SPORTS}; also its number inside the stores. */
export const SPORT_NUMBER: ReadonlyMap<string, number> = new Map(SPORTS.map((sport, number) => [sport, number]))

export const isSport = (value: string): value is Sport => SPORT_NUMBER.has(value)
