// Aliases of sides in other books (docs/identity.md 2), mapped to the spelling of The Odds API. Written from general
// knowledge of how books shorten and translate. Spellings that the rule finds exact (accents, "FC") are left out.

import type { Sport } from '../domain/sport.ts'
import { slugOf } from '../domain/slug.ts'
import { FOOTBALL_APART, FOOTBALL_WORLD, NATIONS, NATIONS_APART } from './aliases-football.ts'
import { FOOTBALL_EUROPE } from './aliases-football-europe.ts'
import { FOOTBALL_MORE, SECOND_TEAMS } from './aliases-football-more.ts'
import { NATION_CODES, NATIONS_ABROAD } from './aliases-nations.ts'
import { CODES, MINOR_LEAGUES, MORE_TEAMS } from './aliases-teams.ts'

/** Rows of a table: target = other spellings. */
type Rows = string

/** Slugs of an alias and of its target. */
export type Row = readonly [name: string, means: string]

// City, nickname, and short forms of the city before the nickname.
const NBA = `
  Atlanta, Hawks = ATL | Boston, Celtics = BOS | Brooklyn, Nets = BKN, BK | Charlotte, Hornets = CHA
  Chicago, Bulls = CHI | Cleveland, Cavaliers = CLE | Dallas, Mavericks = DAL | Denver, Nuggets = DEN
  Detroit, Pistons = DET | Golden State, Warriors = GS, GSW | Houston, Rockets = HOU | Indiana, Pacers = IND
  Los Angeles, Clippers = LA, LAC, L.A. | Los Angeles, Lakers = LA, LAL, L.A. | Memphis, Grizzlies = MEM
  Miami, Heat = MIA | Milwaukee, Bucks = MIL | Minnesota, Timberwolves = MIN | New Orleans, Pelicans = NO, NOP, N.O.
  New York, Knicks = NY, NYK, N.Y. | Oklahoma City, Thunder = OKC, Oklahoma | Orlando, Magic = ORL
  Philadelphia, 76ers = PHI, Phila | Phoenix, Suns = PHX, PHO | Portland, Trail Blazers = POR
  Sacramento, Kings = SAC | San Antonio, Spurs = SAS, S.A. | Toronto, Raptors = TOR | Utah, Jazz = UTA
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

const AMERICAN_FOOTBALL: Rows = `
  Arizona Cardinals = ARZ Cardinals, Arizona Cards | Baltimore Ravens = Ravens, BLT Ravens | Buffalo Bills = Bills
  Cincinnati Bengals = Bengals, Cincy Bengals | Cleveland Browns = Browns | Dallas Cowboys = Dal. Cowboys
  Denver Broncos = Broncos | Green Bay Packers = Packers, Green B Packers | Houston Texans = Texans
  Indianapolis Colts = Colts, Indy Colts | Jacksonville Jaguars = Jaguars, Jags, Jacksonville Jags, JAX Jags
  Kansas City Chiefs = Chiefs, Kansas C Chiefs, Kansas Chiefs
  Las Vegas Raiders = Oakland Raiders, L Vegas Raiders, Vegas Raiders
  Los Angeles Chargers = Chargers, San Diego Chargers, L Angeles Chargers | Los Angeles Rams = L Angeles Rams
  Miami Dolphins = Dolphins | Minnesota Vikings = Vikings
  New England Patriots = Patriots, N England Patriots, New England Pats, NE Pats
  New Orleans Saints = Saints, N Orleans Saints | New York Giants = N York Giants, New York G
  New York Jets = N York Jets, New York J | Philadelphia Eagles = Philly Eagles, Phila Eagles
  Pittsburgh Steelers = Steelers, Pitt Steelers
  San Francisco 49ers = 49ers, Niners, SF Niners, San Fran 49ers, S Francisco 49ers | Seattle Seahawks = Seahawks
  Tampa Bay Buccaneers = Buccaneers, Bucs, Tampa Bay Bucs, TB Bucs, Tampa Buccaneers, T Bay Buccaneers
  Tennessee Titans = Tenn Titans | Washington Commanders = Commanders, Washington Football Team, Washington Redskins
  BC Lions = British Columbia Lions, B.C. Lions
  Calgary Stampeders = Stampeders, CGY Stampeders, Calgary Stamps, CAL Stampeders
  Edmonton Elks = Edmonton Eskimos, Edmonton, EDM Elks
  Hamilton Tiger-Cats = Hamilton Ticats, Hamilton, Ticats, HAM Tiger-Cats, Hamilton Tigercats
  Montreal Alouettes = Alouettes, MTL Alouettes, Montreal Als, Montreal
  Ottawa Redblacks = Redblacks, Ottawa Red Blacks, OTT Redblacks, Ottawa
  Saskatchewan Roughriders = Sask Roughriders, Roughriders, SSK Roughriders, Saskatchewan Riders, Sask Riders
  Saskatchewan Roughriders = Saskatchewan
  Toronto Argonauts = Toronto Argos, Argonauts, TOR Argonauts
  Winnipeg Blue Bombers = Winnipeg Bombers, WPG Blue Bombers, Blue Bombers, Winnipeg B Bombers, WPG Bombers`

const BASKETBALL: Rows = `
  Atlanta Hawks = Atl Hawks | Boston Celtics = Celtics | Brooklyn Nets = Nets | Charlotte Hornets = Hornets
  Chicago Bulls = Bulls | Cleveland Cavaliers = Cavaliers, Cavs, CLE Cavs
  Dallas Mavericks = Mavericks, Mavs, DAL Mavs | Denver Nuggets = Nuggets | Detroit Pistons = Pistons
  Golden State Warriors = Golden St Warriors, G State Warriors, Golden State W | Houston Rockets = Rockets
  Indiana Pacers = Pacers | Los Angeles Clippers = Clippers, L Angeles Clippers
  Los Angeles Lakers = Lakers, L Angeles Lakers | Memphis Grizzlies = Grizzlies, Memphis Grizz
  Milwaukee Bucks = Bucks
  Minnesota Timberwolves = Timberwolves, T-Wolves, Minnesota T'wolves, MIN Wolves, Minnesota TWolves
  New Orleans Pelicans = Pelicans, N Orleans Pelicans, New Orleans Pels
  New York Knicks = Knicks, N York Knicks, New York Knickerbockers
  Oklahoma City Thunder = Oklahoma C Thunder, Okla City Thunder
  Philadelphia 76ers = 76ers, Sixers, PHI Sixers, Phila Sixers, Philly 76ers
  Portland Trail Blazers = Trail Blazers, Blazers, Trailblazers, POR Blazers, Portland TB
  Sacramento Kings = Sacto Kings | San Antonio Spurs = S Antonio Spurs | Toronto Raptors = Raptors
  Washington Wizards = Wizards
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
  Pallacanestro Olimpia Milano = EA7 Emporio Armani Milano, EA7 Milano, EA7 Armani Milano, Armani Exchange Milano
  Pallacanestro Olimpia Milano = Olimpia Milan, AX Armani Milano, AX Milano, EA7 Olimpia Milano, Emporio Armani Milano
  Pallacanestro Olimpia Milano = EA7 Emporio Armani Milan, Milan, Armani Milan | Anadolu Efes = Anadolu Efes SK, A Efes
  KK Crvena zvezda = Crvena Zvezda MTS, Crvena zvezda mts Belgrade, C Zvezda, Crvena Zvezda MTS Beograd
  KK Crvena zvezda = Crvena Zvezda Meridianbet Belgrade, Crvena Zvezda Beograd, CZ Belgrade
  KK Partizan NIS = Partizan Mozzart Bet Belgrade, Partizan Beograd, Partizan NIS Belgrade, Partizan Mozzart
  FC Barcelona Bàsquet = FC Barcelona, Barcelona Basket, Barcelona Basquet
  Real Madrid = R Madrid, Real Madrid Baloncesto
  FC Bayern München = FC Bayern Munich, Bayern, Bayern Munich Basket, B Munich, Bayern Muenchen, FC Bayern
  Fenerbahce SK = Fenerbahce, Fenerbahce Beko Istanbul, Fener Beko | ASVEL Lyon Villeurbanne = Lyon-Villeurbanne
  ASVEL Lyon Villeurbanne = LDLC ASVEL Villeurbanne, ASVEL Villeurbanne, Lyon Villeurbanne, ASVEL Basket, Villeurbanne
  ASVEL Lyon Villeurbanne = LDLC ASVEL Lyon-Villeurbanne, ASVEL Lyon | Virtus Segafredo Bologna = V Bologna
  Virtus Segafredo Bologna = Virtus Olidata Bologna, Segafredo Bologna | Olympiacos = Olympiacos BC
  Saski Baskonia = Baskonia Vitoria-Gasteiz, Cazoo Baskonia, Kosner Baskonia, TD Systems Baskonia, Laboral Kutxa
  Saski Baskonia = Kosner Baskonia Vitoria-Gasteiz, Cazoo Baskonia Vitoria-Gasteiz, Bitci Baskonia
  Žalgiris = Zalgiris K | AS Monaco = Monaco, AS Monaco Basket | Maccabi Tel Aviv = Maccabi TA, M Tel Aviv
  Maccabi Tel Aviv = Maccabi Rapyd Tel Aviv, Maccabi Playtika, Maccabi T A | Hapoel Tel Aviv = Hapoel TA, H Tel Aviv
  ALBA Berlin = ALBA | Panathinaikos = Panathinaikos BC, Panathinaikos AKTOR Athens | Paris Basketball = Paris Basket
  Valencia Basket = Valencia Basket Club, Pamesa Valencia | Dubai Basketball = Dubai Basket
  Valencia Basket = Valencia, Valencia BC | Dubai Basketball = Dubai, Dubai BC | Paris Basketball = Paris`

const BASEBALL: Rows = `
  Arizona Diamondbacks = Diamondbacks, D-backs, ARI D-backs, AZ D-backs, Arizona D'backs | Atlanta Braves = Braves
  Baltimore Orioles = Orioles, Baltimore O's | Boston Red Sox = Red Sox, Boston R Sox, Boston RS
  Chicago Cubs = Cubs, Chi. Cubs
  Chicago White Sox = White Sox, Chi White Sox, Chicago WS, Chicago W Sox
  Cincinnati Reds = Reds, Cincy Reds | Cleveland Guardians = Guardians | Colorado Rockies = Rockies
  Detroit Tigers = Det Tigers | Houston Astros = Astros | Kansas City Royals = Royals, Kansas C Royals, Kansas Royals
  Los Angeles Angels = Angels, LA Angels of Anaheim, Los Angeles Angels of Anaheim, Anaheim Angels
  Los Angeles Dodgers = Dodgers | Miami Marlins = Florida Marlins | Milwaukee Brewers = Brewers
  New York Mets = Mets, N York Mets | New York Yankees = Yankees, N York Yankees, NY Yanks
  Philadelphia Phillies = Phillies, Phila Phillies | Pittsburgh Pirates = Pitt Pirates
  San Diego Padres = Padres, S Diego Padres
  San Francisco Giants = S Francisco Giants, San Fran Giants, San Fransisco Giants | Seattle Mariners = Mariners
  St. Louis Cardinals = St L Cardinals, St. Louis Cards, STL Cards
  Tampa Bay Rays = Rays, Tampa Rays, T Bay Rays, Tampa Bay Devil Rays | Texas Rangers = Tex. Rangers
  Toronto Blue Jays = Blue Jays, Toronto B Jays, Toronto Jays, TOR Jays
  Washington Nationals = Nationals, Washington Nats, WAS Nats, WSH Nats
  Athletics = A's, The Athletics, LV Athletics, SAC Athletics, OAK As, Sacramento As
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
  Anaheim Ducks = Ducks, Anaheim | Boston Bruins = Bruins | Buffalo Sabres = Sabres, Buffalo | Calgary Flames = Flames
  Carolina Hurricanes = Hurricanes, Carolina, Canes, Carolina Canes
  Chicago Blackhawks = Blackhawks, Chicago Black Hawks, Chicago Hawks
  Colorado Avalanche = Avalanche, Colorado Avs, COL Avs
  Columbus Blue Jackets = Blue Jackets, Columbus, Columbus Jackets, Columbus BJ, Columbus B Jackets
  Dallas Stars = Dallas | Detroit Red Wings = Red Wings, Detroit R Wings, Detroit Wings
  Edmonton Oilers = Oilers, Edmonton | Florida Panthers = FL Panthers, Florida
  Los Angeles Kings = L Angeles Kings, Los Angeles
  Montréal Canadiens = Canadiens, Habs, Montreal Habs, Montreal Canadians
  Nashville Predators = Predators, Nashville, Nashville Preds
  New Jersey Devils = Devils, New Jersey, N Jersey Devils | New York Islanders = NY Isles, N York Islanders
  New York Rangers = N York Rangers | Ottawa Senators = Senators, Ottawa Sens
  Philadelphia Flyers = Flyers, Phila Flyers, Philadelphia, Philly Flyers
  Pittsburgh Penguins = Pittsburgh, Pittsburgh Pens, PIT Pens | San Jose Sharks = Sharks, S Jose Sharks
  Seattle Kraken = Kraken | St Louis Blues = Blues, St Louis, St. L Blues
  Tampa Bay Lightning = Lightning, Tampa Bay, Tampa, T Bay Lightning, TB Bolts, Tampa Bay Bolts
  Toronto Maple Leafs = Maple Leafs, Leafs, TOR Leafs, Toronto Leafs, Toronto M Leafs
  Utah Mammoth = Utah, Mammoth, UTA Hockey Club, UTA HC | Vancouver Canucks = Canucks
  Vegas Golden Knights = Vegas, Las Vegas, Golden Knights, VGK Knights, VEG Knights, LV Golden Knights
  Vegas Golden Knights = LV Knights, V Golden Knights
  Washington Capitals = Capitals, Washington, Washington Caps, WSH Caps, WAS Caps | Winnipeg Jets = Winnipeg
  Rögle BK = Rogle Angelholm | Frölunda HC = Frolunda, Frolunda Gothenburg, Froelunda, Frolunda Indians, Froelunda HC
  Färjestad BK = Farjestad, Farjestads, Farjestads BK, Faerjestad, Farjestad Karlstad, Faerjestad BK
  HV71 = HV 71, HV71 Jonkoping | Skellefteå AIK = Skelleftea, Skelleftea AIK HK
  Luleå HF = Lulea, Luleaa, Lulea Hockey | Leksands IF = Leksand, Leksands
  Linköping HC = Linkoping, Linkopings HC, Linkoepings HC, LHC | Brynäs IF = Brynas, Brynaes, Brynas Gavle
  Timrå IK = Timra, Timraa | Örebro HK = Orebro, Oerebro
  Malmö Redhawks = Malmo, Malmoe Redhawks, Malmoe, MIF Redhawks
  Djurgårdens IF = Djurgarden, Djurgarden Stockholm, Djurgaarden | MoDo Hockey = MoDo, Modo Ornskoldsvik
  Växjö Lakers = Vaxjo Lakers HC, Vaexjoe Lakers, Vaexjoe | Tappara = Tappara Tampere
  Kärpät = Oulun Karpat, Karpat Oulu, Kaerpaet | Ilves = Ilves Tampere | HIFK = HIFK Helsinki, IFK Helsinki
  HPK = HPK Hameenlinna | JYP = JYP Jyvaskyla | KalPa = KalPa Kuopio | Lukko = Lukko Rauma, Rauman Lukko
  Pelicans = Lahti Pelicans, Pelicans Lahti | Sport = Vaasan Sport, Sport Vaasa | TPS = TPS Turku
  Ässät = Assat Pori, Porin Assat | Jukurit = Jukurit Mikkeli | K-Espoo = Kiekko-Espoo, Kiekko Espoo
  Utah Mammoth = Utah Hockey Club, Utah HC | Vegas Golden Knights = Las Vegas Knights, Vegas Knights
  W-B/Scranton Penguins = Wilkes-Barre/Scranton Penguins, Wilkes Barre Penguins, WBS Penguins
  Rögle BK = Rogle Angelholm | Växjö Lakers = Vaxjo | KooKoo = KooKoo Kouvola | SaiPa = SaiPa Lappeenranta
  BIK Karlskoga = Karlskoga, Bofors IK | IF Björklöven = Bjorkloven Umea`

const AUSTRALIAN_RULES: Rows = `
  Adelaide Crows = Crows, Adel Crows | Brisbane Lions = Brisbane L, Bris Lions | Carlton Blues = Carlton FC
  Collingwood Magpies = Coll Magpies, C'wood | Fremantle Dockers = Dockers, Freo | Geelong Cats = Cats
  Gold Coast Suns = GC Suns, G Coast Suns, G Coast
  Greater Western Sydney Giants = GWS Sydney, G W Sydney, GWS Giant, Western Sydney Giants, Gtr Western Sydney
  Greater Western Sydney Giants = GW Sydney Giants
  Greater Western Sydney Giants = Greater Western Syd, Gtr West Sydney, Gr Western Sydney | Hawthorn Hawks = Hawks
  North Melbourne Kangaroos = N Melbourne, Nth Melb, North Melb, N Melbourne Kangaroos, Nth Melbourne Kangaroos
  North Melbourne Kangaroos = North Melb Kangaroos
  Port Adelaide Power = P Adelaide, Port Adel, Pt Adelaide Power, Port Power, Port Adelaide P
  St Kilda Saints = Saint Kilda | Sydney Swans = Swans, Syd Swans
  West Coast Eagles = W Coast Eagles, WC Eagles, W Coast, Wst Coast Eagles
  Western Bulldogs = W Bulldogs, Wstn Bulldogs, West Bulldogs, Footscray
  Adelaide Crows = Adelaide | Brisbane Lions = Brisbane | Carlton Blues = Carlton | Collingwood Magpies = Collingwood
  Essendon Bombers = Essendon | Fremantle Dockers = Fremantle | Geelong Cats = Geelong | Gold Coast Suns = Gold Coast
  Greater Western Sydney Giants = GWS Giants, GWS, GW Sydney, Greater Western Sydney | Hawthorn Hawks = Hawthorn
  Melbourne Demons = Melbourne | North Melbourne Kangaroos = North Melbourne, Nth Melbourne, Kangaroos
  Port Adelaide Power = Port Adelaide, Pt Adelaide | Richmond Tigers = Richmond | St Kilda Saints = St Kilda
  Sydney Swans = Sydney | West Coast Eagles = West Coast | Western Bulldogs = Footscray Bulldogs, Bulldogs`

const RUGBY: Rows = `
  Brisbane Broncos = Bris Broncos
  Canterbury Bulldogs = Canterbury-Bankstown, Canterbury Bankstown, Canterbury B'town Bulldogs, C'bury Bulldogs
  Canterbury Bulldogs = Cant Bulldogs
  Canterbury Bulldogs = Canterbury-B Bulldogs, Bankstown Bulldogs
  Cronulla Sutherland Sharks = Cronulla-Sutherland, Cron Sharks | Dolphins = Dolphins NRL
  Gold Coast Titans = GC Titans, G Coast Titans
  Manly Warringah Sea Eagles = Manly Warringah, Manly-Warringah, Manly Eagles, Manly W Sea Eagles, Sea Eagles
  Manly Warringah Sea Eagles = Manly S Eagles
  Melbourne Storm = Melb Storm
  New Zealand Warriors = N Zealand Warriors, Auckland Warriors, One NZ Warriors
  North Queensland Cowboys = North Q Cowboys, N Queensland, N Queensland Cowboys, Nth Queensland, Nth Qld Cowboys
  North Queensland Cowboys = N Qld Cowboys, North Qld
  North Queensland Cowboys = Nth QLD, NQL Cowboys | Parramatta Eels = Parra Eels, Eels, Parra
  South Sydney Rabbitohs = Sth Sydney, S Sydney, S Sydney Rabbitohs, South Syd Rabbitohs, Rabbitohs, Souths Rabbitohs
  South Sydney Rabbitohs = Sth Syd Rabbitohs
  St George Illawarra Dragons = St G Illawarra, St G Illawarra Dragons, SGI Dragons, St George Ill Dragons
  St George Illawarra Dragons = St George-Illawarra, St. Geo Illa Dragons, St George Illa
  Sydney Roosters = Roosters, Syd Roosters
  Wests Tigers = Western Suburbs Tigers, W Tigers | Hull FC = Hull
  Hull Kingston Rovers = Hull KR, Hull K R, Hull Kingston, Hull Kingston R, HKR | Leeds Rhinos = Leeds
  St Helens = St. Helens RFC, St Helens Saints, Saint Helens | Wigan Warriors = Wigan | Warrington Wolves = Warrington
  Huddersfield Giants = Huddersfield | Castleford Tigers = Castleford, Cas Tigers
  Catalans Dragons = Catalans, Catalan Dragons, Catalan | Salford Red Devils = Salford, Salford RD
  Wakefield Trinity = Wakefield, Wakefield T, Wakefield Wildcats | Leigh Leopards = Leigh, Leigh Centurions
  Toulouse Olympique = Toulouse Oly | Bradford Bulls = Bradford | York Knights = York RLFC, York City Knights
  London Broncos = London B'cos
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
  Royal Challengers Bangalore = R C Bangalore, Royal Challengers, RCB Bangalore, R Challengers Bangalore, Bengaluru
  Royal Challengers Bangalore = RC Bangaluru, Royal Challengers B
  Chennai Super Kings = C Super Kings, Chennai SK
  Kolkata Knight Riders = Kolkata KR, K Knight Riders, Kolkata Riders
  Lucknow Super Giants = Lucknow SG, Lucknow, L Super Giants, Lucknow Giants
  Sunrisers Hyderabad = S Hyderabad, Hyderabad Sunrisers | Gujarat Titans = G Titans | Mumbai Indians = M Indians
  Rajasthan Royals = Raj Royals, R Royals | Delhi Capitals = D Capitals
  West Indies = W Indies, Windies, West Ind | New Zealand = N Zealand, Black Caps | Sri Lanka = S Lanka
  South Africa = Proteas | England = Eng | Australia = AUS | India = IND | Pakistan = PAK
  Bangladesh = BAN, B'desh | Afghanistan = AFG | Zimbabwe = ZIM | United Arab Emirates = U.A.E.
  Islamabad United = Islamabad Utd, I United | Quetta Gladiators = Q Gladiators
  Melbourne Stars = Melb Stars, M Stars | Melbourne Renegades = Melb Renegades, M Renegades
  Sydney Sixers = Syd Sixers, S Sixers | Sydney Thunder = Syd Thunder, S Thunder
  Adelaide Strikers = Adel Strikers, A Strikers | Perth Scorchers = P Scorchers | Hobart Hurricanes = H Hurricanes
  Brisbane Heat = Bris Heat, B Heat | Punjab Kings = Kings XI, KXIP
  Royal Challengers Bangalore = Royal Challengers Bengaluru, RCB, RC Bangalore, RC Bengaluru, Bangalore
  Punjab Kings = Kings XI Punjab, PBKS, Punjab | Delhi Capitals = Delhi Daredevils, Delhi, DC
  Chennai Super Kings = CSK, Chennai | Kolkata Knight Riders = KKR, Kolkata | Gujarat Titans = GT, Gujarat
  Lucknow Super Giants = LSG, Lucknow | Sunrisers Hyderabad = SRH, Hyderabad | Mumbai Indians = MI, Mumbai
  Rajasthan Royals = RR, Rajasthan | Karachi Kings = Karachi | Lahore Qalandars = Lahore | Multan Sultans = Multan
  Quetta Gladiators = Quetta | Islamabad United = Islamabad | Peshawar Zalmi = Peshawar`

const COMBAT: Rows = `
  Weili Zhang = Zhang Weili | Jan Blachowicz = Jan Błachowicz
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

