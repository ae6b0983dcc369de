// Football clubs and national teams in other books' spellings (see aliases.ts).

/** National teams, in every sport. */
export const NATIONS = `
  DR Congo = Congo DR, Congo Democratic Republic, Democratic Republic of the Congo, Democratic Republic of Congo, DRC
  USA = United States, United States of America, US, U.S.A.
  South Korea = Korea Republic, Republic of Korea, Korea South, Korea Rep
  North Korea = Korea DPR, DPR Korea, Korea North | Ivory Coast = Cote d'Ivoire | Czech Republic = Czechia
  Turkey = Türkiye | Cape Verde = Cabo Verde, Cape Verde Islands | Bosnia & Herzegovina = Bosnia, Bosnia-Herzegovina
  Iran = IR Iran, Islamic Republic of Iran | China = China PR
  Republic of Ireland = Ireland, Rep of Ireland, Eire, Ireland Republic | North Macedonia = Macedonia, FYR Macedonia
  Eswatini = Swaziland | Netherlands = Holland | Saudi Arabia = Saudi, KSA | United Arab Emirates = UAE
  Bosnia & Herzegovina = Bosnia and Herz, Bosnia Herz | Chinese Taipei = Taiwan | Trinidad and Tobago = Trinidad, T&T
  Kyrgyzstan = Kyrgyz Republic | East Timor = Timor-Leste | The Gambia = Gambia | New Zealand = NZ | South Africa = RSA
  Brunei = Brunei Darussalam | Hong Kong = Hong Kong China | Macau = Macao | Palestine = Palestinian Territories
  Syria = Syrian Arab Republic | Antigua and Barbuda = Antigua | England = ENG | Scotland = SCO`

