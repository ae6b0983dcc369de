// National teams, and football clubs beyond Europe, in other books' spellings (see aliases.ts).

/** National teams, in every sport. */
export const NATIONS = `
  DR Congo = Congo DR, Congo Democratic Republic, Democratic Republic of the Congo, Democratic Republic of Congo
  DR Congo = DRC, D.R. Congo, Dem Rep Congo, Congo Dem Rep, Dem Rep of Congo, RD Congo
  USA = United States of America, US, U.S.A., US of America, USMNT
  South Korea = Korea Republic, Republic of Korea, Korea South, Korea Rep, S Korea, Rep of Korea, Korea S
  South Korea = Sth Korea | North Korea = Korea DPR, DPR Korea, Korea North, N Korea, DPRK, Korea N
  Cape Verde = Cape Verde Islands, C Verde, Cape Verde Isl, Cape Verde Is
  Bosnia & Herzegovina = Bosnia, Bosnia-Herzegovina, Bosnia and Herz, Bosnia Herz, Bosnia Herzeg, Bosnia and H
  Bosnia & Herzegovina = BiH, B&H | Iran = IR Iran, Islamic Republic of Iran | China = China PR
  Republic of Ireland = Rep of Ireland, Eire, Ireland Republic, Rep Ireland, R Ireland, ROI, Ireland Rep
  Republic of Ireland = Irish Republic
  North Macedonia = Macedonia, FYR Macedonia, N Macedonia, Nth Macedonia, Republic of North Macedonia
  Eswatini = Swaziland | Netherlands = Holland, The Netherlands, NED
  Saudi Arabia = Saudi, KSA, S Arabia, Saudi Arab | United Arab Emirates = UAE, UA Emirates
  Trinidad and Tobago = Trinidad, T&T, Trinidad & Tob, Trinidad/Tobago | Kyrgyzstan = Kyrgyz Republic, Kyrgystan
  East Timor = Timor-Leste | New Zealand = NZ, N Zealand, New Zeal | South Africa = RSA, S Africa, Sth Africa
  Hong Kong = Hong Kong China | Macau = Macao | Syria = Syrian Arab Republic
  Antigua and Barbuda = Antigua, Antigua Barbuda, Antigua & Barb | England = ENG | Scotland = SCO
  Congo = Republic of the Congo, Republic of Congo, Congo Rep | Northern Ireland = N Ireland, Nth Ireland, N. Irl
  Czech Republic = Czech Rep, Czech | Costa Rica = C Rica | Dominican Republic = Dominican Rep, Dominican R
  Central African Republic = Central African Rep, C African Republic, Central Africa
  Equatorial Guinea = Eq Guinea, Equat Guinea | Faroe Islands = Faroes, Faroe Is, Faroe Isl
  Solomon Islands = Solomon Is, Solomon Isl | Cook Islands = Cook Is | Papua New Guinea = Papua NG, PNG
  Liechtenstein = Liecht | St Kitts and Nevis = St Kitts, St Kitts Nevis
  St Vincent and the Grenadines = St Vincent, St Vincent & G | Puerto Rico = P Rico | Burkina Faso = B Faso, Burkina
  Sierra Leone = S Leone | South Sudan = S Sudan | Turkmenistan = Turkmenia | Belarus = Belorussia, Byelorussia
  Myanmar = Burma | Guinea-Bissau = G Bissau, Guinea B'ssau | Philippines = Phillipines | Laos = Lao, Lao PDR`