function* tableOf(rows: Rows): Generator<Row, void> {
  for (const [means, spellings] of rowsOf(rows)) for (const name of spellings) yield [slugOf(name), slugOf(means)]
}

function* clubsOf(rows: Rows): Generator<Row, void> {
  for (const [club, cities] of rowsOf(rows)) {
    const [city, nickname] = club.split(',')
    const means = slugOf(`${city} ${nickname}`)
    for (const short of cities) yield [slugOf(`${short} ${nickname}`), means]
  }
}

/** Clubs of leagues of women that sources also name without the league: the name has the mark. */
function* womensClubsOf(rows: Rows): Generator<Row, void> {
  for (const [name, means] of clubsOf(rows)) yield [name, `${means}_women`]
  for (const [club] of rowsOf(rows)) yield [slugOf(club), slugOf(`${club} women`)]
}

const SPORT_ROWS: Partial<Readonly<Record<Sport, () => Generator<Row, void>[]>>> = {
  football: () => [NATION_CODES, FOOTBALL_EUROPE, FOOTBALL_WORLD, FOOTBALL_MORE, SECOND_TEAMS].map(tableOf),
  basketball: () => [
    clubsOf(NBA),
    womensClubsOf(WNBA),
    ...[BASKETBALL, CODES.basketball, MORE_TEAMS.basketball].map(tableOf),
  ],
  ice_hockey: () => [clubsOf(NHL), ...[ICE_HOCKEY, CODES.ice_hockey, MORE_TEAMS.ice_hockey].map(tableOf)],
  baseball: () => [clubsOf(MLB), ...[BASEBALL, CODES.baseball, MINOR_LEAGUES].map(tableOf)],
  american_football: () => [clubsOf(NFL), ...[AMERICAN_FOOTBALL, CODES.american_football].map(tableOf)],
  australian_rules: () => [AUSTRALIAN_RULES, MORE_TEAMS.australian_rules].map(tableOf),
  rugby: () => [RUGBY, MORE_TEAMS.rugby].map(tableOf),
  cricket: () => [CRICKET, MORE_TEAMS.cricket].map(tableOf),
  combat_sport: () => [COMBAT, MORE_TEAMS.combat_sport].map(tableOf),
  tennis: () => [tableOf(MORE_TEAMS.tennis)],
}