/** Clubs, by country. */
export const FOOTBALL = `
  Manchester United = Man United, Man Utd, Man U | Manchester City = Man City
  Nottingham Forest = Nottm Forest, Nott Forest, Notts Forest, Forest | Wolverhampton Wanderers = Wolves, Wolverhampton
  Tottenham Hotspur = Spurs, Tottenham | West Ham United = West Ham | Newcastle United = Newcastle
  Brighton and Hove Albion = Brighton, Brighton Hove | Leeds United = Leeds
  West Bromwich Albion = West Bromwich, West Brom, WBA | Leicester City = Leicester | Ipswich Town = Ipswich
  Luton = Luton Town | Birmingham City = Birmingham | Blackburn Rovers = Blackburn | Charlton Athletic = Charlton
  Coventry City = Coventry | Derby County = Derby | Hull City = Hull | Norwich City = Norwich | Oxford United = Oxford
  Preston North End = Preston, Preston NE, PNE | Queens Park Rangers = QPR | Sheffield United = Sheff Utd, Sheff United
  Sheffield Wednesday = Sheff Wed, Sheffield Wed, Sheffield Weds | Stoke City = Stoke | Swansea City = Swansea
  Bolton Wanderers = Bolton | Bradford City = Bradford | Burton Albion = Burton | Cardiff City = Cardiff
  Doncaster Rovers = Doncaster | Exeter City = Exeter | Huddersfield Town = Huddersfield | Lincoln City = Lincoln
  Mansfield Town = Mansfield | Northampton Town = Northampton | Peterborough United = Peterborough, Peterboro
  Plymouth Argyle = Plymouth | Rotherham United = Rotherham | Stockport County FC = Stockport | Wigan Athletic = Wigan
  Wycombe Wanderers = Wycombe | Accrington Stanley = Accrington | Bristol Rovers = Bristol Rvs
  Cambridge United = Cambridge | Cheltenham Town = Cheltenham | Colchester United = Colchester | Crawley Town = Crawley
  Crewe Alexandra = Crewe | Fleetwood Town = Fleetwood | Grimsby Town = Grimsby | Harrogate Town = Harrogate
  Milton Keynes Dons = MK Dons | Newport County = Newport | Oldham Athletic = Oldham | Salford City = Salford
  Shrewsbury Town = Shrewsbury | Swindon Town = Swindon | Tranmere Rovers = Tranmere

  Hearts = Heart of Midlothian | Hibernian = Hibs | Rangers = Glasgow Rangers | Celtic = Glasgow Celtic
  Shelbourne Dublin = Shelbourne | St Patricks Athletic = St Pats, St Patricks
  Bohemians = Bohemians Dublin, Bohemian FC, Bohemian

  Athletic Bilbao = Ath Bilbao, Athletic Club, Athletic | Atlético Madrid = Ath Madrid, Atl Madrid, Atletico
  Barcelona = Barca | Real Betis = Betis, Betis Sevilla, Real Betis Balompie | Celta Vigo = Celta, RC Celta
  Real Sociedad = Sociedad, R Sociedad | Rayo Vallecano = Vallecano, Rayo
  Espanyol = Espanol, RCD Espanyol, Espanyol Barcelona | Alavés = Deportivo Alaves | CA Osasuna = Osasuna Pamplona
  Mallorca = RCD Mallorca, Real Mallorca | Oviedo = Real Oviedo | Real Valladolid CF = Valladolid
  Zaragoza = Real Zaragoza | Deportivo La Coruña = La Coruna, Deportivo Coruna, Dep La Coruna, RC Deportivo
  Sporting Gijón = Sp Gijon, Real Sporting
  Real Racing Club de Santander = Racing Santander, Racing de Santander, Real Racing Santander, Santander, Racing Sant
  Real Sociedad B = Sociedad B | Cultural Leonesa = Leonesa, Cultural y Deportiva Leonesa | Real Madrid = R Madrid

  Paris Saint Germain = Paris SG, PSG, Paris St-G | Paris FC = FC Paris
  Marseille = Olympique Marseille, Olympique de Marseille, OM | Lyon = Olympique Lyonnais, Olympique Lyon, OL
  Rennes = Stade Rennais, Stade Rennes | Brest = Stade Brestois, Stade Brest, Stade Brestois 29 | Nice = OGC Nice
  Lille = LOSC, Lille OSC, LOSC Lille | Strasbourg = RC Strasbourg Alsace, Racing Strasbourg | Le Havre = HAC
  Angers = Angers SCO | Auxerre = AJ Auxerre | Saint Etienne = ASSE | Stade de Reims = Reims
  Stade Lavallois = Laval, Stade Laval | Montpellier = Montpellier HSC | Clermont = Clermont Foot, Clermont Foot 63
  Guingamp = EA Guingamp, En Avant Guingamp | Grenoble = Grenoble Foot 38, GF38
  Nancy = AS Nancy Lorraine, Nancy Lorraine | Troyes = ESTAC Troyes, ESTAC | USL Dunkerque = Dunkerque
  Red Star = Red Star Paris, Red Star Saint-Ouen | Rodez AF = Rodez, Rodez Aveyron | Boulogne = Boulogne-sur-Mer

  Bayern Munich = Bayern München, Bayern Muenchen, Bayern | Borussia Dortmund = Dortmund, B Dortmund, BVB
  Bayer Leverkusen = Leverkusen, B Leverkusen, Bayer 04
  Borussia Monchengladbach = Mgladbach, Mönchengladbach, Gladbach, Bor Monchengladbach, B Monchengladbach
  Borussia Monchengladbach = Moenchengladbach, Borussia Moenchengladbach, Borussia Mgladbach
  Eintracht Frankfurt = Ein Frankfurt, Frankfurt, E Frankfurt | 1. FC Köln = Cologne, FC Cologne, Koeln
  Hamburger SV = Hamburg, HSV | Hertha Berlin = Hertha BSC, Hertha | Werder Bremen = Bremen
  RB Leipzig = RasenBallsport Leipzig, Red Bull Leipzig, Leipzig | 1. FC Nürnberg = Nuremberg, Nuernberg
  Greuther Fürth = SpVgg Greuther Furth, Greuther Fuerth, Furth | Arminia Bielefeld = Bielefeld, DSC Arminia Bielefeld
  Hannover 96 = Hanover | Fortuna Düsseldorf = Dusseldorf, Fortuna Duesseldorf, F Dusseldorf | Holstein Kiel = Kiel
  Karlsruher SC = Karlsruhe | SC Preußen Münster = Munster, Preussen Muenster | Dynamo Dresden = Dresden
  Eintracht Braunschweig = Braunschweig | TSV 1860 München = 1860 Munich, Munich 1860, TSV 1860 Munich, 1860 Munchen
  Alemannia Aachen = Aachen | Hansa Rostock = Rostock | Rot-Weiss Essen = RW Essen | MSV Duisburg = Duisburg
  VfL Osnabrück = Osnabrueck | Waldhof Mannheim = SV Waldhof, Mannheim | Wehen Wiesbaden = SV Wehen, Wehen
  Jahn Regensburg = SSV Jahn, Regensburg | Erzgebirge Aue = Aue | FC Energie Cottbus = Cottbus

  Inter Milan = Inter, Internazionale, FC Internazionale, Internazionale Milano, Inter Milano
  AC Milan = Milan, Milan AC | Hellas Verona = Verona, H Verona | Juventus = Juve, Juventus Turin | Napoli = Naples
  Lazio = Lazio Roma, Lazio Rome | Fiorentina = ACF Fiorentina | Atalanta BC = Atalanta Bergamo
  Südtirol = Sud Tirol, Alto Adige | Virtus Entella = Entella | Sampdoria = UC Sampdoria

  Sporting Lisbon = Sporting CP, Sporting, Sporting Clube de Portugal, Sp Lisbon, Sporting Lisboa
  Benfica = SL Benfica, Benfica Lisbon, Benfica Lisboa
  Vitória SC = Vitoria Guimaraes, Guimaraes, V Guimaraes, Vitoria de Guimaraes | Braga = Sporting Braga, Sp Braga
  CF Estrela = Estrela Amadora, Estrela da Amadora, E Amadora | AVS Futebol SAD = AVS, AFS, AVS FS
  Estoril = Estoril Praia, GD Estoril | Nacional = Nacional Madeira, Nacional da Madeira | Casa Pia = Casa Pia Lisbon

  Ajax = Ajax Amsterdam | AZ Alkmaar = AZ | PSV Eindhoven = PSV | Feyenoord = Feyenoord Rotterdam
  FC Zwolle = PEC Zwolle | NEC Nijmegen = NEC, N.E.C. | Heracles Almelo = Heracles
  FC Twente Enschede = Twente, FC Twente | NAC Breda = NAC | Excelsior = Excelsior Rotterdam, SBV Excelsior
  Go Ahead Eagles = GA Eagles, Go Ahead | Sparta Rotterdam = Sparta | Fortuna Sittard = Sittard, For Sittard

  Club Brugge = Bruges, FC Bruges, Club Bruges | Cercle Brugge KSV = Cercle Bruges
  Standard Liege = Standard, St Liege | Union Saint-Gilloise = Union SG, St Gilloise, Royale Union SG
  Royal Antwerp = Antwerp | Gent = KAA Gent, La Gantoise | Leuven = OH Leuven, Oud-Heverlee Leuven
  Sint Truiden = STVV | SV Zulte-Waregem = Waregem | RAAL La Louvière = La Louviere, RAAL | Anderlecht = RSC Anderlecht
  Genk = Racing Genk | Charleroi = Sporting Charleroi, Sporting de Charleroi, RSC Charleroi
  KV Mechelen = Malines, YR KV Mechelen | Dender = FCV Dender, Dender EH

  RB Salzburg = Red Bull Salzburg, FC Salzburg, Salzburg | Rapid Wien = Rapid Vienna, SK Rapid
  Austria Wien = Austria Vienna | Sturm Graz = SK Sturm | LASK = LASK Linz | FC Blau-Weiß Linz = BW Linz, FC BW Linz
  WSG Tirol = WSG Swarovski Tirol, Tirol, WSG Wattens | Wolfsberger AC = Wolfsberg, WAC, RZ Pellets WAC
  Rheindorf Altach = Altach, SCR Altach, Cashpoint Altach | Hartberg = TSV Hartberg | Grazer AK = GAK, GAK 1902
  BSC Young Boys = Young Boys Bern, YB | FC Zurich = Zuerich
  Grasshopper Zürich = Grasshoppers, Grasshopper Club, Grasshopper, Grasshoppers Zurich
  FC Lausanne-Sport = Lausanne, Lausanne Sports | Servette = Servette Geneva, Servette Geneve | FC Luzern = Lucerne

  FC Copenhagen = FC Kobenhavn, Kobenhavn | OB Odense BK = OB, Odense, Odense BK, Odense Boldklub
  AGF Aarhus = AGF, Aarhus, Århus | Brondby IF = Broendby | SonderjyskE = Sonderjyske Haderslev
  Vejle Boldklub = Vejle | Bodø/Glimt = Bodoe/Glimt | Vålerenga = Valerenga Oslo | HamKam = Ham-Kam, Hamarkameratene
  KFUM = KFUM Oslo | SK Brann = Brann Bergen | Tromso = Tromsø IL | Viking FK = Viking Stavanger
  IK Start = Start Kristiansand | Aalesund = Ålesund, Aalesunds FK, Aalesunds | AIK = AIK Stockholm, AIK Solna
  BK Hacken = Haecken | Djurgardens IF = Djurgarden | Malmo FF = Malmoe
  IFK Goteborg = Gothenburg, IFK Gothenburg, Goteborg | Halmstads BK = Halmstad | Hammarby IF = Hammarby Stockholm
  IF Brommapojkarna = Bromma, BP | IF Elfsborg = Elfsborg Boras | IK Sirius = Sirius Uppsala | GAIS = GAIS Goteborg
  Mjällby AIF = Mjallby, Mjaellby | Västerås SK = Vaesteraas | Örgryte IS = Orgryte | IFK Norrkoping = Norrköping
  Helsingborgs IF = Helsingborg | GIF Sundsvall = Sundsvall | Östersunds FK = Ostersund
  Östers IF = Oster, Östers Växjö | Falkenbergs FF = Falkenberg | Varbergs BoIS = Varberg, Varbergs
  Landskrona BoIS = Landskrona | HJK Helsinki = HJK | KuPS Kuopio = KuPS | SJK Seinäjoki = SJK | TPS Turku = TPS
  VPS Vaasa = VPS, Vaasan PS | Ilves Tampere = Ilves | IFK Mariehamn = Mariehamn | IF Gnistan = Gnistan Helsinki

  Olympiakos Piraeus = Olympiacos, Olympiakos, Olympiacos Piraeus, Olympiakos CFP
  PAOK Thessaloniki = PAOK, PAOK Saloniki, PAOK Salonika | AEK Athens = AEK, AEK Athen
  Aris Thessaloniki = Aris, Aris Saloniki | AEL = AEL Larissa, Larissa, AEL Larisa | OFI Crete = OFI, OFI Heraklion
  Asteras Tripolis = Asteras, Asteras AKTOR, Asteras Tripoli | Atromitos Athens = Atromitos
  Panetolikos Agrinio = Panetolikos | Volos FC = Volos NFC, NFC Volos, Volos NPS | Panathinaikos = Panathinaikos Athens
  Panserraikos FC = Panserraikos Serres | AE Kifisia FC = Kifisia, Kifissia, AE Kifisias
  Fenerbahce = Fenerbahçe Istanbul | Galatasaray = Galatasaray Istanbul | Besiktas JK = Beşiktaş, Besiktas Istanbul
  Basaksehir = Istanbul Basaksehir, Medipol Basaksehir, Istanbul BB | Fatih Karagümrük = Karagumruk
  Gazişehir Gaziantep = Gaziantep, Gaziantep FK, Gaziantep BB | Torku Konyaspor = Konyaspor
  Çaykur Rizespor = Rizespor | Genclerbirligi SK = Genclerbirligi Ankara | Goztepe = Göztepe Izmir
  Kasimpasa SK = Kasimpasa Istanbul

  CSKA Moscow = CSKA, CSKA Moskva, CSKA M | Dinamo Moscow = Dynamo Moscow, Dinamo Moskva, Dynamo Moskva, Din. Moscow
  Lokomotiv Moscow = Lokomotiv, Lok Moscow, Lokomotiv Moskva | Spartak Moscow = Spartak Moskva, Spartak
  Zenit St Petersburg = Zenit, Zenit Petersburg
  Kryliya Sovetov = Krylya Sovetov, Krylia Sovetov, Krylya Sovetov Samara, Krylia Sovetov Samara, KS Samara
  Rubin Kazan = Rubin | Gazovik Orenburg = Orenburg, FK Orenburg | FC Akhmat Grozny = Akhmat, Terek Grozny
  FC Dynamo Makhachkala = Dinamo Makhachkala | FC Akron Tolyatti = Akron Togliatti, Akron
  FC Nizhny Novgorod = Pari NN, Pari Nizhny Novgorod, Pari Nizhniy Novgorod | FC Baltika Kaliningrad = Baltika
  Legia Warszawa = Legia Warsaw, Legia | Cracovia Kraków = Cracovia
  Nieciecza = Termalica, Bruk-Bet Termalica, Termalica Nieciecza, Bruk-Bet Termalica Nieciecza, Termalica BB Nieciecza
  Radomiak Radom = Radomiak | Jagiellonia Białystok = Jagiellonia | Lech Poznań = Lech | Górnik Zabrze = Gornik
  Raków Częstochowa = Rakow | Pogoń Szczecin = Pogon | Widzew Łódź = Widzew | Arka Gdynia = Arka
  Lechia Gdańsk = Lechia | Korona Kielce = Korona | Piast Gliwice = Piast

  América = America Mexico, America CDMX | Guadalajara = Chivas, Chivas Guadalajara, Guadalajara Chivas
  Pumas = Pumas UNAM, UNAM Pumas, UNAM, Universidad Nacional | Tigres = Tigres UANL, UANL Tigres, UANL
  Tijuana = Xolos, Xolos de Tijuana | Atlas = Atlas Guadalajara | Toluca = Deportivo Toluca
  Monterrey = Rayados, Rayados Monterrey | Querétaro = Gallos Blancos | FC Juárez = Bravos Juarez, FC Juarez Bravos
  Atlético San Luis = San Luis, Atl San Luis | CF Montreal = Montreal Impact | D.C. United = DC United, DC Utd
  Los Angeles FC = LAFC, LA FC | LA Galaxy = Los Angeles Galaxy, L.A. Galaxy | New York City FC = NYCFC, NYC FC
  New York Red Bulls = NY Red Bulls, NYRB, New York RB | Sporting Kansas City = Sporting KC, SKC
  Real Salt Lake = Salt Lake, RSL | San Jose Earthquakes = SJ Earthquakes | New England Revolution = NE Revolution
  Boca Juniors = Boca | Estudiantes La Plata = Estudiantes, Estudiantes LP
  Gimnasia La Plata = Gimnasia LP, Gimnasia y Esgrima La Plata, GELP | Gimnasia Mendoza = Gimnasia y Esgrima Mendoza
  Newells Old Boys = Newells | Velez Sarsfield BA = Velez Sarsfield, Velez
  Argentinos Juniors = Argentinos, Argentinos Jrs | Atlético Huracán = Huracan, CA Huracan
  Atlético Tucuman = Tucuman, Atl Tucuman | Belgrano de Cordoba = Belgrano, CA Belgrano | CA Tigre BA = Tigre, CA Tigre
  Central Córdoba = Central Cordoba SdE, Central Cordoba Santiago del Estero, Central Cordoba de Santiago
  Central Córdoba = C Cordoba SdE | Deportivo Riestra = Riestra, Dep Riestra | Instituto de Córdoba = Instituto
  Racing Club = Racing Avellaneda, Racing Club de Avellaneda, Racing Club Avellaneda, Racing
  Independiente = Independiente Avellaneda | River Plate = River, River Plate Buenos Aires
  Sarmiento de Junin = Sarmiento | Talleres = Talleres Cordoba, Talleres de Cordoba
  Union Santa Fe = CA Union, Union SF | Aldosivi Mar del Plata = Aldosivi
  Independiente Rivadavia = Ind Rivadavia, CS Independiente Rivadavia, Independiente Riv
  Independiente Rivadavia = Independiente Rivadavia Mendoza | San Lorenzo = San Lorenzo de Almagro
  Defensa y Justicia = Def y Justicia, Defensa Justicia, Defensa & Justicia
  Estudiantes de Río Cuarto = Estudiantes Rio Cuarto, Estudiantes RC, AA Estudiantes
  Flamengo = Flamengo RJ, CR Flamengo | Fluminense = Fluminense RJ | Botafogo = Botafogo RJ, Botafogo FR
  Vasco da Gama = Vasco, Vasco da Gama RJ, CR Vasco da Gama | Palmeiras = Palmeiras SP, SE Palmeiras
  Corinthians = Corinthians SP, Corinthians Paulista | Santos = Santos SP | Sao Paulo = Sao Paulo SP
  Bragantino-SP = Bragantino, RB Bragantino, Red Bull Bragantino
  Atletico Mineiro = Atletico MG, Atl Mineiro, CA Mineiro
  Atletico Paranaense = Athletico Paranaense, Athletico PR, Atletico PR, CA Paranaense, Club Athletico Paranaense
  Atletico Goianiense = Atletico GO, Atl Goianiense | Grêmio = Gremio RS, Gremio Porto Alegre, Gremio FBPA
  Internacional = Internacional RS, Internacional Porto Alegre, Inter Porto Alegre
  Cruzeiro = Cruzeiro MG, Cruzeiro EC | Bahia = EC Bahia, Bahia BA | Vitoria = EC Vitoria, Vitoria BA, Vitoria Salvador
  Remo = Clube do Remo, Remo PA, Remo Belem | Coritiba = Coritiba PR, Coritiba FBC | Chapecoense = Chapecoense AF
  Mirassol = Mirassol SP | Sport Recife = Sport, Sport PE, Sport Club do Recife
  Clube de Regatas Brasil = CRB, CRB AL, CRB Maceio | Grêmio Novorizontino = Novorizontino, Novorizontino SP
  Operario PR = Operario, Operario Ferroviario | Nautico PE = Nautico, Nautico Recife | América Mineiro = America MG
  Athletic Club (MG) = Athletic Club Sao Joao del Rei, Athletic Sao Joao | Juventude = Juventude RS, EC Juventude
  Ponte Preta = Ponte Preta SP | Criciuma = Criciuma EC | Goiás = Goias GO, Goias EC | Vila Nova = Vila Nova GO
  Cuiabá = Cuiaba MT, Cuiaba EC | Ceará = Ceara CE | Fortaleza = Fortaleza CE, Fortaleza EC
  Londrina = Londrina PR, Londrina EC | São Bernardo = Sao Bernardo SP
  Universidad Católica (CHI) = Universidad Catolica, U Catolica, Univ Catolica, CD Universidad Catolica
  Universidad Católica (CHI) = Catolica Chile | Universidad de Chile = U de Chile, Univ de Chile, La U
  Colo Colo = Colo-Colo Santiago | La Serena = Deportes La Serena | Ñublense = Nublense Chillan
  O'Higgins = O Higgins, O'Higgins Rancagua | Deportes Limache = Limache | Coquimbo Unido = Coquimbo
  Everton de Viña del Mar = Everton Vina del Mar, Everton Vina, Everton CD, CD Everton, Everton (Chile), Everton CHI
  Audax Italiano = Audax | Union La Calera = Calera, U La Calera
  LDU Quito = LDU, Liga de Quito, Liga Deportiva Universitaria, L.D.U. Quito
  Barcelona SC = Barcelona Guayaquil, Barcelona de Guayaquil, Barcelona SC Guayaquil
  Independiente del Valle = Ind del Valle, IDV
  Independiente Medellín = Ind Medellin, DIM, Deportivo Independiente Medellin
  Independiente Santa Fe = Santa Fe, Ind Santa Fe, Santa Fe Bogota | Junior FC = Junior Barranquilla, Atletico Junior
  América de Cali = America Cali | Millonarios = Millonarios Bogota | Deportes Tolima = Tolima
  Nacional de Montevideo = Nacional Montevideo, Club Nacional, Nacional (URU), Club Nacional de Football
  Peñarol Montevideo = Penarol | Club Bolívar = Bolivar La Paz
  Club Universitario de Deportes = Universitario, Universitario Lima | Cerro Porteño = Cerro Porteno Asuncion
  Libertad Asuncion = Libertad, Club Libertad | Olimpia Asunción = Olimpia, Club Olimpia
  Sporting Cristal = S Cristal, Cristal Lima | Club Cienciano = Cienciano Cusco
  UCV FC = Universidad Central, Universidad Central de Venezuela | Puerto Cabello = Academia Puerto Cabello
  Deportivo La Guaira = La Guaira | C.D. Cuenca = Deportivo Cuenca, Dep Cuenca
  Club Independiente Petrolero = Independiente Petrolero | Montevideo City Torque = Torque, CA Torque
  CA Juventud = Juventud, Juventud Las Piedras, Juventud de Las Piedras | Recoleta FC = Deportivo Recoleta
  Macará = Macara Ambato | Deportivo Pereira = Pereira | Alianza Atlético = Alianza Atletico Sullana, Alianza Sullana
  Blooming = Blooming Santa Cruz

  Newcastle Jets FC = Newcastle Jets, Newcastle United Jets | Central Coast Mariners = Central Coast
  Wellington Phoenix FC = Wellington | Western Sydney Wanderers = WS Wanderers, W Sydney Wanderers, Western Sydney
  Macarthur FC = Macarthur Bulls | Melbourne Victory = Melb Victory | Melbourne City = Melb City
  Yokohama F Marinos = Yokohama Marinos, Yokohama FM | Hiroshima Sanfrecce FC = Sanfrecce
  Urawa Red Diamonds = Urawa Reds, Urawa | Tokyo Verdy = Verdy | Kyoto Purple Sanga = Kyoto Sanga, Kyoto
  V-Varen Nagasaki = V Varen, Nagasaki | JEF United Chiba = JEF United, JEF Chiba, JEF United Ichihara Chiba
  Mito HollyHock = Mito | Nagoya Grampus = Nagoya Grampus Eight, Nagoya | Kawasaki Frontale = Kawasaki
  Kashima Antlers = Kashima | Kashiwa Reysol = Kashiwa | Fagiano Okayama = Okayama
  Daejeon Citizen = Daejeon Hana Citizen, Daejeon Hana | Jeju United FC = Jeju SK, Jeju
  Jeonbuk Hyundai Motors = Jeonbuk, Jeonbuk Motors, Jeonbuk FC | Ulsan Hyundai FC = Ulsan HD, Ulsan, Ulsan HD FC
  Sangju Sangmu FC = Gimcheon Sangmu, Kimcheon Sangmu | Pohang Steelers = Pohang | Incheon United = Incheon
  Shanghai SIPG FC = Shanghai Port, Shanghai Port FC
  Shandong Luneng Taishan FC = Shandong Taishan, Shandong Luneng, Shandong
  Beijing FC = Beijing Guoan, Beijing Sinobo Guoan | Tianjin Jinmen Tiger FC = Tianjin Teda, Tianjin
  Zhejiang = Zhejiang Professional, Zhejiang Greentown | Shanghai Shenhua FC = Shenhua, Shanghai Greenland Shenhua
  Chengdu Rongcheng FC = Chengdu, Chengdu Better City | Wuhan Three Towns = Wuhan
  Henan FC = Henan Songshan Longmen, Henan Jianye | Shenzhen Peng City FC = Shenzhen Xinpengcheng, Sichuan Jiuniu
  Qingdao Hainiu FC = Qingdao Manatee | Qingdao West Coast FC = Qingdao Youth Island
  Liaoning Tieren FC = Shenyang Urban | Yunnan Yukun = Yunnan | Al-Okhdood = Al Akhdoud, Al Ukhdood
  Al-Taawoun = Al Taawon, Al Taawoun Buraidah, Al Taawon Buraidah, Al Taawun | Damac = Dhamk, Damak, Dhamak
  Al-Najma = Al Najma KSA, Al-Najmah`

