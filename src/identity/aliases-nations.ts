// National teams in other languages, and their codes (see aliases.ts).

/** National teams, in every sport: names that are not in CLDR (nations.ts). */
export const NATIONS_ABROAD = `
  Albania = Shqiperia | Angola = Angolia | Australia = Socceroos | Austria = Oesterreich
  Belarus = Weißrussland, Wit-Rusland, Vitryssland, Hviderusland
  Bosnia & Herzegovina = Bosnien, Bosnien-Herzegowina, Bosnia-Erzegovina, Bosnie, Bosnie-Herzegovina, Bósnia, BIH
  Bosnia & Herzegovina = Bosnia/Herzegovina, Bosnia and Herzegowina | Brazil = Seleção
  Cape Verde = Kapverden, Kapverdische, Zielony Przyladek, Yesil Burun, Republica de Cabo Verde
  Cape Verde = Isole di Capo Verde, Republic of Cabo Verde, Wyspy Zielonego Przyladka | Chile = Szili
  China = Volksrepublik China, China P.R. | Congo = Kongo, Republik Kongo | Cyprus = Guney Kibris
  Czech Republic = Tschechische Republik, República Checa, République tchèque, Rep Checa, Rep. Tchèque
  Czech Republic = Repubblica Ceca, Ceska Republika, Rep Ceca
  DR Congo = RD Congo, Congo RD, Congo (RDC), RDC, Demokratische Republik Kongo, DR Kongo
  DR Congo = République démocratique du Congo, Kongo DR, RD Kongo, RD del Congo, Rep. Dem. Congo, RDP Congo
  DR Congo = Rep Dem del Congo, República Democrática do Congo, Repubblica Democratica del Congo, RD do Congo
  DR Congo = DR of Congo | Denmark = Daenemark | Egypt = Aegypten | El Salvador = Salvador
  England = Inglaterra, Angleterre, Inghilterra, Engeland, Anglia, Ingiltere, Three Lions | Estonia = Eesti
  Faroe Islands = Isole Faroe, Islas Faroe, Isole Far Oer, Faeroeer | France = França | Georgia = Sakartvelo
  Honduras = Hondouras | Hong Kong = Hongkong | Iran = Irão | Italy = Azzurri
  Ivory Coast = Elfenbeinküste, Elfenbeinkueste, Costa de Marfil, Wybrzeze Kosci Sloniowej, Fildisi Sahili
  Ivory Coast = Cote d Ivoire, Cote Ivoire, Elfenbenkysten | Japan = Nippon | Kazakhstan = Kazajstan
  Kyrgyzstan = Kirgisien | Liechtenstein = Lichtenstein, Lihtenstayn | Lithuania = Lietuva | Mexico = Méjico
  Moldova = Moldawien, Moldau | Netherlands = Holland, Olanda, Holanda, Hollande
  New Zealand = Nueva Zelandia, Aotearoa New Zealand, All Whites, Nova Zelanda
  North Macedonia = Nordmakedonia, Mazedonien, Macédoine, Makedonija, Severna Makedonija, Mazedonia, N. Mazedonien
  Northern Ireland = Nordirland, Irlanda del Norte, Irlande du Nord, Irlanda del Nord, Irlanda do Norte
  Northern Ireland = Noord-Ierland, Irlandia Polnocna, Kuzey Irlanda, Irlande Nord | Portugal = Seleccao
  Republic of Ireland = Irlanda Cumhuriyeti, Republik Irland, Ireland Rep., República de Irlanda, Rep. Irlanda
  Republic of Ireland = Irlande (Rép.), IRL | Russia = Rossiya, Rossija | Saudi Arabia = Arabie S, A Saudita
  Scotland = Schottland, Escocia, Écosse, Scozia, Schotland, Skottland, Szkocja, Iskocya, Skotland
  South Africa = Suedafrika, RPA, Africa del Sur, Bafana Bafana
  South Korea = Suedkorea, Rep. Korea, Republik Korea, Republica de Corea, Korea, Corea, Coree, Rep Corea
  South Korea = Republic of, República da Coreia | Switzerland = Switz | Togo = Togolese Republic
  Turkey = Tuerkei, Tuerkiye | United Arab Emirates = VAE, EAU, Emiratos Arabes, Emirats Arabes
  USA = EE.UU., EUA, EEUU, ABD, U.S., Vereinigte Staaten von Amerika | Uzbekistan = Uzbekistanas
  Wales = Gales, Galles, Pays de Galles, Walia, Galler, Cymru, País de Gales, Paese di Galles`

