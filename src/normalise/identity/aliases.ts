// Names that other books have for sides (FEEDS 13), in the spelling of The Odds API. Written from general knowledge of
// how books shorten and translate. What the rule finds exact by itself (accents, "FC") is not listed.

import { SPORTS, type Sport } from '../../domain/sport.ts'
import { slugOf } from '../slug.ts'
import { FOOTBALL, FOOTBALL_APART, NATIONS, NATIONS_APART } from './aliases-football.ts'

/** Words that are spelt in several ways everywhere, and the one that is compared. */
export const WORDS: ReadonlyMap<string, string> = new Map([
  ['utd', 'united'],
  ['saint', 'st'],
  ['sankt', 'st'],
  ['sint', 'st'],
  ['clube', 'club'],
  ['klub', 'club'],
])

/** Rows of a table: what is meant = the other spellings. */
type Rows = string

// City, nickname, and what stands for the city before the nickname.
const NBA = `
  Atlanta, Hawks = ATL | Boston, Celtics = BOS | Brooklyn, Nets = BKN, BK | Charlotte, Hornets = CHA
  Chicago, Bulls = CHI | Cleveland, Cavaliers = CLE | Dallas, Mavericks = DAL | Denver, Nuggets = DEN
  Detroit, Pistons = DET | Golden State, Warriors = GS, GSW | Houston, Rockets = HOU | Indiana, Pacers = IND
  Los Angeles, Clippers = LA, LAC, L.A. | Los Angeles, Lakers = LA, LAL, L.A. | Memphis, Grizzlies = MEM
  Miami, Heat = MIA | Milwaukee, Bucks = MIL | Minnesota, Timberwolves = MIN | New Orleans, Pelicans = NO, NOP, N.O.
  New York, Knicks = NY, NYK, N.Y. | Oklahoma City, Thunder = OKC, Oklahoma | Orlando, Magic = ORL
  Philadelphia, 76ers = PHI, Phila | Phoenix, Suns = PHX, PHO | Portland, Trail Blazers = POR
  Sacramento, Kings = SAC | San Antonio, Spurs = SA, SAS, S.A. | Toronto, Raptors = TOR | Utah, Jazz = UTA
  Washington, Wizards = WAS, WSH`

const WNBA = `
  Atlanta, Dream = ATL | Chicago, Sky = CHI | Connecticut, Sun = CON, CONN | Dallas, Wings = DAL
  Golden State, Valkyries = GS, GSV | Indiana, Fever = IND | Las Vegas, Aces = LV, LVA
  Los Angeles, Sparks = LA, LAS | Minnesota, Lynx = MIN | New York, Liberty = NY, NYL | Phoenix, Mercury = PHX, PHO
  Portland, Fire = POR | Seattle, Storm = SEA | Toronto, Tempo = TOR | Washington, Mystics = WAS, WSH`

const NHL = `
  Anaheim, Ducks = ANA | Boston, Bruins = BOS | Buffalo, Sabres = BUF | Calgary, Flames = CGY, CAL
  Carolina, Hurricanes = CAR | Chicago, Blackhawks = CHI | Colorado, Avalanche = COL
  Columbus, Blue Jackets = CBJ, CLB | Dallas, Stars = DAL | Detroit, Red Wings = DET | Edmonton, Oilers = EDM
  Florida, Panthers = FLA | Los Angeles, Kings = LA, LAK, L.A. | Minnesota, Wild = MIN
  Montréal, Canadiens = MTL, MON | Nashville, Predators = NSH | New Jersey, Devils = NJ, NJD, N.J.
  New York, Islanders = NY, NYI, N.Y. | New York, Rangers = NY, NYR, N.Y. | Ottawa, Senators = OTT
  Philadelphia, Flyers = PHI | Pittsburgh, Penguins = PIT | San Jose, Sharks = SJ, SJS, S.J. | Seattle, Kraken = SEA
  St Louis, Blues = STL | Tampa Bay, Lightning = TB, TBL, Tampa | Toronto, Maple Leafs = TOR | Utah, Mammoth = UTA
  Vancouver, Canucks = VAN | Vegas, Golden Knights = VGK, VEG, Las Vegas | Washington, Capitals = WAS, WSH
  Winnipeg, Jets = WPG, WIN`