/** Clubs whose name holds another club's, or nearly. */
export const FOOTBALL_APART = `
  AC Milan, Paris FC, América de Cali, América Mineiro, Everton de Viña del Mar, Arsenal Tula, Arsenal de Sarandi
  Arsenal Sarandi, Arsenal Dzerzhinsk, Liverpool Montevideo, Barcelona SC, River Plate Montevideo
  River Plate Asuncion, Racing Montevideo, Racing Club Montevideo, Racing Club, Real Racing Club de Santander
  Racing Cordoba, Santos Laguna, Queens Park Rangers, Queens Park, Rangers de Talca, Dundee United, Cultural Leonesa
  Juventude, CA Juventud, Juventud Torremolinos, Red Star Belgrade, Inter Turku, Inter Miami, Inter Miami CF
  Central Córdoba, Independiente Rivadavia, Independiente Medellín, Independiente Santa Fe, Independiente del Valle
  Independiente Petrolero, Club Independiente Petrolero, Estudiantes de Río Cuarto, Estudiantes de Merida
  Gimnasia Mendoza, Gimnasia Jujuy, Nacional de Montevideo, Nacional Asuncion, Atletico Nacional, Nacional Potosi
  Universidad de Concepción, Deportes Concepción, Real Madrid Castilla, Alianza Atlético, Alianza Lima
  Alianza Petrolera, Newcastle Jets FC, Newcastle Jets, Sporting Gijón, Sporting Kansas City, Sporting Cristal
  Sporting Covilha, Lincoln Red Imps, CSKA 1948, Bohemians 1905, Bohemians Praha`