/** Codes of FIFA and the Olympic committee that are only used for nations. */
export const NATION_CODES = `
  Albania = ALB | Algeria = ALG | Andorra = AND | Angola = ANG | Argentina = ARG | Armenia = ARM | Australia = AUS
  Austria = AUT | Azerbaijan = AZE | Bahrain = BHR | Belarus = BLR | Belgium = BEL | Benin = BEN | Bolivia = BOL
  Brazil = BRA | Bulgaria = BUL | Burkina Faso = BFA | Cameroon = CMR | Canada = CAN | Cape Verde = CPV
  Chile = CHI | China = CHN | Colombia = COL | Congo = CGO | DR Congo = COD | Costa Rica = CRC | Croatia = CRO, HRV
  Cuba = CUB | Curaçao = CUW | Cyprus = CYP | Czech Republic = CZE | Denmark = DEN, DNK | Ecuador = ECU | Egypt = EGY
  El Salvador = SLV | Equatorial Guinea = EQG | Estonia = EST | Ethiopia = ETH | Faroe Islands = FRO | Finland = FIN
  France = FRA | Gabon = GAB | The Gambia = GAM | Georgia = GEO | Germany = GER, DEU | Ghana = GHA | Gibraltar = GIB
  Greece = GRE, GRC | Guatemala = GUA | Guinea = GUI | Haiti = HAI | Honduras = HON | Hong Kong = HKG | Hungary = HUN
  Iceland = ISL | India = IND | Indonesia = IDN, INA | Iran = IRN | Iraq = IRQ | Israel = ISR | Italy = ITA
  Ivory Coast = CIV | Jamaica = JAM | Japan = JPN | Jordan = JOR | Kazakhstan = KAZ | Kenya = KEN | Kosovo = KOS, KVX
  Kuwait = KUW | Kyrgyzstan = KGZ | Latvia = LVA | Lebanon = LBN, LIB | Libya = LBY | Liechtenstein = LIE
  Lithuania = LTU | Luxembourg = LUX | Malaysia = MAS | Mali = MLI | Malta = MLT | Mauritania = MTN | Mexico = MEX
  Moldova = MDA | Montenegro = MNE | Morocco = MAR | Mozambique = MOZ | Netherlands = NLD, HOL | New Zealand = NZL
  Nicaragua = NCA | Nigeria = NGA | North Korea = PRK | North Macedonia = MKD | Northern Ireland = NIR | Norway = NOR
  Oman = OMA | Pakistan = PAK | Palestine = PLE | Panama = PAN | Paraguay = PAR | Peru = PER | Philippines = PHI
  Poland = POL | Portugal = POR, PRT | Qatar = QAT | Romania = ROU | Russia = RUS | San Marino = SMR
  Saudi Arabia = SAU | Senegal = SEN | Serbia = SRB | Singapore = SGP | Slovakia = SVK | Slovenia = SVN
  South Africa = ZAF | South Korea = KOR | Spain = ESP | Sudan = SUD, SDN | Suriname = SUR | Sweden = SWE
  Switzerland = SUI | Syria = SYR | Tanzania = TAN | Thailand = THA | Togo = TOG | Trinidad and Tobago = TRI, TTO
  Tunisia = TUN | Turkey = TUR | Uganda = UGA | Ukraine = UKR | Uruguay = URU, URY | Uzbekistan = UZB | Venezuela = VEN
  Vietnam = VIE, VNM | Wales = WAL | Zambia = ZAM | Zimbabwe = ZIM`