/** Clubs beyond Europe, by country. */
export const FOOTBALL_WORLD = `
  América = America Mexico, America CDMX, America MEX, America Mex City
  Guadalajara = Chivas, Chivas Guadalajara, Guadalajara Chivas, Deportivo Guadalajara, Guadalajara C, C Guadalajara
  Pumas = Pumas UNAM, UNAM Pumas, UNAM, Universidad Nacional, UNAM Pumas Mexico
  Tigres = Tigres UANL, UANL Tigres, UANL, Tigres Monterrey | Tijuana = Xolos, Xolos de Tijuana
  Atlas = Atlas Guadalajara | Toluca = Deportivo Toluca | Monterrey = Rayados, Rayados Monterrey
  Querétaro = Gallos Blancos | FC Juárez = Bravos Juarez, FC Juarez Bravos
  Atlético San Luis = San Luis, Atl San Luis, A San Luis, Atl. S. Luis, At San Luis
  CF Montreal = Montreal Impact, Club de Foot Montreal | D.C. United = DC United, DC Utd, Washington DC United
  Los Angeles FC = LAFC, LA FC, Los Angeles Football Club | LA Galaxy = Los Angeles Galaxy, L.A. Galaxy
  New York City FC = NYCFC, NYC FC, NY City, NY City FC, New York C
  New York Red Bulls = NY Red Bulls, NYRB, New York RB, Red Bull New York, NY RB, RB New York
  Sporting Kansas City = Sporting KC, SKC, Sp Kansas City, S Kansas City, Sp Kansas, Sp Kansas C
  Real Salt Lake = Salt Lake, RSL, R Salt Lake, Real SL
  San Jose Earthquakes = SJ Earthquakes, SJ Quakes, San Jose, San Jose Quakes, S Jose Earthquakes
  New England Revolution = NE Revolution, New England, New England Rev, N England Revolution, NE Revs
  New England Revolution = New England Revs | Boca Juniors = Boca, B Juniors, Boca Jrs, Boca J
  Estudiantes La Plata = Estudiantes, Estudiantes LP, Est La Plata, E La Plata, Estud La Plata
  Gimnasia La Plata = Gimnasia LP, Gimnasia y Esgrima La Plata, GELP, Gim La Plata, G La Plata, Gimnasia y Esgrima LP
  Gimnasia La Plata = Gimn La Plata | Gimnasia Mendoza = Gimnasia y Esgrima Mendoza, Gimnasia M, Gim Mendoza
  Newells Old Boys = Newells, Newell's OB, NOB
  Velez Sarsfield BA = Velez Sarsfield, Velez, V Sarsfield, Velez S, Velez Sarsf
  Argentinos Juniors = Argentinos, Argentinos Jrs, Argentinos Jr, Argentinos J, Arg Juniors, Argent Juniors
  Atlético Huracán = Huracan, CA Huracan, Atletico Huracan Buenos Aires, Huracan Buenos Aires, Atl Huracan
  Atlético Tucuman = Tucuman, Atl Tucuman, A Tucuman, At Tucuman, Ath Tucuman
  Belgrano de Cordoba = Belgrano, CA Belgrano | CA Tigre BA = Tigre, CA Tigre
  Central Córdoba = Central Cordoba SdE, Central Cordoba Santiago del Estero, Central Cordoba de Santiago
  Central Córdoba = C Cordoba SdE, Central Cordoba SE, Cent Cordoba, Central Cba
  Deportivo Riestra = Riestra, Dep Riestra, D Riestra | Instituto de Córdoba = Instituto, Instituto ACC, Inst Cordoba
  Racing Club = Racing Avellaneda, Racing Club de Avellaneda, Racing Club Avellaneda, Racing, Racing Avell
  Racing Club = Racing Club Av, RC Avellaneda
  Independiente = Independiente Avellaneda, Indep Avellaneda, Independiente Av, Independiente Avell, Ind Avellaneda
  River Plate = River, River Plate Buenos Aires, River Plate Argentina, River Plate ARG
  Sarmiento de Junin = Sarmiento, Sarmiento J | Talleres = Talleres Cordoba, Talleres de Cordoba, Talleres Cba
  Union Santa Fe = CA Union, Union SF, U Santa Fe, Union S Fe, Union Sta Fe | Aldosivi Mar del Plata = Aldosivi
  Independiente Rivadavia = Ind Rivadavia, CS Independiente Rivadavia, Independiente Riv
  Independiente Rivadavia = Independiente Rivadavia Mendoza, Ind. Riv. Mendoza, I Rivadavia, Indep Rivadavia
  San Lorenzo = San Lorenzo de Almagro, San Lorenzo de A, S Lorenzo, CA San Lorenzo de Almagro
  Defensa y Justicia = Def y Justicia, Defensa Justicia, Defensa & Justicia, Defensa y J, Def y Just, Defensa y Just
  Defensa y Justicia = D y Justicia, Def Justicia, CSD Defensa y Justicia
  Estudiantes de Río Cuarto = Estudiantes Rio Cuarto, Estudiantes RC, AA Estudiantes, Est Rio Cuarto
  Estudiantes de Río Cuarto = Estudiantes Rio IV | Flamengo = Flamengo RJ, CR Flamengo, Flamengo Rio, CR Flamengo RJ
  Fluminense = Fluminense RJ, Fluminense Rio | Botafogo = Botafogo RJ, Botafogo FR, Botafogo Rio
  Vasco da Gama = Vasco, Vasco da Gama RJ, CR Vasco da Gama, Vasco G, Vasco RJ, V da Gama
  Palmeiras = Palmeiras SP, SE Palmeiras, Palmeiras Sao Paulo
  Corinthians = Corinthians SP, Corinthians Paulista, Corinthians-SP Paulista | Santos = Santos SP
  Sao Paulo = Sao Paulo SP, S Paulo, SP FC Sao Paulo
  Bragantino-SP = Bragantino, RB Bragantino, Red Bull Bragantino, Red Bull Brag, RB Bragantino SP
  Bragantino-SP = Red Bull Bragantino SP
  Atletico Mineiro = Atletico MG, Atl Mineiro, CA Mineiro, At Mineiro, Clube Atletico Mineiro MG, Ath Mineiro
  Atletico Paranaense = Athletico Paranaense, Athletico PR, Atletico PR, CA Paranaense, Club Athletico Paranaense
  Atletico Paranaense = CA Paranaense PR, Ath Paranaense, Atl Paranaense, A Paranaense, Athletico-PR Curitiba
  Atletico Paranaense = At Paranaense
  Atletico Goianiense = Atletico GO, Atl Goianiense, A Goianiense, Atletico Goianiense GO, AC Goianiense, Atl GO
  Grêmio = Gremio RS, Gremio Porto Alegre, Gremio FBPA, Gremio Porto A, Gremio FBPA RS, Gremio FB Porto Alegrense
  Internacional = Internacional RS, Internacional Porto Alegre, Inter Porto Alegre, Inter RS, Internacional P Alegre
  Internacional = Int Porto Alegre, Internacional POA | Cruzeiro = Cruzeiro MG, Cruzeiro EC, Cruzeiro Belo Horizonte
  Bahia = EC Bahia, Bahia BA, Bahia Salvador | Vitoria = EC Vitoria, Vitoria BA, Vitoria Salvador, Vitoria EC
  Remo = Clube do Remo, Remo PA, Remo Belem | Coritiba = Coritiba PR, Coritiba FBC
  Chapecoense = Chapecoense AF, Chape, AF Chapecoense | Mirassol = Mirassol SP
  Sport Recife = Sport, Sport PE, Sport Club do Recife, Sport R, S Recife, Sp Recife
  Clube de Regatas Brasil = CRB, CRB AL, CRB Maceio, CRB Alagoas
  Grêmio Novorizontino = Novorizontino, Novorizontino SP, Gremio Novoriz, G Novorizontino
  Operario PR = Operario, Operario Ferroviario, Operario Ferroviario PR, Operario Ferroviario EC, Operario F
  Nautico PE = Nautico, Nautico Recife | América Mineiro = America MG, America Belo Horizonte, Am Mineiro
  Athletic Sao Joao del Rei = Athletic Club (MG), Athletic MG, Athletic Club Sao Joao del Rei, Athletic Sao Joao
  Juventude = Juventude RS, EC Juventude, Juventude Caxias | Ponte Preta = Ponte Preta SP | Criciuma = Criciuma EC
  Goiás = Goias GO, Goias EC | Vila Nova = Vila Nova GO | Cuiabá = Cuiaba MT, Cuiaba EC | Ceará = Ceara CE
  Fortaleza = Fortaleza CE, Fortaleza EC | Londrina = Londrina PR, Londrina EC | São Bernardo = Sao Bernardo SP
  Universidad Católica (CHI) = Universidad Catolica, U Catolica, Univ Catolica, CD Universidad Catolica
  Universidad Católica (CHI) = Catolica Chile, Universidad Catolica Chile, Un Catolica, Univ Catolica Chile
  Universidad Católica (CHI) = Universidad Catolica de Chile
  Universidad de Chile = U de Chile, Univ de Chile, La U, U Chile, Univ Chile, Un de Chile
  Colo Colo = Colo-Colo Santiago, CSD Colo Colo, Colocolo | La Serena = Deportes La Serena, D La Serena, Dep La Serena
  Ñublense = Nublense Chillan | O'Higgins = O Higgins, O'Higgins Rancagua, O'Higg
  Deportes Limache = Limache, D Limache, Dep Limache | Coquimbo Unido = Coquimbo, Coquimbo U, Coquimbo Un
  Everton de Viña del Mar = Everton Vina del Mar, Everton Vina, Everton CD, CD Everton, Everton (Chile), Everton CHI
  Everton de Viña del Mar = Everton Vina d M, Everton V del Mar
  Audax Italiano = Audax, Audax I, A Italiano, Audax Club Sportivo Italiano, Aud Italiano
  Union La Calera = Calera, U La Calera, Un La Calera, Union L C, Union Calera, U. Calera
  LDU Quito = LDU, Liga de Quito, Liga Deportiva Universitaria, L.D.U. Quito, Liga Quito, Liga Dep Universitaria
  LDU Quito = Liga Deportiva Universitaria de Quito, LDUQ, LDU Q
  Barcelona SC = Barcelona Guayaquil, Barcelona de Guayaquil, Barcelona SC Guayaquil, Barcelona Ecu
  Barcelona SC = Barcelona SC Ecuador, Barcelona Ecuador
  Independiente del Valle = Ind del Valle, IDV, Ind. d. Valle, I del Valle, Indep del Valle
  Independiente del Valle = CSD Independiente del Valle
  Independiente Medellín = Ind Medellin, DIM, Deportivo Independiente Medellin, I Medellin, Indep Medellin
  Independiente Medellín = Ind. Medellín DIM
  Independiente Santa Fe = Santa Fe, Ind Santa Fe, Santa Fe Bogota, Indep Santa Fe, I Santa Fe, CI Santa Fe
  Junior FC = Junior Barranquilla, Atletico Junior, Junior B'quilla, Atletico Junior Barranquilla
  América de Cali = America Cali, Am de Cali, Am Cali | Millonarios = Millonarios Bogota
  Deportes Tolima = Tolima, Dep Tolima, D Tolima
  Nacional de Montevideo = Nacional Montevideo, Club Nacional, Nacional (URU), Club Nacional de Football
  Nacional de Montevideo = Nac Montevideo, Nacional M'video, Nacional MVD
  Peñarol Montevideo = Penarol, Club Atletico Penarol | Club Bolívar = Bolivar La Paz
  Club Universitario de Deportes = Universitario, Universitario Lima, Univ de Deportes, Universitario Dep
  Club Universitario de Deportes = Universitario Dep Lima, U de Deportes
  Cerro Porteño = Cerro Porteno Asuncion, C Porteno | Libertad Asuncion = Libertad, Club Libertad, L Asuncion
  Olimpia Asunción = Olimpia, Club Olimpia, O Asuncion
  Sporting Cristal = S Cristal, Cristal Lima, Sp Cristal, CS Cristal, Sport Cristal | Club Cienciano = Cienciano Cusco
  UCV FC = Universidad Central, Universidad Central de Venezuela, U Central Venezuela
  Puerto Cabello = Academia Puerto Cabello, Acad Puerto Cabello, A Puerto Cabello, Academia P Cabello
  Deportivo La Guaira = La Guaira, Dep La Guaira, D La Guaira, DLG
  C.D. Cuenca = Deportivo Cuenca, Dep Cuenca, D Cuenca | Club Independiente Petrolero = Independiente Petrolero
  Montevideo City Torque = Torque, CA Torque, M City Torque, Mvd City Torque, Mont City Torque, MC Torque
  CA Juventud = Juventud, Juventud Las Piedras, Juventud de Las Piedras | Recoleta FC = Deportivo Recoleta
  Macará = Macara Ambato | Deportivo Pereira = Pereira, Dep Pereira, D Pereira
  Alianza Atlético = Alianza Atletico Sullana, Alianza Sullana | Blooming = Blooming Santa Cruz | Cruz Azul = C Azul
  Santos Laguna = S Laguna | Inter Miami CF = I Miami, Int Miami, Club Internacional de Futbol Miami
  Atlanta United FC = Atlanta, Atlanta U | Minnesota United FC = Minnesota, Minnesota U, MNUFC
  St. Louis City SC = St Louis, St Louis C, STL City | Seattle Sounders FC = Seattle, Seattle S, Sounders
  Vancouver Whitecaps FC = Vancouver, Vancouver W'caps, V Whitecaps, Whitecaps | Columbus Crew SC = Columbus
  Chicago Fire = Chicago | Colorado Rapids = Colorado | Houston Dynamo = Houston | Orlando City SC = Orlando
  Philadelphia Union = Philadelphia, Phila Union, Philly Union | Portland Timbers = Portland
  Rosario Central = R Central, Rosario C, Ros Central | Barracas Central = Barracas C
  Godoy Cruz = Godoy Cruz Mendoza, Godoy Cruz Antonio Tomba | San Martín de San Juan = San Martin SJ, S Martin San Juan
  Avai = Avai FC Florianopolis | Paysandu = Paysandu PA | Amazonas = Amazonas AM | Ferroviária = Ferroviaria SP
  Volta Redonda = Volta Redonda RJ, V Redonda
  Universidad de Concepción = U Concepcion, U de Concepcion, Univ Concepcion, Univ de Concepcion, Un de Concepcion
  Deportes Concepción = D Concepcion, Dep Concepcion | Union Española = U Espanola, Un Espanola
  Deportes Iquique = Iquique, D Iquique, Dep Iquique
  Atletico Nacional = Atl Nacional, Atletico Nacional Medellin, Atletico Nac, Nacional Medellin, At Nacional
  Deportivo Cali = Dep Cali, D Cali, Asociacion Deportivo Cali | Once Caldas = O Caldas, Once Caldas Manizales
  Atletico Bucaramanga = Bucaramanga, Atl Bucaramanga, A Bucaramanga | Deportivo Pasto = Dep Pasto, D Pasto
  Boyaca Chico = B Chico | Aguilas Doradas = Rionegro Aguilas, A Doradas, Aguilas Doradas Rionegro
  The Strongest = The Strongest La Paz

  Newcastle Jets FC = Newcastle Jets, Newcastle United Jets, N'castle Jets, Newcastle J, N Jets
  Central Coast Mariners = Central Coast, Central C Mariners, CC Mariners, C Coast Mariners, Central Coast M
  Wellington Phoenix FC = Wellington, Wellington P, W Phoenix
  Western Sydney Wanderers = WS Wanderers, W Sydney Wanderers, Western Sydney, W Sydney, Western Syd Wanderers
  Western Sydney Wanderers = West Sydney | Macarthur FC = Macarthur Bulls
  Melbourne Victory = Melb Victory, Melbourne V, M Victory | Melbourne City = Melb City, Melbourne C
  Yokohama F Marinos = Yokohama Marinos, Yokohama FM, Yokohama F, Y Marinos, Yoko F Marinos, Yokohama F. Mar.
  Yokohama F Marinos = Yokohama FMarinos | Hiroshima Sanfrecce FC = Sanfrecce, S Hiroshima, Hiroshima, Sanfrecce H
  Urawa Red Diamonds = Urawa Reds, Urawa, Urawa Red, Urawa RD, U Red Diamonds | Tokyo Verdy = Verdy, T Verdy, Tokyo V
  Kyoto Purple Sanga = Kyoto Sanga, Kyoto, Kyoto S, K Sanga
  V-Varen Nagasaki = V Varen, Nagasaki, V V Nagasaki, V Nagasaki
  JEF United Chiba = JEF United, JEF Chiba, JEF United Ichihara Chiba, JEF | Mito HollyHock = Mito, Mito Holly Hock
  Nagoya Grampus = Nagoya Grampus Eight, Nagoya, N Grampus, Nagoya G, Grampus
  Kawasaki Frontale = Kawasaki, Kawasaki F, K Frontale | Kashima Antlers = Kashima, K Antlers
  Kashiwa Reysol = Kashiwa, K Reysol, Reysol | Fagiano Okayama = Okayama, F Okayama
  Daejeon Citizen = Daejeon Hana Citizen, Daejeon Hana, Daejeon, Daejeon Hana C, Taejon Citizen
  Jeju United FC = Jeju SK, Jeju
  Jeonbuk Hyundai Motors = Jeonbuk, Jeonbuk Motors, Jeonbuk FC, Jeonbuk H, Jeonbuk Hyundai, Jeonbuk HM, Chonbuk
  Jeonbuk Hyundai Motors = Jeonbuk Hyun | Ulsan Hyundai FC = Ulsan HD, Ulsan, Ulsan HD FC, Ulsan Hyundai Horang-i
  Sangju Sangmu FC = Gimcheon Sangmu, Kimcheon Sangmu, Gimcheon, Gimcheon S | Pohang Steelers = Pohang, Pohang S
  Incheon United = Incheon, Incheon U | Shanghai SIPG FC = Shanghai Port, Shanghai Port FC, SIPG, Sh Port, Shanghai P
  Shandong Luneng Taishan FC = Shandong Taishan, Shandong Luneng, Shandong, Shandong T, Shandong L, Sh Taishan
  Shandong Luneng Taishan FC = Shandong TS, Shandong Luneng TS
  Beijing FC = Beijing Guoan, Beijing Sinobo Guoan, BJ Guoan, Guoan, Beijing G, B Guoan
  Tianjin Jinmen Tiger FC = Tianjin Teda, Tianjin, Tianjin JMT, Tianjin J, Tianjin Tigers, Tianjin JT, Jinmen Tiger
  Tianjin Jinmen Tiger FC = Tianjin Tiger
  Zhejiang = Zhejiang Professional, Zhejiang Greentown, Zhejiang Pro, Zhejiang Prof, Hangzhou Greentown
  Shanghai Shenhua FC = Shenhua, Shanghai Greenland Shenhua, Sh Shenhua, S Shenhua, Shanghai Shen
  Chengdu Rongcheng FC = Chengdu, Chengdu Better City, Chengdu R, Rongcheng
  Wuhan Three Towns = Wuhan, Wuhan TT, Wuhan 3 Towns, Wuhan T
  Henan FC = Henan Songshan Longmen, Henan Jianye, Henan SSLM
  Shenzhen Peng City FC = Shenzhen Xinpengcheng, Sichuan Jiuniu, Shenzhen, Shenzhen PC, Shenzhen Peng
  Shenzhen Peng City FC = Shenzhen X'cheng | Qingdao Hainiu FC = Qingdao Manatee, Hainiu, Q Hainiu, Qingdao H
  Qingdao West Coast FC = Qingdao Youth Island, Qingdao WC, Q West Coast, Qingdao W Coast
  Liaoning Tieren FC = Shenyang Urban, Liaoning, Liaoning T, Liaoning Ironmen | Yunnan Yukun = Yunnan
  Al-Okhdood = Al Akhdoud, Al Ukhdood, Al-Okhdoud, Al Ukhdud, Okhdood, Al Akhdood, Okhdoud, Al-Okhdood Najran
  Al-Taawoun = Al Taawon, Al Taawoun Buraidah, Al Taawon Buraidah, Al Taawun, Al-Taawon Buraydah, Taawoun, Al-Tawoun
  Al-Taawoun = Taawon | Damac = Dhamk, Damak, Dhamak, Al-Damac | Al-Najma = Al Najma KSA, Al-Najmah
  Adelaide United = Adelaide, Adelaide U | Brisbane Roar = Brisbane, B Roar | Perth Glory = Perth, P Glory
  Gamba Osaka = G Osaka, Gamba O | Cerezo Osaka = C Osaka, Cerezo O | Avispa Fukuoka = A Fukuoka, Fukuoka
  FC Machida Zelvia = Machida, M Zelvia | Shimizu S-Pulse = Shimizu, Shimizu SP | Vissel Kobe = Kobe, V Kobe
  Shonan Bellmare = Shonan, Bellmare | Albirex Niigata = Niigata, A Niigata
  Consadole Sapporo = Sapporo, Hokkaido Consadole Sapporo, C Sapporo
  Suwon Samsung Bluewings = Suwon Bluewings, Suwon S Bluewings, Suwon Samsung, Suwon Blue Wings
  Chongqing Tonglianglong FC = Chongqing, Chongqing TL, Tonglianglong, Chongqing Tongliang Long
  Dalian Yingbo = Dalian, Dalian Y | Changchun Yatai FC = Changchun | Meizhou Hakka FC = Meizhou, Meizhou Kejia
  Al-Hilal = Al-Hilal Riyadh, Al Hilal Saudi, Al Hilal Riad, Al Hilal SFC, Hilal Riyadh
  Al-Nassr = Al Nasr Riyadh, Al-Nassr Riyadh, Al Nassr Riad, Al-Nasr Riyad
  Al-Ittihad = Al Ittihad Jeddah, Ittihad Jeddah, Al-Ittihad Jidda
  Al-Ahli Jeddah = Al Ahli Saudi, Al-Ahli SFC, Ahli Jeddah, Al-Ahly Jeddah
  Al-Ettifaq = Ettifaq, Al Ittifaq, Al-Ettifaq Dammam, Ettifaq FC
  Al-Qadsiah = Al Qadisiyah, Al-Qadisiya, Al Qadasiya, Al Quadisiya, Al-Qadsia | Al-Fateh = Al-Fath
  Al-Khaleej = Al Khaleej Saihat, Al Khalij | Al-Fayha = Al Feiha, Al Faiha, Al-Feyha, Al-Fayha Al-Majmaah
  Al-Riyadh = Al-Riyad | Al-Shabab = Al Shabab Riyadh, Al-Shabab KSA | Al-Hazem = Al Hazm, Al-Hazm Rass`