const MLB = `
  Arizona, Diamondbacks = ARI, AZ | Atlanta, Braves = ATL | Baltimore, Orioles = BAL | Boston, Red Sox = BOS
  Chicago, Cubs = CHI, CHC | Chicago, White Sox = CHI, CWS, CHW | Cincinnati, Reds = CIN | Cleveland, Guardians = CLE
  Colorado, Rockies = COL | Detroit, Tigers = DET | Houston, Astros = HOU | Kansas City, Royals = KC, KCR, K.C.
  Los Angeles, Angels = LA, LAA, L.A. | Los Angeles, Dodgers = LA, LAD, L.A. | Miami, Marlins = MIA
  Milwaukee, Brewers = MIL | Minnesota, Twins = MIN | New York, Mets = NY, NYM, N.Y.
  New York, Yankees = NY, NYY, N.Y. | Philadelphia, Phillies = PHI | Pittsburgh, Pirates = PIT
  San Diego, Padres = SD, SDP, S.D. | San Francisco, Giants = SF, SFG, S.F. | Seattle, Mariners = SEA
  St. Louis, Cardinals = STL | Tampa Bay, Rays = TB, TBR | Texas, Rangers = TEX | Toronto, Blue Jays = TOR
  Washington, Nationals = WAS, WSH`

const NFL = `
  Arizona, Cardinals = ARI, AZ | Atlanta, Falcons = ATL | Baltimore, Ravens = BAL | Buffalo, Bills = BUF
  Carolina, Panthers = CAR | Chicago, Bears = CHI | Cincinnati, Bengals = CIN | Cleveland, Browns = CLE
  Dallas, Cowboys = DAL | Denver, Broncos = DEN | Detroit, Lions = DET | Green Bay, Packers = GB, G.B.
  Houston, Texans = HOU | Indianapolis, Colts = IND | Jacksonville, Jaguars = JAX, JAC
  Kansas City, Chiefs = KC, K.C. | Las Vegas, Raiders = LV, LVR, L.V. | Los Angeles, Chargers = LA, LAC, L.A.
  Los Angeles, Rams = LA, LAR, L.A. | Miami, Dolphins = MIA | Minnesota, Vikings = MIN
  New England, Patriots = NE, N.E. | New Orleans, Saints = NO, N.O. | New York, Giants = NY, NYG, N.Y.
  New York, Jets = NY, NYJ, N.Y. | Philadelphia, Eagles = PHI | Pittsburgh, Steelers = PIT
  San Francisco, 49ers = SF, S.F. | Seattle, Seahawks = SEA | Tampa Bay, Buccaneers = TB, T.B.
  Tennessee, Titans = TEN | Washington, Commanders = WAS, WSH`

const BASKETBALL: Rows = `
  Portland Trail Blazers = Portland Blazers, Portland Trailblazers | Philadelphia 76ers = Philadelphia Sixers
  Dallas Mavericks = Dallas Mavs | Minnesota Timberwolves = Minnesota Wolves | Cleveland Cavaliers = Cleveland Cavs
  KK Crvena zvezda = Crvena Zvezda Belgrade, Red Star Belgrade, Red Star, Crvena Zvezda Meridianbet
  KK Partizan NIS = Partizan, Partizan Belgrade, Partizan Mozzart Bet | FC Barcelona Bàsquet = Barcelona, Barca
  FC Bayern München = Bayern Munich | Anadolu Efes = Efes, Anadolu Efes Istanbul, Efes Istanbul
  Fenerbahce SK = Fenerbahce Beko, Fenerbahce Istanbul, Fenerbahce Ulker
  ASVEL Lyon Villeurbanne = ASVEL, LDLC ASVEL
  Pallacanestro Olimpia Milano = Olimpia Milano, Milano, Armani Milano, Emporio Armani Milan
  Pallacanestro Olimpia Milano = AX Armani Exchange Milan | Virtus Segafredo Bologna = Virtus Bologna
  Saski Baskonia = Baskonia, Baskonia Vitoria, Vitoria
  Olympiacos = Olympiakos, Olympiacos Piraeus, Olympiakos Piraeus
  Panathinaikos = Panathinaikos AKTOR, Panathinaikos Athens | Žalgiris = Zalgiris Kaunas, BC Zalgiris
  AS Monaco = Monaco Basket | Maccabi Tel Aviv = Maccabi Playtika Tel Aviv | Hapoel Tel Aviv = Hapoel IBI Tel Aviv
  Valencia Basket = Valencia, Valencia BC | Dubai Basketball = Dubai, Dubai BC | Paris Basketball = Paris`

