// Teams of sports other than football by their codes, and teams below the highest leagues (see aliases.ts).

/** Codes of scoreboards that no other league of the sport uses. */
export const CODES = {
  basketball: `
  Boston Celtics = BOS | Brooklyn Nets = BKN | Charlotte Hornets = CHA | Cleveland Cavaliers = CLE
  Denver Nuggets = DEN
  Detroit Pistons = DET | Golden State Warriors = GSW | Houston Rockets = HOU | Los Angeles Clippers = LAC
  Los Angeles Lakers = LAL | Memphis Grizzlies = MEM | Miami Heat = MIA | Milwaukee Bucks = MIL
  New Orleans Pelicans = NOP | New York Knicks = NYK | Oklahoma City Thunder = OKC | Orlando Magic = ORL
  Philadelphia 76ers = PHI | Sacramento Kings = SAC | San Antonio Spurs = SAS | Utah Jazz = UTA
  Golden State Valkyries Women = GSV | Las Vegas Aces Women = LVA | New York Liberty Women = NYL
  Connecticut Sun Women = CONN`,
  ice_hockey: `
  Anaheim Ducks = ANA | Boston Bruins = BOS | Buffalo Sabres = BUF | Calgary Flames = CGY | Carolina Hurricanes = CAR
  Chicago Blackhawks = CHI | Colorado Avalanche = COL | Columbus Blue Jackets = CBJ | Dallas Stars = DAL
  Detroit Red Wings = DET | Edmonton Oilers = EDM | Florida Panthers = FLA | Los Angeles Kings = LAK
  Minnesota Wild = MIN | Montréal Canadiens = MTL | Nashville Predators = NSH | New Jersey Devils = NJD
  New York Islanders = NYI | New York Rangers = NYR | Ottawa Senators = OTT | Philadelphia Flyers = PHI
  Pittsburgh Penguins = PIT | San Jose Sharks = SJS | Seattle Kraken = SEA | St Louis Blues = STL
  Tampa Bay Lightning = TBL | Toronto Maple Leafs = TOR | Utah Mammoth = UTA | Vancouver Canucks = VAN
  Vegas Golden Knights = VGK | Washington Capitals = WSH | Winnipeg Jets = WPG`,
  baseball: `
  Arizona Diamondbacks = ARI | Atlanta Braves = ATL | Baltimore Orioles = BAL | Boston Red Sox = BOS
  Chicago Cubs = CHC | Chicago White Sox = CWS, CHW | Cincinnati Reds = CIN | Cleveland Guardians = CLE
  Colorado Rockies = COL | Detroit Tigers = DET | Houston Astros = HOU | Kansas City Royals = KCR, KC
  Los Angeles Angels = LAA | Los Angeles Dodgers = LAD | Miami Marlins = MIA | Milwaukee Brewers = MIL
  Minnesota Twins = MIN | New York Mets = NYM | New York Yankees = NYY | Philadelphia Phillies = PHI
  Pittsburgh Pirates = PIT | San Diego Padres = SDP | San Francisco Giants = SFG | Seattle Mariners = SEA
  St. Louis Cardinals = STL | Tampa Bay Rays = TBR | Texas Rangers = TEX | Toronto Blue Jays = TOR
  Washington Nationals = WSH, WSN | Athletics = OAK`,
  american_football: `
  Arizona Cardinals = ARZ | Atlanta Falcons = ATL | Buffalo Bills = BUF | Carolina Panthers = CAR
  Chicago Bears = CHI | Denver Broncos = DEN | Detroit Lions = DET | Green Bay Packers = GB
  Indianapolis Colts = IND | Jacksonville Jaguars = JAX | Kansas City Chiefs = KC | Las Vegas Raiders = LVR
  Los Angeles Chargers = LAC | Los Angeles Rams = LAR | Minnesota Vikings = MIN | New York Giants = NYG
  New York Jets = NYJ | Philadelphia Eagles = PHI | San Francisco 49ers = SF | Seattle Seahawks = SEA
  Tennessee Titans = TEN`,
} as const