/** Clubs whose name contains another club's, or nearly. */
export const FOOTBALL_APART = `
  AC Milan, Paris FC, América de Cali, América Mineiro, Everton de Viña del Mar, Arsenal Tula, Arsenal de Sarandi
  Arsenal Sarandi, Arsenal Dzerzhinsk, Liverpool Montevideo, Barcelona SC, River Plate Montevideo
  River Plate Asuncion, Racing Montevideo, Racing Club Montevideo, Racing Club, Real Racing Club de Santander
  Racing Cordoba, Santos Laguna, Queens Park Rangers, Queens Park, Rangers de Talca, Dundee United, Cultural Leonesa
  Juventude, CA Juventud, Juventud Torremolinos, Red Star Belgrade, Inter Turku, Inter Miami, Inter Miami CF
  Central Córdoba, Independiente Rivadavia, Independiente Medellín, Independiente Santa Fe, Independiente del Valle
  Independiente Petrolero, Club Independiente Petrolero, Estudiantes de Río Cuarto, Estudiantes de Merida
  Gimnasia Mendoza, Gimnasia Jujuy, Nacional de Montevideo, Nacional Asuncion, Atletico Nacional, Nacional Potosi
  Universidad de Concepción, Deportes Concepción, Alianza Atlético, Alianza Lima
  Alianza Petrolera, Newcastle Jets FC, Newcastle Jets, Sporting Gijón, Sporting Kansas City, Sporting Cristal
  Sporting Covilha, Lincoln Red Imps, CSKA 1948, Bohemians 1905, Bohemians Praha, Vitória SC, Östersunds FK
  Lillestrom, Grêmio Novorizontino, Belgrano de Cordoba, Instituto de Córdoba, Bragantino-SP`

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
  Antigua and Barbuda, St Kitts and Nevis, St Vincent and the Grenadines, Sao Tome and Principe
  United Arab Emirates, Uruguay, Uzbekistan, Vanuatu, Venezuela, Vietnam, Wales, Yemen, Zambia, Zimbabwe`