const BASEBALL: Rows = `
  Athletics = Oakland Athletics, Sacramento Athletics, Las Vegas Athletics, Oakland As, Athletics As, OAK Athletics
  Athletics = ATH Athletics | Arizona Diamondbacks = Arizona D-backs, Arizona Dbacks
  Cleveland Guardians = Cleveland Indians | Kia Tigers = KIA | Doosan Bears = Doosan | Hanwha Eagles = Hanwha
  Kiwoom Heroes = Kiwoom | Lotte Giants = Lotte | KT Wiz = KT Wiz Suwon, KT | LG Twins = LG | NC Dinos = NC
  SSG Landers = SSG, SK Wyverns | Samsung Lions = Samsung | Chiba Lotte Marines = Lotte Marines, Chiba Marines
  Fukuoka SoftBank Hawks = Softbank Hawks, Fukuoka S. Hawks | Hiroshima Toyo Carp = Hiroshima Carp
  Hokkaido Nippon-Ham Fighters = Nippon Ham Fighters, Hokkaido Fighters, Nippon Ham | Orix Buffaloes = Orix
  Saitama Seibu Lions = Seibu Lions | Tohoku Rakuten Golden Eagles = Rakuten Eagles, Rakuten Golden Eagles
  Tokyo Yakult Swallows = Yakult Swallows | Yokohama DeNA BayStars = Yokohama BayStars, DeNA BayStars
  Yomiuri Giants = Tokyo Yomiuri Giants, Tokyo Giants | Hanshin Tigers = Hanshin | Chunichi Dragons = Chunichi
  Scranton/Wilkes-Barre RailRiders = Scranton RailRiders, Scranton WB RailRiders, SWB RailRiders`

const ICE_HOCKEY: Rows = `
  Utah Mammoth = Utah Hockey Club, Utah HC | Vegas Golden Knights = Las Vegas Knights, Vegas Knights
  W-B/Scranton Penguins = Wilkes-Barre/Scranton Penguins, Wilkes Barre Penguins, WBS Penguins
  Rögle BK = Rogle Angelholm | Växjö Lakers = Vaxjo | KooKoo = KooKoo Kouvola | SaiPa = SaiPa Lappeenranta
  BIK Karlskoga = Karlskoga, Bofors IK | IF Björklöven = Bjorkloven Umea`

const AUSTRALIAN_RULES: Rows = `
  Adelaide Crows = Adelaide | Brisbane Lions = Brisbane | Carlton Blues = Carlton | Collingwood Magpies = Collingwood
  Essendon Bombers = Essendon | Fremantle Dockers = Fremantle | Geelong Cats = Geelong | Gold Coast Suns = Gold Coast
  Greater Western Sydney Giants = GWS Giants, GWS, GW Sydney, Greater Western Sydney | Hawthorn Hawks = Hawthorn
  Melbourne Demons = Melbourne | North Melbourne Kangaroos = North Melbourne, Nth Melbourne, Kangaroos
  Port Adelaide Power = Port Adelaide, Pt Adelaide | Richmond Tigers = Richmond | St Kilda Saints = St Kilda
  Sydney Swans = Sydney | West Coast Eagles = West Coast | Western Bulldogs = Footscray Bulldogs, Bulldogs`

const RUGBY: Rows = `
  Brisbane Broncos = Brisbane | Canberra Raiders = Canberra | Canterbury Bulldogs = Canterbury Bankstown Bulldogs
  Cronulla Sutherland Sharks = Cronulla Sharks, Cronulla | Dolphins = Redcliffe Dolphins, The Dolphins
  Gold Coast Titans = Gold Coast | Manly Warringah Sea Eagles = Manly Sea Eagles, Manly | Melbourne Storm = Melbourne
  New Zealand Warriors = NZ Warriors | Newcastle Knights = Newcastle
  North Queensland Cowboys = NQ Cowboys, North Qld Cowboys, Nth Queensland Cowboys, North Queensland
  Parramatta Eels = Parramatta | Penrith Panthers = Penrith
  South Sydney Rabbitohs = South Sydney, Sth Sydney Rabbitohs
  St George Illawarra Dragons = St George Illawarra, St George Dragons, St G Illa Dragons
  Sydney Roosters = Eastern Suburbs Roosters | Wests Tigers = West Tigers
  New South Wales Blues = New South Wales, NSW Blues, NSW | Queensland Maroons = Queensland, QLD Maroons`

