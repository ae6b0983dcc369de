// US colleges of the highest division, by school and nickname (see aliases.ts). Facts of public knowledge: a school, its
// nickname, then other nicknames, and after "=" other names of the school. What an abbreviated word of a name gives is
// made from the table.

import { slugOf } from '../domain/slug.ts'
import type { Row } from './aliases.ts'

const COLLEGES = `
  Abilene Christian, Wildcats = ACU, Abil Christian, Abilene Chr, Abilene Chrstn | Air Force, Falcons = AFA | Akron, Zips
  Alabama, Crimson Tide = Bama | Alabama A&M, Bulldogs = AAMU | Alabama State, Hornets = ALST
  Albany, Great Danes = UAlbany, Albany NY, SUNY Albany, University at Albany | Alcorn State, Braves = Alcorn, Alcorn A&M
  American, Eagles = American University, American U, American Univ
  Appalachian State, Mountaineers = App State, Appalachian, App, Appalach State
  Arizona, Wildcats | Arizona State, Sun Devils = ASU, Ariz State | Arkansas, Razorbacks, Hogs = ARK
  Arkansas-Pine Bluff, Golden Lions = UAPB, Ark Pine Bluff, AR Pine Bluff, Ark PB, Pine Bluff, Arkansas PB
  Arkansas State, Red Wolves = Ark State, Arkansas St Jonesboro
  Army, Black Knights, Knights = Army West Point, Army WP | Auburn, Tigers = AUB | Austin Peay, Governors = APSU
  Austin Peay, Governors = Austin Peay State
  Ball State, Cardinals | Baylor, Bears = BAY | Bellarmine, Knights | Belmont, Bruins
  Bethune-Cookman, Wildcats = Bethune, BCU, B-CU, Bethune Cookmn | Binghamton, Bearcats = Binghamton-SUNY, SUNY Binghamton
  Boise State, Broncos = Boise | Boston College, Eagles = Boston Coll, Boston C, BC
  Boston University, Terriers = Boston U, Boston Univ, BU | Bowling Green, Falcons = BGSU, Bowling Green State, Bowl Green
  Bradley, Braves | Brown, Bears | Bryant, Bulldogs = Bryant University | Bucknell, Bison | Buffalo, Bulls = UB
  Butler, Bulldogs | BYU, Cougars = Brigham Young, B.Y.U., Brigham Y
  Cal Baptist, Lancers = California Baptist, CBU, CA Baptist, Calif Baptist | Cal Poly, Mustangs = Cal Poly SLO
  Cal Poly, Mustangs = Cal Poly San Luis Obispo
  Cal State Bakersfield, Roadrunners = CSU Bakersfield, CSUB, Bakersfield, Cal St Bakersfld, CS Bakersfield
  Cal State Fullerton, Titans = CSU Fullerton, CSUF, Fullerton, CS Fullerton
  Cal State Northridge, Matadors = CSUN, CSU Northridge, Northridge, CS Northridge
  California, Golden Bears, Bears = Cal, California Berkeley, Cal Berkeley
  Campbell, Fighting Camels, Camels | Canisius, Golden Griffins, Griffins, Golden Griffs
  Central Arkansas, Bears = UCA, Cent Arkansas | Central Connecticut, Blue Devils = CCSU, Central Connecticut State
  Central Connecticut, Blue Devils = Central Conn State, Cent Conn State, C Conn State, Central CT State, C Connecticut State
  Central Michigan, Chippewas = CMU, Cent Michigan
  Charleston, Cougars = College of Charleston, Coll of Charleston, Col of Charleston, Charleston College, C of C, CofC
  Charleston Southern, Buccaneers = CSU Buccaneers, Charleston So | Charlotte, 49ers = UNC Charlotte, UNCC
  Chattanooga, Mocs = UTC, Tennessee Chattanooga, UT Chattanooga | Chicago State, Cougars | Cincinnati, Bearcats = Cincy
  Clemson, Tigers = CLEM | Cleveland State, Vikings | Coastal Carolina, Chanticleers, Chants = CCU, Coastal Car, Coastal
  Colgate, Raiders | Colorado, Buffaloes, Buffs | Colorado State, Rams | Columbia, Lions | Coppin State, Eagles = Coppin
  Cornell, Big Red | Creighton, Bluejays, Blue Jays | Dartmouth, Big Green | Davidson, Wildcats | Dayton, Flyers
  Delaware, Blue Hens, Fightin Blue Hens | Delaware State, Hornets = Del State | Denver, Pioneers = Denver University, Denver U
  DePaul, Blue Demons = De Paul | Detroit Mercy, Titans = Detroit, Detroit U, UDM, Detroit Titans, Univ of Detroit
  Drake, Bulldogs | Drexel, Dragons | Duke, Blue Devils | Duquesne, Dukes | East Carolina, Pirates = ECU
  East Tennessee State, Buccaneers, Bucs = ETSU, E Tennessee State, East Tenn State, E Tenn State
  East Texas A&M, Lions = Texas A&M Commerce, TAMU Commerce, Texas A&M-Com, A&M Commerce, E Texas A&M
  Eastern Illinois, Panthers = EIU | Eastern Kentucky, Colonels = EKU | Eastern Michigan, Eagles = EMU
  Eastern Washington, Eagles = EWU | Elon, Phoenix = Elon University | Evansville, Purple Aces, Aces | Fairfield, Stags
  Fairleigh Dickinson, Knights = FDU, F Dickinson, Farleigh Dickinson, Fair Dickinson
  Florida International, Panthers, Golden Panthers = FIU, Florida Intl, Fla International, Fla Intl, Florida Int'l
  Florida, Gators = UF | Florida A&M, Rattlers = FAMU | Florida Atlantic, Owls = FAU, Fla Atlantic
  Florida Gulf Coast, Eagles = FGCU, FL Gulf Coast, Fla Gulf Coast | Florida State, Seminoles, Noles = FSU, FL State
  Fordham, Rams | Fresno State, Bulldogs = Fresno | Furman, Paladins
  Gardner-Webb, Runnin Bulldogs, Bulldogs = Gardner W, G Webb | George Mason, Patriots = GMU, G Mason, Geo Mason
  George Washington, Revolutionaries, Colonials = GW, GWU, G Washington, Geo Washington | Georgetown, Hoyas = G'town
  Georgia, Bulldogs, Dawgs = UGA | Georgia Southern, Eagles = GA Southern, GASO, Georgia So
  Georgia State, Panthers = GA State | Georgia Tech, Yellow Jackets = GT, GA Tech | Gonzaga, Bulldogs, Zags = GONZ
  Grambling State, Tigers = Grambling | Grand Canyon, Antelopes, Lopes = GCU | Green Bay, Phoenix = Wisconsin-Green Bay
  Green Bay, Phoenix = UW Green Bay, Wisc Green Bay, WI Green Bay, UWGB | Hampton, Pirates | Harvard, Crimson
  Hawaii, Rainbow Warriors, Warriors, Rainbows, Rainbow Wahine = Hawai'i, University of Hawaii, HAW
  High Point, Panthers | Hofstra, Pride | Holy Cross, Crusaders | Houston, Cougars = UH
  Houston Christian, Huskies = HCU, Houston Baptist, Houston Chr | Howard, Bison | Idaho, Vandals | Idaho State, Bengals
  Illinois, Fighting Illini, Illini = ILL | Illinois State, Redbirds | UIC, Flames = Illinois-Chicago, Ill Chicago, IL Chicago
  UIC, Flames = Univ Illinois Chicago, Ill-Chi | Incarnate Word, Cardinals = UIW, Incarnate W, I Word
  Indiana, Hoosiers = IU | Indiana State, Sycamores | Iona, Gaels | Iowa, Hawkeyes | Iowa State, Cyclones = ISU Cyclones
  IU Indy, Jaguars = IUPUI, IU Indianapolis, IUI, Indiana Indianapolis, IU-PU-Indianapolis
  Jackson State, Tigers = JSU Tigers | Jacksonville, Dolphins = Jacksonville U, Jacksonville University
  Jacksonville State, Gamecocks = Jax State, J'ville State, Jacksonville AL, JSU Gamecocks | James Madison, Dukes = JMU
  James Madison, Dukes = J Madison | Kansas, Jayhawks = KU | Kansas City, Roos, Kangaroos = UMKC, Missouri-Kansas City, Mo-KC
  Kansas City, Roos, Kangaroos = Missouri KC, MO Kansas City | Kansas State, Wildcats = K-State, KSU Wildcats
  Kennesaw State, Owls = Kennesaw | Kent State, Golden Flashes, Flashes = Kent | Kentucky, Wildcats = UK, KENT Wildcats
  La Salle, Explorers = LaSalle | Lafayette, Leopards = Lafayette PA | Lamar, Cardinals = Lamar University
  Le Moyne, Dolphins = LeMoyne | Lehigh, Mountain Hawks | Liberty, Flames = Liberty University
  Lindenwood, Lions | Lipscomb, Bisons | Little Rock, Trojans = Arkansas-Little Rock, UALR, Ark Little Rock, AR Little Rock
  Little Rock, Trojans = UA Little Rock | LIU, Sharks, Blackbirds = Long Island, Long Island University, LIU Brooklyn, LI U
  Long Beach State, Beach, 49ers, Dirtbags = LBSU, CSU Long Beach, Cal State Long Beach, Long Beach, L Beach State
  Longwood, Lancers | LSU, Tigers = Louisiana State, L.S.U. | Louisiana Tech, Bulldogs, Techsters = LA Tech, LTU
  Louisiana, Ragin Cajuns, Cajuns = Louisiana-Lafayette, UL Lafayette, ULL, LA Lafayette, UL-Laf, Louisiana Laf, La-Laf
  Louisiana-Monroe, Warhawks = UL Monroe, ULM, LA Monroe, UL-Mon | Louisville, Cardinals, Cards = LOU, UL Cardinals
  Loyola Chicago, Ramblers = Loyola IL, Loyola-Chi, Loyola (Chicago), Loyola Ill, Loyola U Chicago
  Loyola Maryland, Greyhounds = Loyola MD, Loyola (Maryland), Loyola-Md | Loyola Marymount, Lions = LMU, Loyola CA, L Marymount
  Loyola Marymount, Lions = Loyola LA, Loyola Mary | Maine, Black Bears | Manhattan, Jaspers | Marist, Red Foxes
  Marquette, Golden Eagles | Marshall, Thundering Herd, Herd | Maryland, Terrapins, Terps = UMD
  Maryland-Eastern Shore, Hawks = UMES, MD Eastern Shore, Md-E Shore, Maryland ES, Maryland E Shore, MD-East Shore
  Massachusetts, Minutemen, Minutewomen = UMass, U Mass, Mass | McNeese, Cowboys, Cowgirls = McNeese State, McNeese St Univ
  Memphis, Tigers = Memphis University, Memphis State | Mercer, Bears | Mercyhurst, Lakers
  Merrimack, Warriors = Merrimack College
  Miami Florida, Hurricanes, Canes = Miami FL, Miami Fla, Miami (Florida), Miami-Florida, Miami Hurricanes, Miami Canes
  Miami Ohio, RedHawks, Red Hawks = Miami OH, Miami (Ohio), Miami-Ohio, Miami RedHawks | Michigan, Wolverines = MICH, UMich
  Michigan State, Spartans = Mich State, MSU Spartans | Middle Tennessee, Blue Raiders = MTSU, Middle Tennessee State, Mid Tenn
  Middle Tennessee, Blue Raiders = Middle Tenn, Middle Tenn State, Mid Tennessee, Mid Tennessee State, M Tennessee State, Mid Tenn State
  Milwaukee, Panthers = Wisconsin-Milwaukee, UW Milwaukee, Wisc Milwaukee, WI Milwaukee, UWM
  Minnesota, Golden Gophers, Gophers = MINN | Mississippi State, Bulldogs = Miss State, MS State, Miss St
  Mississippi Valley State, Delta Devils = MVSU, Miss Valley State, Miss Valley, Mississippi Val State, MS Valley State, Ms Valley
  Mississippi Valley State, Delta Devils = Mississippi Valley
  Missouri, Tigers = Mizzou | Missouri State, Bears = SW Missouri State, Mo State | Monmouth, Hawks = Monmouth NJ, Monmouth University
  Montana, Grizzlies, Griz | Montana State, Bobcats, Fighting Bobcats | Morehead State, Eagles = Morehead
  Morgan State, Bears = Morgan | Mount St. Mary's, Mountaineers, Mount = Mt St Mary's, Mt Saint Marys, Mount Saint Marys
  Mount St. Mary's, Mountaineers = Mt. St. Mary's MD, Mount St Marys MD | Murray State, Racers = Murray | Navy, Midshipmen, Mids
  NC State, Wolfpack, Wolf Pack = N.C. State, North Carolina State, NCST, NCSU, N Carolina State, No Carolina State
  Nebraska, Cornhuskers, Huskers = NEB | Nevada, Wolf Pack, Wolfpack = Nevada-Reno, Nev Reno | New Hampshire, Wildcats = UNH
  New Haven, Chargers | New Mexico, Lobos = UNM | New Mexico State, Aggies = NMSU, NM State, N Mexico State, New Mex State
  New Orleans, Privateers = UNO Privateers, N Orleans | Niagara, Purple Eagles
  Nicholls, Colonels = Nicholls State, Nicholls St Univ | NJIT, Highlanders = N.J.I.T., New Jersey Tech, New Jersey Institute of Technology
  Norfolk State, Spartans = Norfolk | North Alabama, Lions = UNA | North Carolina, Tar Heels, Tarheels = UNC, No Carolina, NC Tar Heels
  North Carolina A&T, Aggies = NC A&T, N.C. A&T, NCAT, N Carolina A&T
  North Carolina Central, Eagles = NC Central, N.C. Central, NCCU, N Carolina Central, North Car Central
  North Dakota, Fighting Hawks = UND, N Dakota | North Dakota State, Bison = NDSU, ND State | North Florida, Ospreys = UNF
  North Texas, Mean Green = UNT, N Texas | Northeastern, Huskies = N'eastern, Northeastern U | Northern Arizona, Lumberjacks = NAU
  Northern Colorado, Bears = UNCO, No Colorado | Northern Illinois, Huskies = NIU | Northern Iowa, Panthers = UNI
  Northern Kentucky, Norse = NKU | Northwestern, Wildcats = N'western, NW Wildcats, Northwestern U
  Northwestern State, Demons = NW State, NSU Demons, Northwestern LA, Northwestern State LA
  Notre Dame, Fighting Irish, Irish = N Dame, Fighting Irish | Oakland, Golden Grizzlies = Oakland U, Oakland University
  Ohio, Bobcats = Ohio U, Ohio University | Ohio State, Buckeyes = OSU Buckeyes, The Ohio State, Ohio St Univ
  Oklahoma, Sooners = OU, Okla | Oklahoma State, Cowboys, Cowgirls = Okla State, OK State, Oklahoma A&M
  Old Dominion, Monarchs = ODU | Ole Miss, Rebels = Mississippi, Univ of Mississippi, MISS
  Omaha, Mavericks, Mavs = Nebraska-Omaha, Neb Omaha, NE Omaha, UNO, UN Omaha | Oral Roberts, Golden Eagles = ORU, O Roberts
  Oregon, Ducks | Oregon State, Beavers | Pacific, Tigers = U of the Pacific, UOP, Pacific U | Penn State, Nittany Lions = PSU Nittany Lions
  Penn, Quakers = Pennsylvania, U Penn, UPenn | Pepperdine, Waves | Pittsburgh, Panthers = Pitt | Portland, Pilots = Portland U
  Portland State, Vikings | Prairie View A&M, Panthers = Prairie View, PVAMU, Prairie View AM | Presbyterian, Blue Hose = Presbyterian College
  Princeton, Tigers | Providence, Friars = Providence College | Purdue, Boilermakers
  Purdue Fort Wayne, Mastodons = IPFW, Fort Wayne, PFW, Purdue FW, Purdue Ft Wayne, IPU Fort Wayne
  Queens, Royals = Queens University, Queens NC, Queens (Charlotte), Queens Charlotte | Quinnipiac, Bobcats = Quinnipiac University
  Radford, Highlanders | Rhode Island, Rams = URI, Rhode Isl, R Island | Rice, Owls | Richmond, Spiders | Rider, Broncs
  Robert Morris, Colonials = RMU, R Morris, Rob Morris | Rutgers, Scarlet Knights | Sacramento State, Hornets = Sac State, CSU Sacramento
  Sacramento State, Hornets = CSUS, Sacramento St Univ | Sacred Heart, Pioneers = SHU | Saint Francis, Red Flash = St Francis PA, Saint Francis PA, St Francis (Pa)
  Saint Francis, Red Flash = St Francis U, SFU, St Francis Pennsylvania | St. Francis Brooklyn, Terriers = St Francis NY, St Francis (BKN), St Francis BKN
  Saint Joseph's, Hawks = St Josephs, St Joes, Saint Josephs PA, Saint Josephs (Pa), St Joseph | Saint Louis, Billikens = SLU, Saint Louis U
  Saint Mary's, Gaels = St Marys, Saint Marys CA, St Marys CA, Saint Marys California, St Marys (Calif) | Saint Peter's, Peacocks = St Peters, Saint Peters NJ
  Sam Houston, Bearkats = Sam Houston State, SHSU, S Houston State, Sam Houston St Univ | Samford, Bulldogs | San Diego, Toreros = USD Toreros, U San Diego
  San Diego State, Aztecs = SDSU Aztecs, S Diego State, San Diego St Univ | San Francisco, Dons = USF Dons, San Francisco U
  San Jose State, Spartans = SJSU, S Jose State, San José State | Santa Clara, Broncos = S Clara
  Seattle, Redhawks = Seattle U, Seattle University | Seton Hall, Pirates = S Hall | Siena, Saints
  SIU Edwardsville, Cougars = SIUE, SIU-E, Southern Illinois Edwardsville, S Illinois Edwardsville, Edwardsville
  SMU, Mustangs = Southern Methodist, S Methodist, Sthn Methodist | South Alabama, Jaguars = USA Jaguars, So Alabama
  South Carolina, Gamecocks = S Car, So Carolina, SCAR | South Carolina State, Bulldogs = SC State, S.C. State, So Carolina State
  South Carolina Upstate, Spartans = USC Upstate, SC Upstate, Upstate, USC UpSt | South Dakota, Coyotes = USD Coyotes, So Dakota
  South Dakota State, Jackrabbits = SDSU Jackrabbits, SD State, So Dakota State | South Florida, Bulls = USF, So Florida
  Southeast Missouri State, Redhawks = SEMO, SE Missouri State, Southeast Missouri, SE Missouri, Southeast Mo State, SE Mo State
  Southeastern Louisiana, Lions = SE Louisiana, SELA, Southeastern LA, SE LA, SLU Lions, Southeast Louisiana
  Southern, Jaguars = Southern University, Southern U, Southern Univ, Southern LA, Southern Univ LA
  Southern Illinois, Salukis = SIU, So Illinois | Southern Indiana, Screaming Eagles = USI, So Indiana
  Southern Miss, Golden Eagles = Southern Mississippi, USM, S Mississippi, So Miss, So Mississippi, S Miss
  Southern Utah, Thunderbirds = SUU, So Utah | St. Bonaventure, Bonnies = Bonaventure, St Bona, St Bonnies, St Bonaventure U
  St. John's, Red Storm = St Johns NY, Saint Johns, St John's (NY), St John's New York
  St. Thomas, Tommies = St Thomas MN, St Thomas (Minn), St Thomas Minnesota, St Thomas (MN), Univ of St Thomas
  Stanford, Cardinal = STAN | Stephen F. Austin, Lumberjacks, Ladyjacks = SFA, SF Austin, S F Austin, Stephen Austin, Stephen F Austin State
  Stetson, Hatters | Stonehill, Skyhawks = Stonehill College | Stony Brook, Seawolves = S Brook, SUNY Stony Brook | Syracuse, Orange = Cuse, SYR
  Tarleton State, Texans = Tarleton, Tarleton St Univ | TCU, Horned Frogs, Frogs = Texas Christian, T.C.U.
  Temple, Owls | Tennessee, Volunteers, Vols, Lady Volunteers = TENN, UT Volunteers | Tennessee-Martin, Skyhawks = UT Martin, UTM, Tenn Martin, TN Martin
  Tennessee State, Tigers = TN State | Tennessee Tech, Golden Eagles = TN Tech
  Texas, Longhorns = UT Longhorns | Texas A&M, Aggies = TAMU, TX A&M, Texas AM, Texas A M
  Texas A&M-Corpus Christi, Islanders = Texas A&M CC, TAMU-CC, A&M-Corpus Christi, Texas A&M-CC, Corpus Christi, TX A&M-CC, Tex A&M-CC
  Texas A&M-Corpus Christi, Islanders = Texas A&M Corpus Chris, Texas A&M Corpus, TAMU Corpus Christi, AM Corpus Christi, Texas AM Corpus Christi
  Texas Southern, Tigers = TSU Tigers, TX Southern, Tex Southern, Texas So | Texas State, Bobcats = TX State, TXST
  Texas Tech, Red Raiders, Lady Raiders = TTU, TX Tech, TexTech | Citadel, Bulldogs = The Citadel | Toledo, Rockets | Towson, Tigers = Towson State
  Troy, Trojans = Troy State, Troy University | Tulane, Green Wave | Tulsa, Golden Hurricane, Golden Hurricanes
  UAB, Blazers = Alabama-Birmingham, Ala Birmingham, AL Birmingham | UC Davis, Aggies = California Davis, UCD, Cal Davis
  UC Irvine, Anteaters = California Irvine, UCI, Cal Irvine | UC Riverside, Highlanders = California Riverside, UCR, Cal Riverside
  UC San Diego, Tritons = California San Diego, UCSD, UC S Diego | UC Santa Barbara, Gauchos = UCSB, California Santa Barbara, Santa Barbara, UC S Barbara, Cal Santa Barbara
  UCF, Knights = Central Florida, Cent Florida | UCLA, Bruins = California Los Angeles, U.C.L.A.
  UConn, Huskies = Connecticut, CONN Huskies | UMass Lowell, River Hawks, Riverhawks = Massachusetts Lowell, UML, Mass Lowell, U Mass Lowell, Lowell
  UMBC, Retrievers = Maryland Baltimore County, MD Baltimore County, Maryland BC
  UNC Asheville, Bulldogs = UNCA, North Carolina Asheville, NC Asheville, N Carolina Asheville, Asheville
  UNC Greensboro, Spartans = UNCG, North Carolina Greensboro, NC Greensboro, Greensboro, N Carolina Greensboro
  UNC Wilmington, Seahawks = UNCW, North Carolina Wilmington, NC Wilmington, Wilmington, N Carolina Wilmington
  UNLV, Rebels, Runnin Rebels, Lady Rebels = Nevada-Las Vegas, Nevada LV, Nev Las Vegas | USC, Trojans = Southern California, Southern Cal, So Cal, S California, U.S.C., So California
  UT Arlington, Mavericks = UTA, Texas-Arlington, TX Arlington, Tex Arlington, Texas Arl
  UT Rio Grande Valley, Vaqueros = UTRGV, Texas-Rio Grande Valley, Texas RGV, UT-RGV, UT Rio Grande, Rio Grande Valley, Texas-Pan American, TX Rio Grande Valley
  UTEP, Miners = Texas-El Paso, UT El Paso, TX El Paso | UTSA, Roadrunners = Texas-San Antonio, UT San Antonio, TX San Antonio
  Utah, Utes | Utah State, Aggies | Utah Tech, Trailblazers, Trail Blazers = Dixie State | Utah Valley, Wolverines = UVU, Utah Valley State
  Valparaiso, Beacons, Crusaders = Valpo | Vanderbilt, Commodores = Vandy, VAN Commodores | VCU, Rams = Virginia Commonwealth, VA Commonwealth, Va Comm
  Vermont, Catamounts = UVM | Villanova, Wildcats = Nova, 'Nova | Virginia, Cavaliers, Hoos, Wahoos = UVA
  Virginia Tech, Hokies = VA Tech, VT, VPI | VMI, Keydets = Virginia Military, V.M.I., Va Military | Wagner, Seahawks
  Wake Forest, Demon Deacons, Deacons = Wake, W Forest | Washington, Huskies = UW, UW Huskies | Washington State, Cougars = WSU Cougars, Wazzu
  Weber State, Wildcats = Weber | West Georgia, Wolves = UWG | West Virginia, Mountaineers = WVU, W.Va | Western Carolina, Catamounts = WCU
  Western Illinois, Leathernecks = WIU | Western Kentucky, Hilltoppers, Lady Toppers = WKU | Western Michigan, Broncos = WMU
  Wichita State, Shockers = Wichita | William & Mary, Tribe = W&M, William and Mary, Wm & Mary, William Mary, College of William & Mary
  Winthrop, Eagles | Wisconsin, Badgers = WISC | Wofford, Terriers | Wright State, Raiders | Wyoming, Cowboys, Cowgirls = WYO
  Xavier, Musketeers = Xavier OH, Xavier Ohio | Yale, Bulldogs | Youngstown State, Penguins = YSU, Youngstown, Y'town State`