const CITY_ROWS: Partial<Readonly<Record<Sport, readonly Rows[]>>> = {
  basketball: [NBA],
  baseball: [MLB],
  american_football: [NFL],
}

/** Slugs of cities that have a professional team, and of nations. */
export function* citiesOf(sport: Sport): Generator<string, void> {
  for (const rows of CITY_ROWS[sport] ?? []) for (const [club] of rowsOf(rows)) yield slugOf(club.split(',')[0]!)
  if (OF_NATIONS.includes(sport)) yield* NATION_NAMES
}

/** Aliases of nations, for all sports. */
export function* nationAliases(): Generator<Row, void> {
  yield* tableOf(NATIONS)
  yield* tableOf(NATIONS_ABROAD)
}

/** Aliases of a sport, without the nations. */
export function* sportAliases(sport: Sport): Generator<Row, void> {
  for (const rows of SPORT_ROWS[sport]?.() ?? []) yield* rows
}

const slugsOf = (names: string): string[] => names.split(/[,\n]/).map(slugOf).filter(Boolean)

/** Slugs of all nations. */
export const NATION_NAMES: readonly string[] = slugsOf(NATIONS_APART)

/** Sports of national teams. */
export const OF_NATIONS: readonly Sport[] = [
  'football',
  'basketball',
  'ice_hockey',
  'handball',
  'rugby',
  'cricket',
  'volleyball',
  'waterpolo',
]

/** Slugs of names that only match themselves: an apparent short form is another side. */
export const APART: ReadonlyMap<Sport, ReadonlySet<string>> = new Map(
  OF_NATIONS.map((sport) => [
    sport,
    new Set([...NATION_NAMES, ...(sport === 'football' ? slugsOf(FOOTBALL_APART) : [])]),
  ]),
)
