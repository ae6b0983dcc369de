// Football clubs of Europe in other books' spellings (see aliases.ts).

/** Clubs of Europe, by country. */
export const FOOTBALL_EUROPE = `
  Manchester United = Man United, Man Utd, Man U, Manchester U, M United, M Utd, ManU
  Manchester City = Man City, Manchester C, M City, ManCity, Man C
  Nottingham Forest = Nottm Forest, Nott Forest, Notts Forest, Forest, Nottingham F, Nottm F, Nottingham, N Forest
  Nottingham Forest = Nott'ham Forest, Notting Forest
  Wolverhampton Wanderers = Wolves, Wolverhampton, Wolverhampton Wand, Wolverhampton Wdrs
  Tottenham Hotspur = Spurs, Tottenham, Tottenham H, Tottenham Hot
  West Ham United = West Ham, W Ham, West Ham U, W Ham Utd, Westham
  Newcastle United = Newcastle, Newcastle U, N'castle, N'castle Utd
  Brighton and Hove Albion = Brighton, Brighton Hove, Brighton Hove Albion, Brighton HA, Brighton Albion, B&H Albion
  Leeds United = Leeds, Leeds U
  West Bromwich Albion = West Bromwich, West Brom, WBA, W Bromwich, W Brom, West Bromwich A, West Brom Albion
  West Bromwich Albion = West Bromwich Alb | Leicester City = Leicester, Leicester C
  Ipswich Town = Ipswich, Ipswich T | Luton = Luton Town, Luton T
  Birmingham City = Birmingham, Birmingham C, B'ham, B'ham City, Birm City
  Blackburn Rovers = Blackburn, Blackburn R, Blackburn Rvs, Blackburn Rvrs
  Charlton Athletic = Charlton, Charlton A, Charlton Ath | Coventry City = Coventry, Coventry C, Cov City
  Derby County = Derby, Derby Co | Hull City = Hull, Hull C | Norwich City = Norwich, Norwich C
  Oxford United = Oxford, Oxford U | Preston North End = Preston, Preston NE, PNE, Preston North, P'ton North End
  Queens Park Rangers = QPR, QP Rangers, Queens Park R, Queens Park Rgrs, Queens PR
  Sheffield United = Sheff Utd, Sheff United, Sheffield U, Sheff U, Sheff Ud
  Sheffield Wednesday = Sheff Wed, Sheffield Wed, Sheffield Weds, Sheff Weds, Sheff Wednesday
  Stoke City = Stoke, Stoke C | Swansea City = Swansea, Swansea C | Bolton Wanderers = Bolton, Bolton Wand
  Bradford City = Bradford, Bradford C | Burton Albion = Burton, Burton A, Burton Alb
  Cardiff City = Cardiff, Cardiff C | Doncaster Rovers = Doncaster, Doncaster R, Doncaster Rvs, Donny Rovers
  Exeter City = Exeter, Exeter C | Huddersfield Town = Huddersfield, Huddersfield T, Hudd'field, Huddersfield Tn
  Lincoln City = Lincoln, Lincoln C | Mansfield Town = Mansfield, Mansfield T
  Northampton Town = Northampton, Northampton T, N'hampton
  Peterborough United = Peterborough, Peterboro, Peterborough U, P'boro, P'borough, Posh
  Plymouth Argyle = Plymouth, Plymouth A, Plymouth Arg | Rotherham United = Rotherham, Rotherham U
  Stockport County FC = Stockport, Stockport Co | Wigan Athletic = Wigan, Wigan A, Wigan Ath
  Wycombe Wanderers = Wycombe, Wycombe Wand
  Accrington Stanley = Accrington, Accrington S, Accrington St, Acc Stanley, Accrington Stan
  Bristol Rovers = Bristol Rvs, Bristol R, Bristol Rvrs, Bris Rovers | Cambridge United = Cambridge, Cambridge U
  Cheltenham Town = Cheltenham, Cheltenham T | Colchester United = Colchester, Colchester U, Col U
  Crawley Town = Crawley, Crawley T | Crewe Alexandra = Crewe, Crewe A, Crewe Alex
  Fleetwood Town = Fleetwood, Fleetwood T | Grimsby Town = Grimsby, Grimsby T | Harrogate Town = Harrogate, Harrogate T
  Milton Keynes Dons = MK Dons, Milton Keynes, Milton K Dons | Newport County = Newport, Newport Co, Newport Cnty
  Oldham Athletic = Oldham, Oldham A, Oldham Ath | Salford City = Salford, Salford C
  Shrewsbury Town = Shrewsbury, Shrewsbury T, Shrewsb'y | Swindon Town = Swindon, Swindon T
  Tranmere Rovers = Tranmere, Tranmere R, Tranmere Rvs | Crystal Palace = C Palace, Cry Palace, Palace, Crystal P
  Aston Villa = A Villa, Villa, Ast Villa | Bournemouth = B'mouth | Middlesbrough = Boro, Middlesboro, M'brough, Mboro
  Southampton = Soton, S'hampton | Portsmouth = Pompey | Sunderland = S'land | Bristol City = Bristol C, Bris City
  Notts County = Notts Co, Notts C, Notts Cnty | Leyton Orient = L Orient, Orient, Leyton O | Port Vale = P Vale
  Gillingham = Gills | Chesterfield FC = Ch'field | Carlisle United = Carlisle, Carlisle U
  Forest Green Rovers = Forest Green, Forest G, FGR, Forest Green R | Southend United = Southend, Southend U
  York City = York, York C | Hartlepool United = Hartlepool, Hartlepool U, H'pool
  Scunthorpe United = Scunthorpe, Scunny, Scunthorpe U | Yeovil Town = Yeovil, Yeovil T
  Aldershot Town = Aldershot, Aldershot T | Braintree Town = Braintree
  Dagenham and Redbridge = Dagenham & Red, Dag & Red, Dagenham, Dagenham & R, Dagenham Redbridge
  FC Halifax Town = Halifax, FC Halifax | Maidenhead United = Maidenhead | Solihull Moors = Solihull, Solihull M
  Sutton United = Sutton | Boreham Wood = B Wood, Borehamwood | Brackley Town = Brackley | Truro City = Truro
  Ebbsfleet United = Ebbsfleet | Kidderminster Harriers = Kidderminster, Kidderminster H
  Dorking Wanderers = Dorking, Dorking Wand | Torquay United = Torquay | Hereford FC = Hereford United
  Macclesfield FC = Macclesfield Town

  Hearts = Heart of Midlothian, Heart of Mid, H of Midlothian | Hibernian = Hibs, Hibernian Edinburgh
  Rangers = Glasgow Rangers, Glasgow R, Rangers Glasgow | Celtic = Glasgow Celtic, Celtic Glasgow
  Shelbourne Dublin = Shelbourne, Shels
  St Patricks Athletic = St Pats, St Patricks, St Patricks A, St Pat's Ath, St Pat's Athletic, St. Patrick's Ath
  St Patricks Athletic = St Patrick's Athl, S Patricks, St Pats Dublin
  Bohemians = Bohemians Dublin, Bohemian FC, Bohemian, Bohemian Dublin, Bohs | St Mirren = St. M'ren
  Dundee United = Dundee U, Dun Utd | St Johnstone = St. J'stone, St Johnst | Ross County = Ross Co, Ross C
  Partick Thistle = Partick, Partick Th
  Inverness Caledonian Thistle = Inverness, Inverness CT, Inverness Cal Thistle, Caledonian Thistle, ICT
  Inverness Caledonian Thistle = Inverness Caledonian | Greenock Morton = Morton | Ayr United = Ayr
  Airdrieonians = Airdrie, Airdrie Utd, Airdrie United | Raith Rovers = Raith, Raith R, Raith Rvs
  Dunfermline Athletic = Dunfermline, Dunfermline Ath | Queen's Park = Queens Pk
  Hamilton Academical = Hamilton, Hamilton Acad, Hamilton A, Hamilton Accies
  Queen of the South = Queen of Sth, QOS, Q of South, Queen o'South | Cove Rangers = Cove, Cove R
  Alloa Athletic = Alloa, Alloa Ath | Stenhousemuir = Stenhousem'r | Motherwell = M'well | Kilmarnock = Killie
  Shamrock Rovers = Shamrock R, Shamrock, Shamrock Rvs | Sligo Rovers = Sligo, Sligo R, Sligo Rvs
  Derry City = Derry, Derry C | Drogheda United = Drogheda, Drogheda U | Galway United = Galway, Galway U
  Waterford FC = Waterford United | Cork City = Cork | Finn Harps = Harps

  Athletic Bilbao = Ath Bilbao, Athletic Club, Athletic, At Bilbao, A Bilbao, Ath Club, Bilbao, Atletico Bilbao
  Athletic Bilbao = Athl Bilbao
  Atlético Madrid = Ath Madrid, Atl Madrid, Atletico, At Madrid, A Madrid, Atleti, Atletico M, Atm Madrid
  Atlético Madrid = Atletico Mad | Barcelona = Barca
  Real Betis = Betis, Betis Sevilla, Real Betis Balompie, R Betis, Betis Balompie
  Celta Vigo = Celta, RC Celta, Real Club Celta, C Vigo
  Real Sociedad = Sociedad, R Sociedad, Rl Sociedad, Real Soc, R. Sociedad San Sebastian, Real Sociedad San Sebastian
  Real Sociedad = La Real
  Rayo Vallecano = Vallecano, Rayo, Rayo V, Rayo Vallec, Rayo Vallecano de Madrid, R Vallecano
  Espanyol = Espanol, RCD Espanyol, Espanyol Barcelona, RCD Espanyol Barcelona, RCD Espanyol de Barcelona
  Alavés = Deportivo Alaves, D Alaves, Dep Alaves, Alaves Vitoria
  CA Osasuna = Osasuna Pamplona, Club Atletico Osasuna
  Mallorca = RCD Mallorca, Real Mallorca, R Mallorca, RCD Mallorca SAD | Oviedo = Real Oviedo, R Oviedo, Rl Oviedo
  Real Valladolid CF = Valladolid, R Valladolid | Zaragoza = Real Zaragoza, R Zaragoza, Rl Zaragoza
  Deportivo La Coruña = La Coruna, Deportivo Coruna, Dep La Coruna, RC Deportivo, D La Coruna, Dep Coruna
  Deportivo La Coruña = Dep A Coruna, Deportivo A Coruna, Depor, Deportivo LC
  Sporting Gijón = Sp Gijon, Real Sporting, S Gijon, Sporting G, Real Sporting de Gijon, Real Sporting Gijon
  Sporting Gijón = R Sporting Gijon, Spt Gijon, Gijon
  Real Racing Club de Santander = Racing Santander, Racing de Santander, Real Racing Santander, Santander
  Real Racing Club de Santander = Racing Sant, R Santander, Racing S, Real Racing Club, Rac Santander, R Racing Club
  Real Racing Club de Santander = Racing de S | Real Sociedad B = Sociedad B, Real Soc B
  Cultural Leonesa = Leonesa, Cultural y Deportiva Leonesa, Cultural L, Cult Leonesa, Cultural de Leon
  Real Madrid = R Madrid, RMadrid, Rl Madrid | Las Palmas = L Palmas, Las P | CD Castellón = Castellon de la Plana
  Villarreal = Villareal | Sevilla = Seville | Racing Ferrol = R Ferrol, Rac Ferrol | Villarreal B = Villareal B

  Paris Saint Germain = Paris SG, PSG, Paris St-G, PSG Paris, P St Germain, Paris S Germain, Paris St. Ger
  Paris FC = FC Paris
  Marseille = Olympique Marseille, Olympique de Marseille, OM, O Marseille, Ol Marseille, Olymp Marseille
  Marseille = OM Marseille
  Lyon = Olympique Lyonnais, Olympique Lyon, OL, Ol Lyon, O Lyon, Olymp Lyon, Lyonnais, Olympique Lyonnaise
  Rennes = Stade Rennais, Stade Rennes, St Rennais, S Rennais
  Brest = Stade Brestois, Stade Brest, Stade Brestois 29, S Brest | Nice = OGC Nice, OGC Nizza, OGCN
  Lille = LOSC, Lille OSC, LOSC Lille, Losc Lille Metropole
  Strasbourg = RC Strasbourg Alsace, Racing Strasbourg, Strasbourg Alsace, Strassburg
  Strasbourg = Racing Club de Strasbourg Alsace | Le Havre = HAC, Havre | Angers = Angers SCO | Auxerre = AJ Auxerre
  Saint Etienne = ASSE, S Etienne | Stade de Reims = Reims, St Reims
  Stade Lavallois = Laval, Stade Laval, Lavallois, Laval Mayenne
  Montpellier = Montpellier HSC, Montpellier Herault, Montpellier Herault SC, MHSC
  Clermont = Clermont Foot, Clermont Foot 63, Clermont-Ferrand, Clermont F, Clermont Foot Auvergne
  Clermont = Clermont Foot Auvergne 63 | Guingamp = EA Guingamp, En Avant Guingamp, EAG
  Grenoble = Grenoble Foot 38, GF38, Grenoble Foot | Nancy = AS Nancy Lorraine, Nancy Lorraine
  Troyes = ESTAC Troyes, ESTAC | USL Dunkerque = Dunkerque, Dunkirk | Red Star = Red Star Paris, Red Star Saint-Ouen
  Rodez AF = Rodez, Rodez Aveyron | Boulogne = Boulogne-sur-Mer | RC Lens = Racing Lens, Racing Club de Lens
  Lorient = FC Lorient Bretagne | Nantes = FC Nantes Atlantique | Caen = SM Caen, Stade Malherbe Caen, Stade Malherbe
  Bordeaux = Girondins Bordeaux, Girondins de Bordeaux, Girondins | Valenciennes = VAFC | Châteauroux = La Berrichonne
  Sochaux = FC Sochaux-Montbeliard, Sochaux Montbeliard | Dijon = Dijon FCO
  Quevilly Rouen = QRM, Quevilly, Quevilly-Rouen Metropole | Nîmes = Nimes Olympique

  Bayern Munich = Bayern München, Bayern Muenchen, Bayern, B Munich, B Munchen, FCB Munchen, Bay Munich, Bayern M
  Bayern Munich = FC B Munchen
  Borussia Dortmund = Dortmund, B Dortmund, BVB, BV Borussia Dortmund, Bor Dortmund, BVB Dortmund, BVB 09 Dortmund
  Borussia Dortmund = Borussia D, BV Borussia 09 Dortmund
  Bayer Leverkusen = Leverkusen, B Leverkusen, Bayer 04, Bay Leverkusen, Bayer L, B04
  Borussia Monchengladbach = Mgladbach, Mönchengladbach, Gladbach, Bor Monchengladbach, B Monchengladbach
  Borussia Monchengladbach = Moenchengladbach, Borussia Moenchengladbach, Borussia Mgladbach, B M'gladbach
  Borussia Monchengladbach = Bor M'gladbach, B Gladbach, BMG, Bor Moenchengladbach, Borussia MG, Borussia Gladbach
  Borussia Monchengladbach = B Moenchengladbach, M'Gladbach Borussia, Borussia M Gladbach, M Gladbach
  Borussia Monchengladbach = Borussia Mönchenglad, B Monchengladb, Bor. Gladbach
  Eintracht Frankfurt = Ein Frankfurt, Frankfurt, E Frankfurt, Eintr Frankfurt, SGE Frankfurt, Eint Frankfurt
  Eintracht Frankfurt = SG Eintracht Frankfurt | 1. FC Köln = Cologne, FC Cologne, Koeln | Hamburger SV = Hamburg, HSV
  Hertha Berlin = Hertha BSC, Hertha, H Berlin | Werder Bremen = Bremen, W Bremen, Werder, SV Werder, Wer Bremen
  RB Leipzig = RasenBallsport Leipzig, Red Bull Leipzig, Leipzig, RBL, RasenBallsport
  1. FC Nürnberg = Nuremberg, Nuernberg, Nurenberg
  Greuther Fürth = SpVgg Greuther Furth, Greuther Fuerth, Furth, G Furth, Gr Furth, SpVgg Furth, Fuerth, SpVgg Fuerth
  Greuther Fürth = SpVgg Greuther Fuerth, Greuther F
  Arminia Bielefeld = Bielefeld, DSC Arminia Bielefeld, A Bielefeld, Arm Bielefeld, DSC Bielefeld, DSC Arminia
  Hannover 96 = Hanover, Hannoverscher SV 96
  Fortuna Düsseldorf = Dusseldorf, Fortuna Duesseldorf, F Dusseldorf, Fort Dusseldorf, F. Duesseldorf, Duesseldorf
  Fortuna Düsseldorf = For Dusseldorf | Holstein Kiel = Kiel, H Kiel, KSV Holstein, Hol Kiel, Holstein
  Karlsruher SC = Karlsruhe, KSC
  SC Preußen Münster = Munster, Preussen Muenster, P Munster, Preussen M, Muenster, Preuss Munster, Preuben Munster
  Dynamo Dresden = Dresden, D Dresden, Dyn Dresden, SG Dynamo Dresden, SGD
  Eintracht Braunschweig = Braunschweig, E Braunschweig, Brunswick, Ein Braunschweig, B'schweig, Eintr Braunschweig
  TSV 1860 München = 1860 Munich, Munich 1860, TSV 1860 Munich, 1860 Munchen, 1860 Muenchen, Munchen 1860, TSV 1860
  TSV 1860 München = TSV 1860 Muenchen, 1860 Mun | Alemannia Aachen = Aachen, A Aachen
  Hansa Rostock = Rostock, H Rostock, FC Hansa | Rot-Weiss Essen = RW Essen, RWE, Essen | MSV Duisburg = Duisburg, MSV
  VfL Osnabrück = Osnabrueck | Waldhof Mannheim = SV Waldhof, Mannheim, W Mannheim
  Wehen Wiesbaden = SV Wehen, Wehen, W Wiesbaden, Wiesbaden, SVWW
  Jahn Regensburg = SSV Jahn, Regensburg, SSV Jahn Regensburg, J Regensburg
  Erzgebirge Aue = Aue, E Aue, Erz Aue, Erzgebirge | FC Energie Cottbus = Cottbus, E Cottbus, En Cottbus
  Union Berlin = U Berlin, FC Union, Un Berlin | FC St. Pauli = Pauli, St Pauli Hamburg | TSG Hoffenheim = Hoffenh
  1. FC Kaiserslautern = K'lautern, Lautern, FCK Kaiserslautern, FC K'lautern | FC Schalke 04 = S04
  SSV Ulm 1846 = Ulm, Ulm 1846 | FC Viktoria Köln 1904 = V Koln, Viktoria Cologne, Vik Koln, Vikt Koln
  1. FC Saarbrücken = Saarbruecken, FC Saarbruecken | TSV Havelse = Havelse | Rot-Weiß Erfurt = RW Erfurt
  SpVgg Unterhaching = Unterhaching, U'haching

  Inter Milan = Inter, Internazionale, FC Internazionale, Internazionale Milano, Inter Milano, Inter Mailand
  Inter Milan = Inter Mil | AC Milan = Milan, Milan AC, ACM | Hellas Verona = Verona, H Verona, Hellas V
  Juventus = Juve, Juventus Turin, Juventus Torino | Napoli = Naples, Neapel | Lazio = Lazio Roma, Lazio Rome
  Fiorentina = ACF Fiorentina, ACF Fior | Atalanta BC = Atalanta Bergamo, Atalanta Bergamasca
  Südtirol = Sud Tirol, Alto Adige, Suedtirol, Sudtirol Alto Adige, Sudtirol Bolzano, Suditrol
  Virtus Entella = Entella, V Entella | Sampdoria = UC Sampdoria, Samp | AS Roma = AS Rom | Torino = Turin, FC Turin
  Genoa = Genoa CFC, CFC Genoa, Genoa Cricket | Pisa = Pisa Sporting Club | Spezia = La Spezia
  Juve Stabia = J Stabia, Stabia | Reggiana = Reggio Audace

  Sporting Lisbon = Sporting CP, Sporting, Sporting Clube de Portugal, Sp Lisbon, Sporting Lisboa, S Lisbon
  Sporting Lisbon = Sport Lisbon, Sp Lisboa, S Lisboa, Sp. Portugal, Sporting Portugal, Spor Lisbon
  Sporting Lisbon = Sp Clube de Portugal, Sporting de Portugal
  Benfica = SL Benfica, Benfica Lisbon, Benfica Lisboa, SLB, Sport Lisboa e Benfica, B Lisbon, Sport Lisboa Benfica
  Benfica = SL Benfica Lisbon, SL Benfica Lissabon, Benfica Lissabon
  Vitória SC = Vitoria Guimaraes, Guimaraes, V Guimaraes, Vitoria de Guimaraes, Guimaraes Vitoria, Vit Guimaraes
  Vitória SC = Vitoria G | Braga = Sporting Braga, Sp Braga, S Braga
  CF Estrela = Estrela Amadora, Estrela da Amadora, E Amadora, Est Amadora, Amadora, Estrela A, Estrela Amadora SAD
  AVS Futebol SAD = AVS, AFS, AVS FS, AFS Futebol SAD, AVS Futebol, Vila das Aves, AVS SAD
  Estoril = Estoril Praia, GD Estoril, GD Estoril Praia, Estoril P
  Nacional = Nacional Madeira, Nacional da Madeira, Nac Madeira, Nacional M
  Casa Pia = Casa Pia Lisbon, Casa Pia Atletico, Casa Pia A | FC Porto = Oporto
  Gil Vicente = Gil Vicente Barcelos, G Vicente | Rio Ave FC = Rio Ave Vila do Conde | Santa Clara = S Clara, Sta Clara
  Boavista = Boavista Porto | Farense = Farense Faro | Pacos de Ferreira = P Ferreira, Pacos F
  Chaves = GD Chaves, Desportivo de Chaves, Desp Chaves
  Maritimo = CS Maritimo, Maritimo Funchal, Maritimo M, CS Maritimo Madeira | Academico Viseu = Ac Viseu, Acad Viseu
  Uniao de Leiria = U Leiria, Leiria, UD Leiria | Torreense = SCU Torreense

  Ajax = Ajax Amsterdam | AZ Alkmaar = AZ, Alkmaar | PSV Eindhoven = PSV, PSV E
  Feyenoord = Feyenoord Rotterdam, Feyenoord R | FC Zwolle = PEC Zwolle, PEC, P Zwolle
  NEC Nijmegen = NEC, N.E.C., Nijmegen | Heracles Almelo = Heracles, Almelo, Heracles A
  FC Twente Enschede = Twente, FC Twente, Enschede | NAC Breda = NAC, Breda
  Excelsior = Excelsior Rotterdam, SBV Excelsior, SBV Excelsior Rotterdam, Exc Rotterdam
  Go Ahead Eagles = GA Eagles, Go Ahead, Go Ahead E, GAE, Go Ahead Eagles Deventer, Deventer
  Sparta Rotterdam = Sparta, Sp Rotterdam, S Rotterdam, Sparta R, Sparta Rott
  Fortuna Sittard = Sittard, For Sittard, F Sittard, Fort Sittard | SC Telstar = Telstar Velsen | Heerenveen = H'veen
  Almere City FC = Almere, Almere C | RKC Waalwijk = RKC, Waalwijk | Willem II = Willem II Tilburg, Willem Tilburg
  SC Cambuur = Cambuur Leeuwarden | VVV Venlo = VVV, Venlo | Roda JC = Roda, Roda JC Kerkrade, Roda Kerkrade
  Helmond Sport = Helmond | MVV Maastricht = MVV, Maastricht | TOP Oss = Oss | Vitesse = Vitesse Arnhem, Arnhem
  ADO Den Haag = ADO, Den Haag

  Club Brugge = Bruges, FC Bruges, Club Bruges | Cercle Brugge KSV = Cercle Bruges, Cercle
  Standard Liege = Standard, St Liege, Standard Luik, St. Luik, Standard L, R Standard de Liege
  Standard Liege = Royal Standard de Liege, S Liege
  Union Saint-Gilloise = Union SG, St Gilloise, Royale Union SG, R Union SG, Royale Union Saint-Gilloise
  Union Saint-Gilloise = Royale Union St Gilloise, Union Gilloise, USG, Union Gilles, Union St.-G, U St Gilloise
  Union Saint-Gilloise = U S Gilloise, St Gillis, Union St Gillis, R Union St Gilloise
  Royal Antwerp = Antwerp, R Antwerp, Antwerpen | Gent = KAA Gent, La Gantoise, Ghent, AA Ghent
  Leuven = OH Leuven, Oud-Heverlee Leuven, Oud-Heverlee, OHL, Oud Heverlee L
  Sint Truiden = STVV, St Truidense, VV St Truiden, Sint-Truidense, K Sint-Truidense VV, VV Sint Truiden
  Sint Truiden = St. Truidense VV, Sint-Truidense VV, K St Truidense, STVV St Truiden, St Trond
  SV Zulte-Waregem = Waregem, Zulte, Z Waregem, Essevee
  RAAL La Louvière = La Louviere, RAAL, RAA Louvieroise, RAAL La L, RAA La Louviere
  Anderlecht = RSC Anderlecht, RSCA, RSC And, RSC Anderlecht Brussels, A'lecht | Genk = Racing Genk
  Charleroi = Sporting Charleroi, Sporting de Charleroi, RSC Charleroi, R Charleroi SC, Royal Charleroi, Sp Charleroi
  Charleroi = Royal Charleroi SC, R Charleroi, Sporting du Pays de Charleroi
  KV Mechelen = Malines, YR KV Mechelen, Mechelin | Dender = FCV Dender, Dender EH, FCV Dender EH, Verbroedering Dender
  Westerlo = KVC Westerlo | KV Kortrijk = Courtrai | KV Oostende = Ostend
  Beerschot = Beerschot VA, Beerschot Wilrijk, K Beerschot VA | KAS Eupen = Eupen
  RWD Molenbeek = RWDM, RWDM Brussels, Molenbeek, RWDM Brussels FC | Lierse = Lierse K, Lierse Kempenzonen

  RB Salzburg = Red Bull Salzburg, FC Salzburg, Salzburg, RedBull Salzburg, Red B Salzburg
  Rapid Wien = Rapid Vienna, SK Rapid, R Wien, Rapid Vie, R Vienna
  Austria Wien = Austria Vienna, A Wien, Austria Vie, A Vienna
  Sturm Graz = SK Sturm, S Graz, SK Puntigamer Sturm Graz | LASK = LASK Linz, LASK L, Linzer ASK, LASK Linzer
  FC Blau-Weiß Linz = BW Linz, FC BW Linz, Blau-Weiss L, Blau Weis Linz
  WSG Tirol = WSG Swarovski Tirol, Tirol, WSG Wattens, WSG Swarovski, WSG Swarovski Wattens, WSG T, Wattens
  Wolfsberger AC = Wolfsberg, WAC, RZ Pellets WAC, Wolfsberger Athletik Club, RZ Pellets Wolfsberger AC
  Rheindorf Altach = Altach, SCR Altach, Cashpoint Altach, SCR Rheindorf Altach, R Altach, Cashpoint SCR Altach
  Hartberg = TSV Hartberg, TSV Egger Glas Hartberg, TSV Prolactal Hartberg
  Grazer AK = GAK, GAK 1902, GAK Graz, GAK Grazer AK | BSC Young Boys = Young Boys Bern, YB, Y Boys, YB Bern
  FC Zurich = Zuerich, FCZ, FCZ Zurich
  Grasshopper Zürich = Grasshoppers, Grasshopper Club, Grasshopper, Grasshoppers Zurich, GC Zurich
  Grasshopper Zürich = Grasshopper Zuerich, Grasshoppers Zuerich, Grasshopper C, GCZ, Grasshopper Z
  FC Lausanne-Sport = Lausanne, Lausanne Sports, Lausanne Sp, Lausanne S
  Servette = Servette Geneva, Servette Geneve, Servette Genf | FC Luzern = Lucerne, FC Luzerne
  Ried = SV Guntamatic Ried, SV Oberbank Ried | Austria Klagenfurt = A Klagenfurt, Klagenfurt
  FC Basel = FC Basle, FCB Basel, Basle | FC St Gallen = Saint-Gall | Yverdon Sport = Yverdon, Yverdon Sp
  Stade Lausanne Ouchy = Stade Lausanne, SL Ouchy, St Lausanne Ouchy, S Lausanne Ouchy, SLO
  Neuchatel Xamax = Xamax, N Xamax, Neuchatel Xamax FCS

  FC Copenhagen = FC Kobenhavn, Kobenhavn, Kopenhagen, FC Kopenhagen, Koebenhavn, FC Koebenhavn
  OB Odense BK = OB, Odense, Odense BK, Odense Boldklub
  AGF Aarhus = AGF, Aarhus, Århus, Aarhus GF, AGF Århus, Arhus GF | Brondby IF = Broendby, Brøndby Copenhagen
  SonderjyskE = Sonderjyske Haderslev, Sonderjyske Fodbold, Soenderjyske | Vejle Boldklub = Vejle
  Bodø/Glimt = Bodoe/Glimt, B Glimt, Bodo, Glimt
  Vålerenga = Valerenga Oslo, Vaalerenga, Vaalerenga IF, VIF Valerenga, Vålerenga Fotball
  HamKam = Ham-Kam, Hamarkameratene, HamKam Fotball
  KFUM = KFUM Oslo, KFUM-Kameratene Oslo, KFUM Kam Oslo, KFUM-Kameratene | SK Brann = Brann Bergen
  Tromso = Tromsø IL, Tromsoe, Tromsoe IL | Viking FK = Viking Stavanger | IK Start = Start Kristiansand
  Aalesund = Ålesund, Aalesunds FK, Aalesunds, Aalesunds Fotballklubb | AIK = AIK Stockholm, AIK Solna, AIK Fotboll
  BK Hacken = Haecken, Hacken Goteborg, Häcken Gothenburg
  Djurgardens IF = Djurgarden, Djurgaarden, Djurgården Stockholm | Malmo FF = Malmoe
  IFK Goteborg = Gothenburg, IFK Gothenburg, Goteborg, Goeteborg, IFK Goeteborg, IFK Gothenb
  Halmstads BK = Halmstad, HBK Halmstad | Hammarby IF = Hammarby Stockholm, Bajen
  IF Brommapojkarna = Bromma, BP, Brommapojk | IF Elfsborg = Elfsborg Boras | IK Sirius = Sirius Uppsala
  GAIS = GAIS Goteborg | Mjällby AIF = Mjallby, Mjaellby, Mjaellby AIF | Västerås SK = Vaesteraas, VSK, Vaesteras
  Örgryte IS = Orgryte, Oergryte, ÖIS | IFK Norrkoping = Norrköping, Norrkoeping, IFK Norrkoeping
  Helsingborgs IF = Helsingborg | GIF Sundsvall = Sundsvall | Östersunds FK = Ostersund, Oestersund
  Östers IF = Oster, Östers Växjö, Oesters, Oesters IF | Falkenbergs FF = Falkenberg
  Varbergs BoIS = Varberg, Varbergs | Landskrona BoIS = Landskrona, Landskrona Bo
  HJK Helsinki = HJK, HJK Hels, Helsinki JK, Helsingin JK
  KuPS Kuopio = KuPS, Kuopion PS, Kuopio PS, Kuopion Palloseura | SJK Seinäjoki = SJK, Seinajoen JK, Seinajoki
  TPS Turku = TPS, Turun PS, Turun Palloseura, TPS Turun | VPS Vaasa = VPS, Vaasan PS, Vaasa PS, Vaasan Palloseura
  Ilves Tampere = Ilves, Tampereen Ilves, Ilves Tamp | IFK Mariehamn = Mariehamn | IF Gnistan = Gnistan Helsinki
  FC Midtjylland = Midtjyll, FC Midtjyl | FC Nordsjaelland = Nordsjalland, Nordsj, Nordsjaell, FC Nordsjalland
  AaB = Aalborg, AaB Aalborg, Aalborg BK, Ålborg, Aalborg AaB | Esbjerg fB = Esbjerg
  Hillerød Fodbold = Hillerod, Hilleroed | IFK Värnamo = Varnamo, Vaernamo, IFK Vaernamo
  Örebro SK = Oerebro, Oerebro SK | Sandvikens IF = Sandviken | Utsiktens BK = Utsikten | Trelleborgs FF = Trelleborg
  Rosenborg = Rosenborg Trondheim, RBK | Lillestrom = Lillestroem, Lillestroem SK | Sandefjord = Sandefjord Fotball
  Strømsgodset = Stroemsgodset, Stromsgodset Drammen | Odd = Odds BK, Odd Grenland, Odds Ballklubb
  Stabæk = Stabaek Fotball | FC Inter Turku = FC Inter Turun | Jaro = Jaro Pietarsaari
  FC Haka = Haka Valkeakoski, FC Haka Valkeakoski | KTP = KTP Kotka

  Olympiakos Piraeus = Olympiacos, Olympiakos, Olympiacos Piraeus, Olympiakos CFP, Olympiakos P, Olympiakos Pir
  Olympiakos Piraeus = Olymp Piraeus, Olympiacos CFP, Olympiacos Pireus, O Piraeus, Olympiakos Pireaus
  PAOK Thessaloniki = PAOK, PAOK Saloniki, PAOK Salonika, PAOK Thess, PAOK Thessalonika, P Saloniki
  AEK Athens = AEK, AEK Athen, AEK A, AEK Athina
  Aris Thessaloniki = Aris, Aris Saloniki, Aris Salonika, Aris Thes, Aris Thessalonika
  AEL = AEL Larissa, Larissa, AEL Larisa, AE Larissa, AE Larisa, Athlitiki Enosi Larissa, AEL Novibet, AE Larissa FC
  OFI Crete = OFI, OFI Heraklion, OFI Kreta, OFI Iraklion, OFI Heraklio, OFI Irakliou, OFI Kriti
  Asteras Tripolis = Asteras, Asteras AKTOR, Asteras Tripoli, Asteras T, Asteras Aktor Tripolis, A Tripolis
  Asteras Tripolis = Ast Tripolis | Atromitos Athens = Atromitos, Atromitos Athinon, Atromitos Peristeri, Atromitos A
  Panetolikos Agrinio = Panetolikos, Panaitolikos, Panetol, Panaitolikos Agrinio
  Volos FC = Volos NFC, NFC Volos, Volos NPS, Volos New Football Club
  Panathinaikos = Panathinaikos Athens, Pana, P'naikos, Panathinaikos A, PAO Panathinaikos, Panathin
  Panserraikos FC = Panserraikos Serres, Panseraikos
  AE Kifisia FC = Kifisia, Kifissia, AE Kifisias, AE Kifissia, Kifissias, AE Kifissias, Kifisias
  Fenerbahce = Fenerbahçe Istanbul, Fener, Fenerb | Galatasaray = Galatasaray Istanbul, G Saray
  Besiktas JK = Beşiktaş, Besiktas Istanbul
  Basaksehir = Istanbul Basaksehir, Medipol Basaksehir, Istanbul BB, Ist Basaksehir, Rams Basaksehir
  Basaksehir = RAMS Basaksehir FK, I Basaksehir, Istanbul Buyuksehir, Istanbul Buyuksehir Belediyespor
  Fatih Karagümrük = Karagumruk, F Karagumruk, Fatih Karagumruk Istanbul, Karagumruk Istanbul
  Gazişehir Gaziantep = Gaziantep, Gaziantep FK, Gaziantep BB, Gazisehir, Gazisehir G
  Gazişehir Gaziantep = Gaziantep Buyuksehir Belediyespor, Gaziantep Futbol Kulubu
  Torku Konyaspor = Konyaspor, Tumosan Konyaspor, Ittifak Holding Konyaspor, Konyaspor Kulubu
  Çaykur Rizespor = Rizespor, C Rizespor, Caykur Rize, Caykur Riz | Genclerbirligi SK = Genclerbirligi Ankara
  Goztepe = Göztepe Izmir | Kasimpasa SK = Kasimpasa Istanbul | Alanyaspor = Corendon Alanyaspor
  Antalyaspor = Hesap.com Antalyaspor, FTA Antalyaspor | Kayserispor = Zecorner Kayserispor
  Samsunspor = Reeder Samsunspor | Eyüpspor = Ikas Eyupspor, Istanbul Eyupspor
  Sivasspor = Demir Grup Sivasspor, EMS Yapi Sivasspor, Net Global Sivasspor, NG Sivasspor
  Adana Demirspor = A Demirspor, Adana Demir, Yukatel Adana Demirspor | Hatayspor = Atakas Hatayspor
  Bodrum FK = Bodrumspor, Sipay Bodrum, Sipay Bodrum FK | MKE Ankaragucu = Ankaragucu, MKE Ankara
  Levadiakos = Levadeiakos, APO Levadiakos | Lamia = PAS Lamia, PAS Lamia 1964 | PAS Giannina = Giannina, PAS Ioannina
  Athens Kallithea = Kallithea | APOEL Nicosia = APOEL, Apoel Nikosia, APOEL FC
  AC Omonia Nicosia = Omonia Nikosia, Omonia | AEK Larnaca = AEK Larnaka | Anorthosis Famagusta = Anorthosis
  Apollon Limassol = Apollon Lim, Apollon Lemesou | Pafos FC = Paphos

  CSKA Moscow = CSKA, CSKA Moskva, CSKA M, CSKA Mos, PFC CSKA Moscow, PFC CSKA, PFC CSKA Moskva, CSKA Moskau
  Dinamo Moscow = Dynamo Moscow, Dinamo Moskva, Dynamo Moskva, Din. Moscow, Dyn Moscow, D Moscow, Dyn. Moskva
  Dinamo Moscow = Din. Moskva, D Moskva, Dynamo Mos, Dinamo M, Dynamo M, Dynamo Moskau
  Lokomotiv Moscow = Lokomotiv, Lok Moscow, Lokomotiv Moskva, Loko Moscow, L Moscow, Lok. Moskva, Loko Moskva
  Lokomotiv Moscow = Lokomotiv M, Lokomotiv Mos, Lokom Moscow, Lokomotive Moscow
  Spartak Moscow = Spartak Moskva, Spartak, Sp Moscow, S Moscow, Spartak M, Spart Moscow, Sp. Moskva, Spartak Mos
  Spartak Moscow = Spartak Moskau
  Zenit St Petersburg = Zenit, Zenit Petersburg, Zenit St P, Zenit St Pete, Zenit SP, Zenit St. Pet
  Zenit St Petersburg = Zenit Sankt-Peterburg, Zenit S Petersburg, Zenit SPB, Z St Petersburg
  Kryliya Sovetov = Krylya Sovetov, Krylia Sovetov, Krylya Sovetov Samara, Krylia Sovetov Samara, KS Samara, Krylya
  Kryliya Sovetov = Kr Sovetov, K Sovetov, Kryl Sovetov, Krylia, Krylya S, Krylja Sovetov, Krylya Sov
  Kryliya Sovetov = PFC Krylya Sovetov, Krylia Sov Samara, Krylya Sovetov S | Rubin Kazan = Rubin, R Kazan, Rub Kazan
  Gazovik Orenburg = Orenburg, FK Orenburg, Gazovik
  FC Akhmat Grozny = Akhmat, Terek Grozny, Akhmat G, A Grozny, Grozny, Terek
  FC Dynamo Makhachkala = Dinamo Makhachkala, Din Makhachkala, Dyn Makhachkala, D Makhachkala, Dynamo Makh
  FC Dynamo Makhachkala = Makhachkala
  FC Akron Tolyatti = Akron Togliatti, Akron, Akron Togl, Akron Tolyatty, Akron Tol
  FC Nizhny Novgorod = Pari NN, Pari Nizhny Novgorod, Pari Nizhniy Novgorod, Nizhny N, N Novgorod, Nizhniy Novgorod
  FC Nizhny Novgorod = Nizh Novgorod, Pari Nizhny, Pari N Novgorod
  FC Baltika Kaliningrad = Baltika, Baltika K, B Kaliningrad, Kaliningrad
  Legia Warszawa = Legia Warsaw, Legia, L Warsaw, L Warszawa, Legia Warschau, Legia Varsovia, CWKS Legia
  Cracovia Kraków = Cracovia, Cracovia Krakow KS, KS Cracovia, Cracovia Cracow, MKS Cracovia
  Nieciecza = Termalica, Bruk-Bet Termalica, Termalica Nieciecza, Bruk-Bet Termalica Nieciecza
  Nieciecza = Termalica BB Nieciecza, BB Termalica, Bruk-Bet T Nieciecza, Bruk-Bet Nieciecza, BB Termalica Nieciecza
  Nieciecza = Termalica B-B, Termalica Bruk-Bet, Termalica Bruk-Bet Nieciecza | Radomiak Radom = Radomiak, R Radom
  Jagiellonia Białystok = Jagiellonia, J Bialystok, Bialystok, Jaga
  Lech Poznań = Lech, L Poznan, KKS Lech Poznan, Lech P, Lech Posen | Górnik Zabrze = Gornik, G Zabrze, Gorn Zabrze
  Raków Częstochowa = Rakow, R Czestochowa, Rakow Cz, Czestochowa
  Pogoń Szczecin = Pogon, P Szczecin, Szczecin, Pogon Sz, Pogon Stettin
  Widzew Łódź = Widzew, W Lodz, RTS Widzew Lodz, Widzew L | Arka Gdynia = Arka, A Gdynia, Gdynia
  Lechia Gdańsk = Lechia, L Gdansk, Gdansk | Korona Kielce = Korona, K Kielce, Kielce
  Piast Gliwice = Piast, P Gliwice, Gliwice | Motor Lublin = M Lublin | GKS Katowice = Katowice, GKS Kat
  Wisła Płock = Wisla P, Plock, W Plock | Zagłębie Lubin = Z Lubin, Zag Lubin, KGHM Zaglebie Lubin, Zaglebie L
  Śląsk Wrocław = Slask, S Wroclaw, WKS Slask Wroclaw | Stal Mielec = S Mielec, FKS Stal Mielec, PGE FKS Stal Mielec
  Puszcza Niepołomice = Puszcza, P Niepolomice | Wisła Kraków = Wisla Cracow, W Krakow | Ruch Chorzów = Ruch, R Chorzow
  Warta Poznań = Warta | ŁKS Łódź = LKS | Sparta Prague = Sparta Praha, AC Sparta Praha, Sp Prague, Sp Praha
  Slavia Prague = Slavia Praha, SK Slavia Praha, Sl Prague, Sl Praha
  Viktoria Plzeň = Plzen, V Plzen, Vik Plzen, Vikt Plzen, Viktoria Pilsen, Pilsen, FC Viktoria Pilsen
  Baník Ostrava = Ostrava, B Ostrava | Sigma Olomouc = Olomouc, S Olomouc, Sigma Ol
  Slovan Liberec = Liberec, S Liberec | Jablonec = Jablonec nad Nisou | Mladá Boleslav = M Boleslav, Ml Boleslav
  Hradec Králové = H Kralove, Hradec Kr | Slovácko = Uherske Hradiste
  Bohemians 1905 = Bohemians Prague, Bohemians Praha 1905, Bohemians Prague 1905, Bohemians Praha
  Dukla Prague = Dukla Praha, FK Dukla Praha | Zlín = Trinity Zlin, FC Trinity Zlin, FC Fastav Zlin
  České Budějovice = Dynamo Ceske Budejovice, C Budejovice, Ceske Bud, SK Dynamo Ceske Budejovice, D Ceske Budejovice
  Slovan Bratislava = S Bratislava, Sl Bratislava, Slovan Brat, Slov Bratislava
  Spartak Trnava = Trnava, S Trnava, Sp Trnava | Žilina = MSK Zilina
  DAC Dunajská Streda = Dunajska Streda, DAC 1904, DAC, Dun Streda, D Streda
  Shakhtar Donetsk = Shakhtar, Shaktar Donetsk, Sh Donetsk, Shakhtyor Donetsk, Shakhtar D, FC Shakhtar, S Donetsk
  Shakhtar Donetsk = Schachtar Donezk, Shakhtar Don, Shakhtar Donezk
  Dynamo Kyiv = Dynamo Kiev, Dinamo Kiev, Din Kiev, D Kiev, D Kyiv, Dyn Kyiv, Dinamo Kyiv, Dyn Kiev, Dyn. Kiew
  Dynamo Kyiv = Dynamo Kiew | Zorya Luhansk = Zorya, Z Luhansk, Zorya Lugansk, Zaria Lugansk
  Vorskla Poltava = Vorskla, V Poltava
  Kryvbas Kryvyi Rih = Kryvbas, K Kryvyi Rih, Kryvbas KR, FC Kryvbas, Kryvbas Krivoy Rog
  Karpaty Lviv = Karpaty, K Lviv, Karpaty Lvov | Rukh Lviv = Rukh, Rukh Lvov, Rukh Vynnyky
  LNZ Cherkasy = LNZ, LNZ Lebedyn | Metalist 1925 Kharkiv = Metalist 1925, Metalist 1925 Kharkov, Metalist 25
  Polissya Zhytomyr = Polissya, P Zhytomyr, Polessya Zhitomir, Polissia Zhytomyr, Polissia
  Veres Rivne = Veres, Veres Rovno, NK Veres Rivne | Kolos Kovalivka = Kolos, K Kovalivka, Kolos Kovalevka
  FC Oleksandriya = Oleksandria, FK Oleksandria, Alexandria Ukraine, PFC Oleksandria
  Obolon Kyiv = Obolon, Obolon Kiev, Obolon-Brovar | FK Rostov = FC Rostov-on-Don | FK Sochi = PFC Sochi
  Fakel Voronezh = Fakel, F Voronezh | Maccabi Tel Aviv = Maccabi TA, M Tel Aviv, Macc Tel Aviv, Mac Tel Aviv
  Maccabi Haifa = M Haifa, Macc Haifa, Mac Haifa
  Hapoel Beer Sheva = H Beer Sheva, Hap Beer Sheva, Hapoel BS, Hapoel Ber Sheva, Hapoel Beersheba
  Hapoel Tel Aviv = H Tel Aviv, Hapoel TA, Hap Tel Aviv
  Beitar Jerusalem = B Jerusalem, Beitar J, Beitar J'lem, Beitar Jeru | Hapoel Haifa = H Haifa, Hap Haifa
  Qarabağ = Qarabag Agdam, Karabakh, Karabakh Agdam, Garabagh | Sheriff Tiraspol = Sheriff, S Tiraspol, FC Sheriff
  BATE Borisov = BATE, BATE Barysau, FC BATE | Dinamo Minsk = Dynamo Minsk, D Minsk, Din Minsk | The New Saints = TNS
  Víkingur Reykjavik = Vikingur R, Vikingur Reyk, Vikingur Reykjav | Breiðablik = Breidablik Kopavogur, UBK Breidablik

  Dinamo Zagreb = Din Zagreb, D Zagreb, GNK Dinamo Zagreb, GNK Dinamo, Dynamo Zagreb
  Hajduk Split = Hajduk, H Split, HNK Hajduk | HNK Rijeka = NK Rijeka | NK Osijek = Osijek
  Lokomotiva Zagreb = Lok Zagreb, L Zagreb, NK Lokomotiva, Lokomotiva Z, NK Lokomotiva Zagreb
  HNK Gorica = Gorica Croatia | NK Varaždin = Varazdin | Istra 1961 = NK Istra 1961, NK Istra, Istra Pula
  Slaven Belupo = NK Slaven Belupo, Slaven Koprivnica, Slaven, Slaven Belupo Koprivnica
  Red Star Belgrade = Crvena Zvezda, FK Crvena Zvezda, Crvena Zvezda Belgrade, Crvena Zvezda Beograd, Red Star Belg
  Red Star Belgrade = Roter Stern Belgrad, C Zvezda, Cr Zvezda, RS Belgrade, Etoile Rouge Belgrade, Red Star Beograd
  Partizan Belgrade = Partizan, FK Partizan, Partizan Beograd, FK Partizan Beograd, Part Belgrade, Partizan Bel
  Vojvodina = Vojvodina Novi Sad, FK Vojvodina Novi Sad
  TSC Bačka Topola = TSC, Backa Topola, FK TSC, TSC B Topola, B Topola
  Čukarički = Cukaricki Belgrade, Cukaricki Stankom | Maribor = NK Maribor
  Olimpija Ljubljana = O Ljubljana, Olimp Ljubljana, NK Olimpija Ljubljana, NK Olimpija, Olimpija Lj | Celje = NK Celje
  FCSB = Steaua Bucharest, Steaua Bucuresti, FCSB Bucharest, FCSB Bucuresti, FC Steaua, FC Steaua Bucuresti
  FCSB = FCSB Steaua | CFR Cluj = CFR Cluj-Napoca, CFR
  Universitatea Cluj = U Cluj, Univ Cluj, Un Cluj, Uni Cluj, FCU Cluj
  Universitatea Craiova = CS U Craiova, CSU Craiova, Univ Craiova, CS Universitatea Craiova, Uni Craiova
  Universitatea Craiova = CS Univ Craiova, Universitatea Craiova CS
  Dinamo Bucharest = Dinamo Bucuresti, Din Bucuresti, D Bucuresti, Dynamo Bucharest, Dyn Bucharest
  Dinamo Bucharest = FC Dinamo Bucuresti, FC Dinamo 1948, D Bucharest
  Rapid Bucharest = Rapid Bucuresti, R Bucuresti, FC Rapid Bucuresti, R Bucharest
  Farul Constanța = Farul, F Constanta, FCV Farul Constanta | UTA Arad = UTA
  Petrolul Ploiești = Petrolul, P Ploiesti, Petrolul 52
  Sepsi OSK = Sepsi, Sepsi Sf Gheorghe, Sepsi OSK Sfantu Gheorghe, Sepsi Sfantu Gheorghe, ACS Sepsi OSK
  Oțelul Galați = Otelul, O Galati | FC Hermannstadt = Hermannstadt Sibiu | FC Argeș Pitești = FC Arges, Arges
  Unirea Slobozia = U Slobozia
  Ludogorets Razgrad = Ludogorets, PFC Ludogorets, PFC Ludogorets Razgrad, L Razgrad, Ludogorec, Ludogorets 1945
  CSKA Sofia = CSKA Sofija, PFC CSKA Sofia | Levski Sofia = Levski, PFC Levski Sofia
  Ferencváros = Ferencvarosi TC, FTC, Ferencvaros Budapest, Ferencvarosi, Ferencvarosi Torna Club
  Puskás Akadémia = Puskas, Puskas Academy, Puskas FC Academy, Puskas AFC | Újpest = Ujpest Budapest`