/** Words of names of schools, and how books abbreviate them. */
const SHORTER = new Map(
  `Northern = N No North Nrthn|North = N No Nth|Southern = S So South|South = S So Sth|Eastern = E East Estrn|East = E
  Western = W West|West = W|Central = C Cent Ctl|Southeastern = SE|Southeast = SE|Northwestern = NW
  Alabama = Ala|Arizona = Ariz AZ|Arkansas = Ark|California = Calif Cal CA|Carolina = Car Caro|Colorado = Colo
  Connecticut = Conn|Dakota = Dak|Delaware = Del|Florida = Fla FL|Georgia = Ga|Illinois = Ill|Indiana = Ind|Kansas = Kan
  Kentucky = Ky|Louisiana = La|Maryland = Md|Massachusetts = Mass|Michigan = Mich|Minnesota = Minn|Mississippi = Miss
  Missouri = Mo|Montana = Mont|Nebraska = Neb|Nevada = Nev|Oklahoma = Okla|Oregon = Ore|Pennsylvania = Penn Pa
  Tennessee = Tenn|Texas = Tex TX|Virginia = Va|Washington = Wash|Wisconsin = Wis Wisc|Christian = Chr|University = U Univ
  Commonwealth = Com|International = Intl|Valley = Val|Tech = Tech.|Mount = Mt`
    .split(/[|\n]/)
    .map((row) => row.split('='))
    .map(([word, short]) => [word!.trim(), short!.trim().split(' ')] as const),
)