/** National teams: "Niger" is no short form of "Nigeria". */
export const NATIONS_APART = `
  Afghanistan, Albania, Algeria, American Samoa, Andorra, Angola, Argentina, Armenia, Aruba, Australia, Austria
  Azerbaijan, Bahamas, Bahrain, Bangladesh, Barbados, Belarus, Belgium, Belize, Benin, Bermuda, Bhutan, Bolivia
  Bosnia & Herzegovina, Botswana, Brazil, Brunei, Bulgaria, Burkina Faso, Burundi, Cambodia, Cameroon, Canada
  Cape Verde, Central African Republic, Chad, Chile, China, Chinese Taipei, Colombia, Comoros, Congo, Cook Islands
  Costa Rica, Croatia, Cuba, Curaçao, Cyprus, Czech Republic, DR Congo, Denmark, Djibouti, Dominica
  Dominican Republic, Ecuador, Egypt, El Salvador, England, Equatorial Guinea, Eritrea, Estonia, Eswatini, Ethiopia
  Faroe Islands, Fiji, Finland, France, Gabon, The Gambia, Georgia, Germany, Ghana, Gibraltar, Greece, Grenada
  Guatemala, Guinea, Guinea-Bissau, Guyana, Haiti, Honduras, Hong Kong, Hungary, Iceland, India, Indonesia, Iran
  Iraq, Israel, Italy, Ivory Coast, Jamaica, Japan, Jordan, Kazakhstan, Kenya, Kosovo, Kuwait, Kyrgyzstan, Laos
  Latvia, Lebanon, Lesotho, Liberia, Libya, Liechtenstein, Lithuania, Luxembourg, Macau, Madagascar, Malawi, Malaysia
  Maldives, Mali, Malta, Mauritania, Mauritius, Mexico, Moldova, Mongolia, Montenegro, Morocco, Mozambique, Myanmar
  Namibia, Nepal, Netherlands, New Zealand, Nicaragua, Niger, Nigeria, North Korea, North Macedonia, Northern Ireland
  Norway, Oman, Pakistan, Palestine, Panama, Papua New Guinea, Paraguay, Peru, Philippines, Poland, Portugal
  Puerto Rico, Qatar, Republic of Ireland, Romania, Russia, Rwanda, Samoa, San Marino, Saudi Arabia, Scotland
  Senegal, Serbia, Seychelles, Sierra Leone, Singapore, Slovakia, Slovenia, Solomon Islands, Somalia, South Africa
  South Korea, South Sudan, Spain, Sri Lanka, Sudan, Suriname, Sweden, Switzerland, Syria, Tajikistan, Tanzania
  Thailand, Togo, Tonga, Trinidad and Tobago, Tunisia, Turkey, Turkmenistan, USA, Uganda, Ukraine
  United Arab Emirates, Uruguay, Uzbekistan, Vanuatu, Venezuela, Vietnam, Wales, Yemen, Zambia, Zimbabwe`