/** Baseball's minor leagues. */
export const MINOR_LEAGUES = `
  Buffalo Bisons = Buffalo, Bisons | Charlotte Knights = Charlotte | Durham Bulls = Durham
  El Paso Chihuahuas = El Paso, Chihuahuas | Gwinnett Stripers = Gwinnett, Stripers, Gwinnett Braves
  Indianapolis Indians = Indianapolis, Indy Indians | Jacksonville Jumbo Shrimp = Jacksonville, Jax Jumbo Shrimp
  Jacksonville Jumbo Shrimp = Jumbo Shrimp, J'ville Jumbo Shrimp | Las Vegas Aviators = LV Aviators, Aviators
  Lehigh Valley IronPigs = Lehigh Valley, LV IronPigs, IronPigs, Lehigh Valley Iron Pigs, Lehigh V IronPigs
  Louisville Bats = Bats | Memphis Redbirds = Redbirds | Nashville Sounds = Nashville, Sounds
  Norfolk Tides = Norfolk, Tides | Omaha Storm Chasers = Storm Chasers, Omaha Chasers, Omaha | Reno Aces = Reno
  Rochester Red Wings = Rochester | Round Rock Express = Round Rock, RR Express | Salt Lake Bees = SL Bees, Salt Lake
  Scranton/Wilkes-Barre RailRiders = Scranton/WB RailRiders, Scranton/WB, RailRiders, Scranton WB, Scranton Wilkes Barre
  Scranton/Wilkes-Barre RailRiders = Scranton/W-B RailRiders, SWB, Scranton W-B, Wilkes-Barre RailRiders
  St. Paul Saints = St Paul | Sugar Land Space Cowboys = Sugar Land, Space Cowboys, Sugarland Space Cowboys
  Sugar Land Space Cowboys = Sugarland, SL Space Cowboys | Syracuse Mets = Syracuse | Toledo Mud Hens = Toledo, Mud Hens
  Toledo Mud Hens = Toledo Mudhens | Worcester Red Sox = Worcester, WooSox, Woo Sox, Worcester Woosox
  Hiroshima Toyo Carp = Hiroshima | Chunichi Dragons = Chunichi, Nagoya Dragons | Hanshin Tigers = Hanshin
  Chiba Lotte Marines = Chiba Lotte, Chiba | Fukuoka SoftBank Hawks = SoftBank, Fukuoka, Fukuoka Hawks, Softbank H
  Hokkaido Nippon-Ham Fighters = Nippon-Ham, Hokkaido, Nipponham Fighters, Hokkaido NH Fighters, Hokkaido Nipponham
  Orix Buffaloes = Orix Osaka | Saitama Seibu Lions = Seibu, Saitama, Saitama Lions
  Tohoku Rakuten Golden Eagles = Rakuten, Tohoku, Tohoku Eagles, Tohoku Rakuten, Tohoku Golden Eagles, Rakuten Sendai
  Tokyo Yakult Swallows = Yakult, Yakult Tokyo | Yokohama DeNA BayStars = DeNA, Yokohama, Yokohama Bay Stars
  Yokohama DeNA BayStars = DeNA Yokohama
  Yomiuri Giants = Yomiuri, Yomiuri Tokyo | KT Wiz = Suwon KT Wiz, KT Suwon
  Kia Tigers = Gwangju Kia Tigers, Kia Gwangju
  Doosan Bears = Seoul Doosan Bears | LG Twins = Seoul LG Twins, L.G. Twins | NC Dinos = NC, Changwon NC Dinos
  Hanwha Eagles = Daejeon Hanwha Eagles | Lotte Giants = Busan Lotte Giants | SSG Landers = Incheon SSG Landers
  Samsung Lions = Daegu Samsung Lions | Kiwoom Heroes = Nexen Heroes, Seoul Kiwoom Heroes`