/** A name of a school with one word abbreviated, or two. A single word would stand for too much. */
const abbreviated = (school: string): string[] => {
  const words = school.split(/[ -]/)
  if (words.length < 2) return []
  let forms: string[][] = [[]]
  for (const word of words) {
    const others = SHORTER.get(word) ?? []
    forms = forms.flatMap((form) => [word, ...others].map((each) => [...form, each]))
  }
  return forms.slice(1).map((form) => form.join(' '))
}

/** Slugs of names, with a nickname or without, and of school and nickname. What two schools share is of neither. */
export function* collegeAliases(): Generator<Row, void> {
  const means = new Map<string, string>()
  const shared = new Set<string>()
  const rows = COLLEGES.split(/[|\n]/).filter((row) => row.includes(','))
  // What is written in the table takes precedence over what is made from it.
  for (const isMade of [false, true]) {
    for (const row of rows) {
      const [first, others = ''] = row.split('=')
      const [school, ...nicknames] = first!.split(',').map((part) => part.trim())
      const target = slugOf(`${school} ${nicknames[0]}`)
      const written = [school!, ...others.split(',').map((part) => part.trim())].filter(Boolean)
      for (const name of isMade ? written.flatMap(abbreviated) : written) {
        const isWhole = nicknames.some((nickname) => name.endsWith(nickname))
        for (const nickname of isWhole ? [''] : ['', ...nicknames]) {
          const slug = slugOf(`${name} ${nickname}`)
          const known = means.get(slug)
          if (known === undefined) means.set(slug, target)
          else if (known !== target) shared.add(slug)
        }
      }
    }
  }
  for (const [name, target] of means) if (!shared.has(name)) yield [name, target]
}
