// Words with several spellings in all sports (see aliases.ts): forms of clubs, and cities in other languages and
// transliterations. A city has a row only where no two clubs differ by its spelling.

/** Compared form = other spellings, as in slugs: "ü" is `u` there, and the row here has `ue`. */
const WORD_ROWS = `
  united = utd | st = saint sankt sint state | club = clube klub | city = cty | county = cnty | athletic = athl
  rovers = rvs rvrs | rangers = rgrs | wanderers = wdrs wand | north = nth | south = sth | santa = sta | juniors = jrs
  dinamo = dynamo dyn din | lokomotiv = lokomotive lok loko | viktoria = victoria | olympiakos = olympiacos | real = rl
  atletico = athletico | independiente = indep | weiss = weis | preussen = preuben | shakhtar = schachtar shaktar

  prague = praha prag | moscow = moskva moskau moscou moscu mosca moskwa | belgrade = beograd belgrad belgrado
  kyiv = kiev kiew kyjiv kijow | bucharest = bucuresti bukarest bucarest
  warszawa = warsaw warschau varsovia varsovie varsavia | copenhagen = kobenhavn koebenhavn kopenhagen copenhague
  wien = vienna viena vienne | geneva = geneve genf ginevra ginebra | athens = athen athina athinon atenas atene
  lisbon = lisboa lissabon lisbonne lisbona | munich = munchen muenchen | koln = koeln cologne
  nurnberg = nuernberg nuremberg norimberga | dusseldorf = duesseldorf | furth = fuerth | munster = muenster
  monchengladbach = moenchengladbach mgladbach | saarbrucken = saarbruecken | osnabruck = osnabrueck
  lubeck = luebeck | hannover = hanover | braunschweig = brunswick bschweig | hamburg = hamburgo amburgo
  frankfurt = francfort francoforte | dresden = dresde dresda | berlin = berlino | leipzig = lipsia
  stuttgart = stoccarda | kaiserslautern = klautern | goteborg = goeteborg gothenburg gotemburgo | malmo = malmoe
  norrkoping = norrkoeping | linkoping = linkoeping | jonkoping = joenkoeping | orebro = oerebro | orgryte = oergryte
  ostersunds = oestersunds | vasteras = vaesteraas vaesteras | varnamo = vaernamo | vaxjo = vaexjoe | rogle = roegle
  lulea = luleaa | timra = timraa | farjestad = faerjestad | brynas = brynaes | bjorkloven = bjoerkloeven
  mjallby = mjaellby | hacken = haecken | brondby = broendby | hillerod = hilleroed | nordsjaelland = nordsjalland
  sonderjyske = soenderjyske | tromso = tromsoe | bodo = bodoe | lillestrom = lillestroem | valerenga = vaalerenga
  stromsgodset = stroemsgodset | aalborg = alborg | aarhus = arhus | aalesund = alesund | seinajoki = seinaejoki
  zurich = zuerich zurigo | basel = basle basilea | luzern = lucerne lucerna | bern = berne berna
  brugge = bruges bruegge brujas | gent = ghent gand | antwerp = antwerpen anvers amberes
  liege = luik luettich luttich lieja liegi | mechelen = malines | kortrijk = courtrai | oostende = ostend ostende
  brussels = bruxelles brussel bruselas | leuven = louvain | krakow = cracow krakau | gdansk = danzig
  wroclaw = breslau | poznan = posen | szczecin = stettin | plzen = pilsen | budejovice = budweis | olomouc = olmutz
  kharkiv = kharkov charkiw charkow | lviv = lvov lwow lemberg | luhansk = lugansk | odesa = odessa
  donetsk = donezk | dnipro = dnepr | rivne = rovno | zhytomyr = zhitomir | tbilisi = tiflis | yerevan = erevan eriwan
  petersburg = peterburg | nizhny = nizhniy nizhni | tolyatti = togliatti tolyatty toljatti
  makhachkala = machatschkala | kryliya = krylya krylia krylja | voronezh = woronesch
  thessaloniki = saloniki salonika thessalonika salonica tesalonica salonique thessalonique salonicco
  piraeus = pireus pireas pireo | heraklion = iraklio heraklio iraklion irakliou | larissa = larisa
  nicosia = nikosia | limassol = lemesos lemesou | larnaca = larnaka | crete = kreta kriti creta
  istanbul = istambul estambul | sofia = sofija | sevilla = seville siviglia | mallorca = majorca majorque maiorca
  zaragoza = saragossa saragosse | coruna = corunna corogne | cordoba = cordova cordoue
  strasbourg = strassburg strasburg estrasburgo strasburgo | marseille = marseilles marsella marsiglia marselha
  lyon = lyons lione | bordeaux = burdeos | dunkerque = dunkirk | torino = turin | roma = rome rom
  milan = milano mailand | napoli = naples neapel napoles | venezia = venice venedig venecia veneza | porto = oporto
  jerusalem = jerusalen | tokyo = tokio | kyoto = kioto | seoul = seul | beijing = peking pekin
  riyadh = riyad riad | jeddah = jidda jiddah`

/** Words with several spellings, and their compared form. */
export const WORDS: ReadonlyMap<string, string> = new Map(
  WORD_ROWS.split(/[|\n]/)
    .filter((row) => row.includes('='))
    .flatMap((row) => {
      const [word, spellings] = row.split('=')
      return spellings!
        .trim()
        .split(/\s+/)
        .map((spelling) => [spelling, word!.trim()] as const)
    }),
)