/** Others. */
export const MORE_TEAMS = {
  basketball: `
  Golden State Warriors = Dubs, Golden St | Philadelphia 76ers = Phila 76ers, Philadelphia Seventysixers
  New York Knicks = NY Knickerbockers | Phoenix Suns = PHX Suns | Olympiacos = Olympiacos Pireus BC, Olimpiacos
  AS Monaco = Monaco BC, Roca Team, AS Monaco Basket Ball | Anadolu Efes = Anadolu Efes Stambul, Anadolu Istanbul
  Fenerbahce SK = Fenerbahce Basket, Fenerbahce Beko Basket, F'bahce Beko, Fener
  KK Crvena zvezda = Roter Stern Belgrad, Crvena Z, KK Crvena Zvezda Meridianbet, Cr Zvezda, Estrella Roja
  KK Crvena zvezda = Stella Rossa Belgrado, Etoile Rouge Belgrade, Estrella Roja Belgrado
  KK Partizan NIS = KK Partizan Mozzart Bet, KK Partizan Belgrade, Part Belgrade
  FC Barcelona Bàsquet = FCB Barcelona, Barcelona Basketball, Barça Basket, Barcelone
  FC Bayern München = Bayern Munchen Basket, Bayern Monaco, Bayern Munich BB, FCBB, Bayern Basketball
  Virtus Segafredo Bologna = Virtus Bo, Bologna, Virtus Pallacanestro Bologna
  Pallacanestro Olimpia Milano = O Milano, Olimpia M, Olimpia Mailand
  Saski Baskonia = Baskonia V, Tau Vitoria, Vitoria Baskonia | Žalgiris = Zalgiris Kowno
  Panathinaikos = PAO, Pana, Panathinaikos AKTOR BC, Panathinaikos A | Real Madrid = RM Basket, Real Madrid Basket
  Maccabi Tel Aviv = Macc Tel Aviv, M. T-Aviv, Maccabi Tel-Aviv BC, Maccabi T-A
  Hapoel Tel Aviv = Hap Tel Aviv, Hapoel T-A, Hapoel IBI T Aviv
  Valencia Basket = Valence, Taronja | Paris Basketball = Paris BB`,
  ice_hockey: `
  Grand Rapids Griffins = Grand Rapids, GR Griffins | Hartford Wolf Pack = Hartford, Hartford Wolfpack
  Henderson Silver Knights = Henderson, Silver Knights, Henderson SK | Bakersfield Condors = Bakersfield
  Belleville Senators = Belleville, Belleville Sens | Bridgeport Islanders = Bridgeport, Bridgeport Sound Tigers
  Calgary Wranglers = Wranglers | Cleveland Monsters = Lake Erie Monsters, Cleveland | Colorado Eagles = COL Eagles
  Iowa Wild = Iowa | Manitoba Moose = Manitoba | Milwaukee Admirals = Milwaukee | Ontario Reign = Ontario, Reign
  Providence Bruins = Providence, P-Bruins | Rochester Americans = Rochester, Rochester Amerks, Amerks
  Rockford IceHogs = Rockford, Rockford Ice Hogs | San Diego Gulls = San Diego, SD Gulls
  San Jose Barracuda = SJ Barracuda | Springfield Thunderbirds = Springfield, Springfield T-Birds
  Syracuse Crunch = Syracuse | Texas Stars = Texas | Tucson Roadrunners = Tucson | Utica Comets = Utica
  W-B/Scranton Penguins = WBS, W-B Scranton, Wilkes-Barre Scranton, WB/Scranton, Wilkes-Barre/Scranton, WB Penguins
  W-B/Scranton Penguins = Wilkes-Barre Scranton Pens, Scranton Penguins
  Montréal Canadiens = Canadiens de Montreal, Canadien Montreal, Montreal Cdns | St Louis Blues = Saint Louis
  Vegas Golden Knights = Vegas GK, Vegas Knights, Las Vegas GK
  Rögle BK = Rogle Angelholm BK, Rögle, RBK | Växjö Lakers = Vaxjo Lakers HC, VLH | KooKoo = KooKoo Hockey, KooKoo HT
  SaiPa = Saimaan Pallo, SaiPa L | IF Björklöven = Bjorkloven, IFB | BIK Karlskoga = Bofors, BIK K`,
  australian_rules: `
  Adelaide Crows = ADE, Adelaide FC, Adelaide C | Brisbane Lions = BRL, Brisbane Lions AFC | Carlton Blues = CAR
  Collingwood Magpies = COL, Pies, Collingwood Pies | Essendon Bombers = ESS, Bombers, Essendon Dons
  Fremantle Dockers = FRE | Geelong Cats = GEE | Gold Coast Suns = GCS, GCFC | Hawthorn Hawks = HAW
  Greater Western Sydney Giants = GWS Giants FC, GWSG, Western Sydney | Melbourne Demons = MEL, Demons
  North Melbourne Kangaroos = NTH, NMFC, North Melb Roos, Nth Melb Kangaroos, NM Kangaroos
  Port Adelaide Power = PTA, PAFC, Pt Adel, Port Adelaide FC, Port A Power, PA Power | Richmond Tigers = RIC
  St Kilda Saints = STK | Sydney Swans = SYD, South Melbourne Swans | West Coast Eagles = WCE, West Coast E
  Western Bulldogs = WBD, WB, Bulldogs, West. Bulldogs, Western B'dogs`,
  rugby: `
  Brisbane Broncos = BRI | Canberra Raiders = CAN Raiders | Canterbury Bulldogs = CBY
  Canterbury Bulldogs = Canterbury-Bankstown Bulldogs, Canterbury, C-B Bulldogs, CB Bulldogs
  Cronulla Sutherland Sharks = CRO, Cronulla-Suth Sharks, CS Sharks | Dolphins = DOL, Dolphins RL, Redcliffe
  Gold Coast Titans = GLD | Manly Warringah Sea Eagles = MAN, Manly-W Sea Eagles, Manly Warringah Eagles, MW Sea Eagles
  Melbourne Storm = MEL, Storm | New Zealand Warriors = NZW | Newcastle Knights = NEW, N'castle Knights
  North Queensland Cowboys = NQL, Cowboys, NQ, North QLD Cowboys, N Queensland C'boys
  Parramatta Eels = PAR, P'matta Eels
  Penrith Panthers = PEN, Panthers | South Sydney Rabbitohs = SOU, Souths, SS Rabbitohs
  St George Illawarra Dragons = SGI, St George, Saint George Illawarra, St Geo Ill Dragons, St Geo Illawarra
  Sydney Roosters = SYD, Easts Roosters | Wests Tigers = WST, Wests
  New South Wales Blues = NSW Origin, NS Wales | Queensland Maroons = QLD, Q'land, Queensland Origin`,
  cricket: `
  Lucknow Super Giants = Lucknow S Giants | Punjab Kings = Punjab K, P Kings | Mumbai Indians = MI Mumbai
  Royal Challengers Bangalore = Royal Chall Bangalore, Royal Challengers Beng, Royal Challengers Bengalore
  Sunrisers Hyderabad = SR Hyderabad, Hyderabad SR | Kolkata Knight Riders = Kolkata Knights, KK Riders
  Delhi Capitals = Delhi Caps, DEL | Gujarat Titans = GUJ | Rajasthan Royals = RAJ | Mumbai Indians = MUM
  Chennai Super Kings = CHE, Chennai S Kings | Multan Sultans = MS Multan, MUL | Karachi Kings = KAR, K Kings
  Lahore Qalandars = LAH, LQ Lahore | Quetta Gladiators = QUE, QG Quetta | Peshawar Zalmi = PES
  Namibia = NAM | New Zealand = NZL, Blackcaps, Kiwis | Sri Lanka = SL, SRL | West Indies = WI, WIN
  Bangladesh = BD, Tigers Bangladesh | Scotland = SCOT | Netherlands = NLD | Republic of Ireland = IRE | Nepal = NEP`,
  combat_sport: `
  Oleksandr Usyk = Aleksandr Usyk, Alexander Usyk
  King Green = Bobby King Green | Aiemann Zahabi = Aiemann Zahaby
  Oleksii Polischuk = Oleksiy Polishchuk, Oleksii Polishchuk
  Alexander Volkov = Aleksandr Volkov | Sean O'Malley = Suga Sean O'Malley | Waldo Cortes-Acosta = Waldo Acosta
  Braian Nahuel Suarez = Braian Suarez | Oscar Duarte Jurado = Oscar Duarte
  Leandro Damian Medina = Leandro Medina | Luis Enrique Montelongo = Luis Montelongo
  Maria Micheo Santizo = Maria Micheo, Maria Santizo | Bo Mi Re Shin = Bomire Shin, Shin Bo-mi-re
  Sergio Cossio Dominguez = Sergio Cossio
  Chequina Noso Pedro = Chequina Pedro | Lateef Bayo Alabi = Bayo Alabi
  Jaron Ennis = Boots Ennis, Jaron Boots Ennis | Gilberto Ramirez = Gilberto Zurdo Ramirez
  Fabio Wardley = Fabio Wardly | Phil De Fries = Philip De Fries | Derek Chisora = Dereck Chisora
  Jack Della Maddalena = Jack Della | Khamzat Chimaev = Khamzat Chimayev, Hamzat Chimaev
  Magomed Ankalaev = Magomed Ankalayev | Merab Dvalishvili = Merab Dvalishvilli | Petr Yan = Piotr Yan, Pyotr Yan
  Dovletdzhan Yagshimuradov = Dovlet Yagshimuradov | Alex Hernandez = Alexander Hernandez
  Mayra Bueno Silva = Mayra Bueno | Marcus Buchecha = Marcus Buchecha Almeida`,
  tennis: `
  Francisco Cerundolo = Fran Cerundolo | Mirra Andreeva = Mirra Andreyeva
  Andrey Rublev = Andrei Rublev, Andrej Rublev | Alexander Zverev = Sascha Zverev
  Alexander Zverev = Aleksandr Zverev | Hamad Medjedovic = Hamad Međedović, Hamad Mededovic | Rafael Jodar = Rafa Jodar
  Zeynep Sonmez = Zeynep Soenmez
  Elina Svitolina = Elina Monfils, Yelina Svitolina | Iga Swiatek = Iga Szwiatek
  Alex Molcan = Alexander Molcan`,
} as const