const CRICKET: Rows = `
  Royal Challengers Bangalore = Royal Challengers Bengaluru, RCB, RC Bangalore, RC Bengaluru, Bangalore
  Punjab Kings = Kings XI Punjab, PBKS, Punjab | Delhi Capitals = Delhi Daredevils, Delhi, DC
  Chennai Super Kings = CSK, Chennai | Kolkata Knight Riders = KKR, Kolkata | Gujarat Titans = GT, Gujarat
  Lucknow Super Giants = LSG, Lucknow | Sunrisers Hyderabad = SRH, Hyderabad | Mumbai Indians = MI, Mumbai
  Rajasthan Royals = RR, Rajasthan | Karachi Kings = Karachi | Lahore Qalandars = Lahore | Multan Sultans = Multan
  Quetta Gladiators = Quetta | Islamabad United = Islamabad | Peshawar Zalmi = Peshawar`

const COMBAT: Rows = `
  Weili Zhang = Zhang Weili | Waldo Cortes-Acosta = Waldo Cortes Acosta | Jan Blachowicz = Jan Błachowicz
  Gilberto Ramirez = Zurdo Ramirez | Mairis Briedis = Mairis Breidis | Steve Garcia Jr. = Steve Garcia
  Alex Arthur Jr = Alexander Arthur Jr | King Green = Bobby Green
  Marcus Buchecha = Marcus Almeida, Marcus Almeida Buchecha | Peter Mcgrail = Peter McGrail
  David Allen = Dave Allen | JJ Aldrich = J.J. Aldrich`

const rowsOf = (rows: Rows): [means: string, spellings: string[]][] =>
  rows
    .split(/[|\n]/)
    .filter((row) => row.includes('='))
    .map((row) => {
      const [means, spellings] = row.split('=')
      return [means!, spellings!.split(',')]
    })

const tableOf = (rows: Rows): [string, string][] =>
  rowsOf(rows).flatMap(([means, spellings]) => spellings.map((name): [string, string] => [slugOf(name), slugOf(means)]))

const clubsOf = (rows: Rows): [string, string][] =>
  rowsOf(rows).flatMap(([club, cities]) => {
    const [city, nickname] = club.split(',')
    const means = slugOf(`${city} ${nickname}`)
    return cities.map((short): [string, string] => [slugOf(`${short} ${nickname}`), means])
  })

const NATION_ROWS = tableOf(NATIONS)

const SPORT_ROWS: Partial<Readonly<Record<Sport, readonly [string, string][]>>> = {
  football: tableOf(FOOTBALL),
  basketball: [...clubsOf(NBA), ...clubsOf(WNBA), ...tableOf(BASKETBALL)],
  ice_hockey: [...clubsOf(NHL), ...tableOf(ICE_HOCKEY)],
  baseball: [...clubsOf(MLB), ...tableOf(BASEBALL)],
  american_football: clubsOf(NFL),
  australian_rules: tableOf(AUSTRALIAN_RULES),
  rugby: tableOf(RUGBY),
  cricket: tableOf(CRICKET),
  combat_sport: tableOf(COMBAT),
}

/** Slug of a spelling and slug of what it means, per sport. */
export const ALIASES: ReadonlyMap<Sport, readonly (readonly [string, string])[]> = new Map(
  SPORTS.map((sport) => [sport, [...NATION_ROWS, ...(SPORT_ROWS[sport] ?? [])]]),
)

const slugsOf = (names: string): string[] => names.split(/[,\n]/).map(slugOf).filter(Boolean)

const NATION_NAMES = slugsOf(NATIONS_APART)

/** Where national teams play. */
const OF_NATIONS = [
  'football',
  'basketball',
  'ice_hockey',
  'handball',
  'rugby',
  'cricket',
  'volleyball',
  'waterpolo',
] as const

/** Slugs of names that no shorter or similar name stands for: what looks like a short form is another side. */
export const APART: ReadonlyMap<Sport, ReadonlySet<string>> = new Map(
  OF_NATIONS.map((sport) => [
    sport,
    new Set([...NATION_NAMES, ...(sport === 'football' ? slugsOf(FOOTBALL_APART) : [])]),
  ]),
)
