// Football clubs by their tickers, nicknames and sponsors, and in other languages (see aliases.ts).

/** Clubs, by country. */
export const FOOTBALL_MORE = `
  Manchester United = MUN, MUFC, MNU, Man Untd, Manch Utd, Mcr United, Manc Utd
  Manchester City = MCI, MCFC, MNC, Manch City, Manc City, Mcr City | Everton = Everton Liverpool
  Arsenal = Arsenal London | Chelsea = Chelsea London, CFC Chelsea | Fulham = Fulham London
  Nottingham Forest = NFO, NFFC, Nott For, Nottm For, Nottingham For, Nott F, Not Forest, Notttingham Forest
  Wolverhampton Wanderers = WOL, W'hampton, W'hampton Wanderers, Wolvs
  Tottenham Hotspur = TOT, THFC, Tott Hotspur, T Hotspur, T'ham Hotspur, Tott'ham, Hotspur, Tottenham Spurs
  West Ham United = WHU, WHUFC, West Ham London, W. Ham U., WestHam Utd, West H
  Newcastle United = NUFC, NCL, Newc Utd, Newcastle Upon Tyne
  Brighton and Hove Albion = BHA, BHAFC, Brighton & H A, Brighton & Hove, Brighton & Hove Alb, Brighton & H. Albion
  Leeds United = LUFC | Crystal Palace = CRY, CPFC, CPA, Crystal Pal, Crys Palace, Cr Palace | Aston Villa = AVL, AVFC
  Bournemouth = AFCB, B'mth, Bournem'th | Brentford = Brentford London | Sunderland = SAFC
  West Bromwich Albion = W B Albion, WBrom, West Bromw, W Bromwich Albion
  Queens Park Rangers = Queens Pk Rangers, Queens P Rangers | Preston North End = Preston N End
  Sheffield Wednesday = Sheff Wedn, Shef Wed, Shef Wednesday | Sheffield United = Shef Utd, Sheffield Ud
  Birmingham City = Birmghm City | Blackburn Rovers = B'burn, B'burn Rovers
  Middlesbrough = Middlesbro, M'bro, Middlsbrough, Mid'bro, Midlesbrough, Middlesborough
  Southampton = Southton, SFC Southampton | Portsmouth = Portsm'th | Leicester City = Leic City
  Ipswich Town = ITFC, Ips Town | Stoke City = SCFC Stoke | Swansea City = Swan City
  Hull City = Hull City Tigers, Hull Tigers, HCAFC | Millwall = Millwall London | Oxford United = OUFC
  Wrexham AFC = Wrexham Town, Wrexm | Plymouth Argyle = Argyle, Plym Argyle, PAFC
  Bolton Wanderers = BWFC, Bolton Wndrs | Wycombe Wanderers = Wycombe Wndrs | Leyton Orient = LOFC, Leyton Or
  Wimbledon = AFC W'don, W'don | Luton = LTFC, Luton Tn
  Peterborough United = Peterbor Utd, Peterb'gh, P'boro Utd, Peterboro Utd
  Huddersfield Town = Hudd Town, Huddersf'ld, Hudds, HTAFC | Northampton Town = N'hampton T
  Mansfield Town = Mansfield Tn | Doncaster Rovers = Donc Rovers, D'caster | Shrewsbury Town = Shrews, Shrewsbury Tn
  Cheltenham Town = Chelt Town | Colchester United = Col Utd | Accrington Stanley = Accy Stanley, Accy
  Bristol City = Brist City, Bris C, BRC | Bristol Rovers = Brist Rovers, Bris R, Brist R
  Chesterfield FC = Chesterf'd | Crewe Alexandra = Crewe Alx | Notts County = NCO, Notts Ct | Gillingham = Gill'ham
  Wigan Athletic = Wigan Latics | Oldham Athletic = Oldham Latics | Stevenage = Stevenage Borough

  Rangers = RFC Glasgow, Rangers Scotland | Celtic = Celtic G, CEL Glasgow
  Hearts = Heart Midlothian, Hearts Edinburgh, Heart of Midlothian Edinburgh, H. o. Midlothian
  Hibernian = Hibs Edinburgh | Dundee United = Dund Utd, Dundee Ud | Kilmarnock = K'nock, Kilm'nock
  St Mirren = St M, S Mirren | Motherwell = Moth'well | Livingston = Livi, Liv'ston | Shelbourne Dublin = Shelb
  Shamrock Rovers = Shamrock Rovers Dublin
  St Patricks Athletic = St Patrick's Dublin, St Patrick's Athletic Dublin, St Pat's A, SPA Dublin
  Bohemians = Bohs Dublin | Dundalk = Dundalk Town

  Barcelona = FCB Barcelona, Barcelone, Barcellona | Real Madrid = RMA, RMCF, Real Madryt, RM Madrid
  Atlético Madrid = ATM, Atletico Madryt, Atlt Madrid, Atle Madrid, Atl. M, Atleti Madrid, Atco Madrid
  Athletic Bilbao = Athletic Bilbo, Ath. Bilb | Sevilla = SFC Sevilla | Real Betis = Real Betis Sevilla, RBB, Betis S
  Real Sociedad = RSO, RSSS, RSoc, R Soc, Real S Sebastian, La Real Sociedad
  Celta Vigo = Real Club Celta de Vigo, RCCV, Celta V
  Rayo Vallecano = RVM, Rayo Vallecano Madrid, R. Vallecano M, Rayo Vall, Rayo Vallecano M
  Espanyol = RCDE, Reial Club Deportiu Espanyol, Espanyol Barcelone, Espanyol Barca | Alavés = Alaves Vitoria-Gasteiz
  CA Osasuna = Atletico Osasuna | Mallorca = Real Club Deportivo Mallorca, Mallorque, Real Club Deportivo Mallorca SAD
  Valencia = Valence CF, Walencja | Villarreal = Vila-real | Girona = Gerona
  Levante = LEV UD, Levante Valencia, Levante Union Deportiva | Elche CF = Elx, Elche Alicante
  Deportivo La Coruña = Real Club Deportivo de La Coruña, Dep La Cor, Deportivo La Cor, Dep. L. Coruna
  Sporting Gijón = Spo Gijon, Real Sp Gijon, Sport Gijon, Sp. Gij
  Real Racing Club de Santander = R.Racing, RR Santander, Real Racing, Racing Santand
  Real Valladolid CF = Real Vallad | Las Palmas = UDLP, UD Palmas, Union Deportiva Las Palmas | Cádiz CF = Cadix
  Leganés = Leganes Madrid | SD Huesca = Sociedad Deportiva Huesca | SD Eibar = Sociedad Deportiva Eibar
  Cultural Leonesa = Cultural y D Leonesa, C Leonesa, Cult. y Dep. Leonesa, CyD Leonesa
  AD Ceuta FC = Agrupacion Deportiva Ceuta | Andorra CF = FC Andorre | Almería = Union Deportiva Almeria
  CD Mirandés = Mirandes Miranda de Ebro | CD Castellón = Castello | Real Sociedad B = RSO B

  Paris Saint Germain = PSG Paris SG, Paris St Germ, Paryz SG, Parigi SG, Paris S. Germ
  Marseille = OLM, Olimpique Marseille | Lyon = Ol. Lyonnais, O. Lyonnais, Olimpique Lyon, Olymp. Lyonnais
  Rennes = SRFC, Rennais, St. Rennes | Brest = SB29, Brestois, St Brestois, St. Brest
  Lille = LOSC Metropole, Lille M, Lille LOSC | Strasbourg = RCSA, R Strasbourg, RC Strasbourg A
  Nice = OGC Nice Cote d'Azur, OGCN Nice, Nizza, Niza, Olympique Gymnaste Club Nice | AS Monaco = ASM FC, Monako
  RC Lens = Lens Racing | Le Havre = HAC Le Havre, Le Havre Athletic Club, L Havre
  Angers = Angers Sporting Club, SCO Angers, Sporting Club de l'Ouest
  Auxerre = Association de la Jeunesse Auxerroise | Toulouse = Téfécé | Lorient = Lorient Bretagne Sud
  Metz = FC Metz Grenat | Saint Etienne = Saint-Étienne ASSE, St Etien, AS Saint-E | Stade de Reims = Reims SR
  Stade Lavallois = Stade Lavallois Mayenne FC, Stade Lavallois MFC, Lavallois Mayenne
  Montpellier = Montpellier Herault Sport Club, Montpell, Montpellier H | Guingamp = EA Guing
  Grenoble = GF 38, Grenoble F38
  Troyes = ES Troyes AC, ESTAC Troyes Aube, Estac T, ES Troyes, Esperance Sportive Troyes | Nancy = ASNL, Nancy Lor
  USL Dunkerque = US Littoral Dunkerque, USL Dunk | SC Bastia = Sporting Club Bastia, Sporting Bastia
  Red Star = Etoile Rouge Paris | Le Mans FC = Mans, Le Mans UC, Le Mans UC 72, Mans FC
  Annecy FC = Annecy Haute-Savoie | Boulogne = US Boulogne Cote d'Opale, USBCO, US Boulogne CO
  Clermont = CF63, Clermont Fd

  Bayern Munich = Bayern Monachium, Bayern Monaco, Bayern de Munique, FCB Bayern, Bayern Mun, Bayern Mchn
  Bayern Munich = FC Bayern Munchen AG, Bayern Munique, Bayern Munchen AG
  Borussia Dortmund = Bor. D'mund, Dortm, BV Dortmund, BVB Borussia Dortmund, D'mund, Borussia Dort
  Borussia Dortmund = Ballspielverein Borussia Dortmund
  Bayer Leverkusen = TSV Bayer 04, Bayer Lev, Bayer Leverk, TSV Bayer 04 Leverkusen
  Borussia Monchengladbach = Borussia M, Bor M Gladbach, Bor. M, Bor M'Gladb, Bor Mönchengl, Borussia M'Glad, M'glad
  Borussia Monchengladbach = M'gladb, Mönchengl., BMG Gladbach
  Eintracht Frankfurt = SGE, Eintr. Frankf, Eintracht F, Eintr. F'furt, F'furt, Eintracht FFM, Frankf
  RB Leipzig = Rasenballsport Leipzig eV, RasenBallsport Lpz, RB L'zig, R Leipzig, RB Lipsk, Red Bulls Leipzig
  VfL Wolfsburg = WOB, Wolfsb, Wolfsbourg, Wolfsburgo, VfL Wolfsb
  SC Freiburg = Friburgo, Fribourg-en-Brisgau, Sport-Club Freiburg, Fribourg SC, Friburgo SC, SC Fribourg, Freib
  FSV Mainz 05 = Mayence, 1. FSV Mainz, Magonza, M05, FSV Mainz 1905, Mayence 05, Moguncja
  1. FC Köln = Effzeh, 1. FC Colonia, FC Colonia, Kolonia | Hamburger SV = Hambourg, Hambourg SV
  Werder Bremen = Brême, Werder Brême, Werder Brem, W. Brem | Augsburg = Augsb, Augsbourg, Augsburgo, FC Augsbourg
  TSG Hoffenheim = TSG 1899, TSG Hoff | Union Berlin = 1. FC Union, 1. FC Union Berlin eV, Eisern Union
  FC St. Pauli = STP, Pauli Hamburg | 1. FC Heidenheim = Heidenheim 1846, Heidenh
  FC Schalke 04 = Schalke Gelsenkirchen, Sch 04 | Hertha Berlin = HBSC, Hertha Berliner SC
  Hannover 96 = H96, Hanovre, Hanovre 96, Hanower | 1. FC Nürnberg = FCN Nürnberg, 1. FC N'berg, N'berg, Nurnb
  Fortuna Düsseldorf = F95, D'dorf, Fort D'dorf, Fortuna D'dorf, Fortuna 95, Fortuna D | Karlsruher SC = Karlsr
  SV Darmstadt 98 = Darmst, D 98 | 1. FC Kaiserslautern = Kaisersl, FC Kaisersl | 1. FC Magdeburg = Magdeb, Magdebourg
  SC Paderborn = SCP 07, Paderb | Elversberg = Elversb, Spiesen-Elversberg | Eintracht Braunschweig = BTSV
  Holstein Kiel = Holst Kiel | Greuther Fürth = Sp Greuther Furth, Greuth Fürth, Spvgg Greuth. Furth
  SC Preußen Münster = Pr. Münster, Preusen Munster, Preussen Munst | Arminia Bielefeld = Arm. B'feld, B'feld
  Rot-Weiss Essen = RWEssen | Erzgebirge Aue = Wismut Aue, Erzgeb Aue | Wehen Wiesbaden = SV Wehen Wiesb, Wehen Wiesb
  Waldhof Mannheim = SV Waldhof 07, Waldh Mannheim, Waldhof M, SVW Mannheim
  Jahn Regensburg = Jahn Regensb, SSV Jahn R | FC Viktoria Köln 1904 = Viktoria K, Viktoria Colonia
  MSV Duisburg = Meidericher SV, Duisb | Schweinfurt = Schweinf | FC Ingolstadt 04 = Ingolst
  Alemannia Aachen = Alem Aachen, TSV Alemannia Aachen, Aix-la-Chapelle, ATSV Alemannia Aachen
  Hansa Rostock = FCH Rostock | VfL Osnabrück = VfL O, Osnabr, VfL Osnabr | SC Verl = Sportclub Verl
  1. FC Saarbrücken = Saarbr, Sarrebruck, 1. FC S'brücken

  Inter Milan = Inter Mediolan, Internazionale M, Inter M, Inter Milão | AC Milan = Mediolan, ACM Milan, AC Mil
  Juventus = Juventus Turyn, Juve Turin, Juv Turin | AS Roma = ASR, Rzym, A.S. Roma SpA | Lazio = Lazio Rzym
  Napoli = Neapol | Torino = Turyn | Atalanta BC = Atalanta Bergame, Atalanta Berg
  Fiorentina = Fiorentina Florenz, AC Florenz, AC Florence, Fiorentina Firenze, Florenz, ACF Florenz
  Bologna = Bologne, Bolonia, Bolonha | Genoa = CFC Genua, Genua, Gênes, Genoa Cricket and Football Club
  Hellas Verona = Hellas Vérone, Vérone, Hellas, Hellas Ver
  Sampdoria = Sampdoria Genova, Sampdoria Genoa, Sampdoria Genua, Sampd, Sampdoria Gênes, UC Sampdoria Genoa
  Parma = PMA, Parme | Como = Côme | Pisa = Pise | Venezia = VEN FC, Venise | Monza = Monza Brianza
  Palermo = Palerme | Padova = Padua, Padoue | Mantova = Mantua, Mantoue | Modena = Modène | Spezia = S La Spezia
  Südtirol = FC Südtirol Bozen, FCS Südtirol, Suedtirol Bozen, Südtirol Bozen | Juve Stabia = JS Stabia, Juve St
  Virtus Entella = Entella Chiavari, Virtus E | Pescara = Delfino Pescara, Delfino Pescara 1936

  Sporting Lisbon = SCP Lisbon, Sporting Lizbona, Spo. Lisboa, Sporting L, Spg Lisbon, Sporting C. de Portugal
  Sporting Lisbon = Sporting Portugal Lisbon, S Portugal | Benfica = Benfica Lizbona, Benfica L, SL Ben, SLB Benfica
  FC Porto = POR Porto, Futebol Clube do Porto | Braga = SCB Braga, Spo Braga
  Vitória SC = Vitoria Sport Clube, Vitoria Guim, Guimar | CF Estrela = CFEA, Estrela Amad, Estr. Amadora
  AVS Futebol SAD = AVS Vila das Aves, AVS Aves, AVS Fut SAD | Estoril = Estoril Pr, E. Praia, Estor Praia
  Nacional = CD Nacional Funchal, Nacional Funchal, Nac. da Madeira | Casa Pia = CPAC, C Pia
  Famalicão = Famal, FC Famal | Gil Vicente = GVFC, Gil Vic, Gil V | Rio Ave FC = Rio A, Rio Ave Vila Conde
  Santa Clara = CDSC, Santa C, Santa Clara Azores, Santa Clara Acores, St Clara | Moreirense FC = Moreir
  Tondela = Desportivo de Tondela

  Ajax = AJA Amsterdam, Ajax Ams, Ajax A'dam, A'dam Ajax | PSV Eindhoven = PSV Eindh, PSV E'hoven
  Feyenoord = Feijenoord, Feyenoord R'dam, Feyenrd, Feye, Feijenoord Rotterdam | AZ Alkmaar = AZ A, Alkmaar Zaanstreek
  FC Zwolle = PECZ, PEC Zw | NEC Nijmegen = NEC N, Nimegue | FC Twente Enschede = FC Tw, Twente Ensch
  Go Ahead Eagles = GAE Deventer, Go Ahead Eag, GA Eagles Deventer, G. Ahead Eagles, Go Ahead Deventer
  Go Ahead Eagles = GoAhead Eagles | Heerenveen = Heerenv, SC Heerenv | Groningen = FC Gron, Groningue
  FC Utrecht = FCU Utrecht, FC Utr | FC Volendam = Volend | Sparta Rotterdam = Sparta R'dam, Spa Rotterdam, Sp. R'dam
  Excelsior = Exc R'dam, Excelsior R'dam, Excelsior R | Heracles Almelo = Hercules Almelo, Heracl Almelo
  SC Telstar = Telstar IJmuiden | Fortuna Sittard = Fort. Sitt, Fortuna S, Fortuna 54

  Club Brugge = CL Brugge, Club Brugia | Cercle Brugge KSV = Cer Brugge, Koninklijke Sportvereniging Cercle Brugge
  Anderlecht = Royal Sporting Club Anderlecht, Anderlecht Brussels, And'lecht
  Standard Liege = Stand. Liege, Std Liege, R. Standard Liege
  Union Saint-Gilloise = RUSG, Un. St. Gilloise, U. Saint-G., R.U. Saint-Gilloise, Union Gillis
  Union Saint-Gilloise = Royale Union Saint Gilloise Brussels, Union SG Brussels, Union St Gilles
  Royal Antwerp = RAFC Antwerp | Gent = KAAG, ARA La Gantoise | Leuven = OHL Leuven, OH Löwen
  Sint Truiden = Saint-Trond VV, S Truiden, Koninklijke Sint-Truidense VV | SV Zulte-Waregem = SVZW, Essevee Zulte
  RAAL La Louvière = RAA Louvieroise La Louviere, RAAL Louviere, Raal La Louv
  Charleroi = Royal Charleroi Sporting Club, Sp. Charler, Sporting Charl, R.C.S. Charleroi, Royal Sporting Charleroi
  KV Mechelen = YRKV Mechelen | Westerlo = VC Westerlo, KVCW, Westel

  RB Salzburg = RBS, RB Salzbourg, Salisburgo, RB Salisburgo, Red Bull Salzbourg, Salzburgo, RBSalzburg, Salzbourg
  Rapid Wien = SCR, Rapid Wieden, Rapid V | Sturm Graz = Sturm G | Austria Wien = FAK, Austria V, Austria Wieden
  LASK = Linz LASK | FC Blau-Weiß Linz = BWL, FC BWL, FC Blau Weiss | WSG Tirol = WSG Tyrol, WSG Swarovski Tyrol
  Wolfsberger AC = Wolfsb AC, WAC Wolfsberg, WAC St Andra, RZ Pellets, RZ Wolfsberger AC
  Rheindorf Altach = SCRA, Rheindorf A, Rhein. Altach | Hartberg = TSV Egger Hartberg, TSV Hartb, Hartb
  Ried = SV Josko Ried | BSC Young Boys = YBB | FC Basel = FC Bâle, Bâle, Bazylea
  Grasshopper Zürich = Grasshoppers Z, Grassh. Zürich, Grasshopp
  FC St Gallen = FCSG, San Gallo, FC San Gallo, S Gallen | FC Lausanne-Sport = Laus. Sport, LS Lausanne
  Servette = SFC Geneve, Ginevra, Servette G | FC Luzern = FCL Luzern | FC Winterthur = Winterth, Winti
  FC Sion = Sitten, FC Sitten | FC Thun = Thoune, FC Thoune

  FC Copenhagen = FCK Copenhagen, FC Kopenhaga, Kopenhaga, Copenaghen, FC Copenaghen, FC Kopenh
  AGF Aarhus = AGF A, Aarhus Gymnastikforening, AGF Arhus GF | OB Odense BK = Odense Boldk | Brondby IF = BIF, Brondb
  FC Midtjylland = FCM Midtjylland, Midtj, FC Midtj | FC Nordsjaelland = FCN Nordsjaelland, N'sjaelland
  SonderjyskE = SJE, Sonderj | Vejle Boldklub = Vejle Boldk | Viborg FF = Viborg Fodsports Forening
  Silkeborg IF = Silkeb | Randers FC = Rand FC | Bodø/Glimt = BodoGlimt, Bodo Gl
  Rosenborg = RBK Trondheim, Rosenborg Ballklub | Vålerenga = VIF Fotball, V'enga, Valereng
  Tromso = Tromsø Idrettslag | SK Brann = BRA Bergen | Viking FK = Viking Stav
  Fredrikstad FK = Fr.stad, F'stad, Fredrikst | Sarpsborg FK = Sarp 08, Sarpsb 08 | HamKam = HamKam Hamar
  Kristiansund BK = K'sund, Kristians BK | Aalesund = AaFK | Sandefjord = Sandefj
  Strømsgodset = SIF Drammen, Stromsg, Godset
  AIK = AIK Stockh, AIK Fotbollsforening, AIK Sthlm, Allmanna Idrottsklubben
  Djurgardens IF = Djurg IF, Djurgaardens IF | Malmo FF = Malmo Fotbollforening
  IFK Goteborg = IFK G'borg, G'borg IFK, IFK Gbg, Blåvitt | Hammarby IF = Hammarby Sthlm
  IF Brommapojkarna = Bromma P | IF Elfsborg = Elfsb | Mjällby AIF = MAIF | Örgryte IS = ÖIS Göteborg, Örgr
  Halmstads BK = Halmst BK | Degerfors IF = Degerf | Östers IF = Öster Växjö | Östersunds FK = ÖFK
  IFK Norrkoping = IFKN, N'köping, Norrkop | Helsingborgs IF = Helsingb, HIF Helsingborg | Landskrona BoIS = Landskr
  Varbergs BoIS = Varberg BoIS, VBoIS | IK Oddevold = Oddevold Uddevalla | Norrby IF = Norrby Boras
  HJK Helsinki = HJK H, Helsingin Jalkapalloklubi, HJK Helsingfors | KuPS Kuopio = KuPS K, Kuopion Pallos, Kups Kup
  SJK Seinäjoki = SJK S, Seinäjoen Jalkapallokerho, SJK Sein | FC Inter Turku = Inter Abo, FC Inter T
  TPS Turku = TPS T, TPS Åbo, Abo TPS | VPS Vaasa = VPS V, Vasa VPS, Vaasan Palloseura VPS | AC Oulu = AC O
  IF Gnistan = Gnistan Hels | IFK Mariehamn = IFKM, IFK Mar | Jaro = FF Jaro Jakobstad
  Ilves Tampere = Ilves T, Ilves Tammerfors

  Olympiakos Piraeus = OLY Piraeus, Olympiakos CFP Piraeus, Ol. Piraeus, Olimpiakos, Olympiakos Piräus
  Olympiakos Piraeus = Olimpiakos Pireus, Olympiakos Piree, Olympiakos Le Pirée, Olymp. Pir, Olympiakos SFP
  Panathinaikos = PAO, PAO Athens, Panath, Panathinaikos Ateny
  PAOK Thessaloniki = PAOK S, PAOK T, Paok Salon, PAOK Thessal | AEK Athens = AEK Ateny | Aris Thessaloniki = Aris T
  Asteras Tripolis = Ast. Tripoli, Asteras Trip | Atromitos Athens = Atrom Athens, APS Atromitos, Atromitos Ateny
  OFI Crete = OFI Cr, Omilos Filathlon Irakliou
  Panetolikos Agrinio = Panetolikos GFS, PNE Agrinio, Panaitol, GFS Panetolikos | AEL = Larissa AEL, AEL L
  Volos FC = VOL Volos, NFC Volou | Panserraikos FC = Panserr, MGS Panserraikos
  Levadiakos = Levad, Livadiakos, APO Levadeiakos | Fenerbahce = Fenerbache, Fenerbahçe Stambul, F'bahce, F. Bahce
  Galatasaray = Galatas, G'saray, Galatasaray Stambul
  Besiktas JK = BJK, BES, Besikt, Besiktas Jimnastik Kulubu, Besiktas Stambul | Trabzonspor = Trabzonsp
  Basaksehir = IBFK, Başakşehir Istanbul, Ist. Basak, Basaks
  Fatih Karagümrük = FKG, Fatih K, VavaCars Fatih Karagumruk, Misirli Fatih Karagumruk
  Fatih Karagümrük = Mısırlı.com.tr Fatih Karagümrük
  Gazişehir Gaziantep = Gaz. Gaziantep, Gaziantep BBK, Gaziantep Buyuksehir
  Torku Konyaspor = Konyasp, Tümosan K, Arabam.com Konyaspor | Çaykur Rizespor = Rizesp, Caykur R
  Genclerbirligi SK = Gencler, Gencl Birligi, Genclerb, Natura Dunyasi Genclerbirligi | Kasimpasa SK = Kasimp
  Alanyaspor = Aytemiz Alanyaspor | Antalyaspor = Fraport TAV Antalyaspor, Onvo Antalyaspor, Bitexen Antalyaspor
  Kayserispor = Yukatel Kayserispor, Mondihome Kayserispor, Bellona Kayserispor | Samsunspor = Yilport Samsunspor`

/** Second teams with their own names. */
export const SECOND_TEAMS = `
  Athletic Bilbao B = Bilbao Athletic | Athletic Bilbao C = Basconia, CD Basconia | Real Madrid B = Real Madrid Castilla
  Sevilla B = Sevilla Atlético | Valencia B = Valencia Mestalla, VCF Mestalla, Mestalla
  Oviedo B = Real Oviedo Vetusta, Oviedo Vetusta, Vetusta | Real Valladolid B = Real Valladolid Promesas, Promesas Valladolid
  Las Palmas B = Las Palmas Atlético | Levante B = Atlético Levante | Málaga B = Atlético Malagueño
  Atlético Madrid B = Atlético Madrileño | Granada B = Recreativo Granada, Recreativo de Granada
  Celta Vigo B = Celta Fortuna | Alavés B = Deportivo Alavés Glorioso | Deportivo La Coruña B = Fabril, Deportivo Fabril
  Juventus B = Juventus Next Gen | Atalanta B = Atalanta Futuro | AC Milan B = Milan Futuro`
