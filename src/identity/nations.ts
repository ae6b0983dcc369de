// Names of nations in other languages (docs/identity.md 2): what Unicode CLDR 48 calls the regions in German, French,
// Spanish, Italian, Portuguese, Dutch, Polish, Swedish, Danish, Norwegian, Finnish, Czech, Croatian, Romanian, Turkish,
// Hungarian and Indonesian, as folded slugs. A table, although Node has these data: events must not depend on its
// version, and a start must not wait for it. Left out is what means two nations, and what is mainly a club: Hellas,
// Granada, Franca, FAS, Indija, Salvador.

const TABLE = `
afghanistan: afeganistao afganistan afganisztan
albania: albanie albanien albanija arnavutluk
algeria: algerie algerien algeriet algerije algieria aljazair alzir alzirsko argelia cezayir
american_samoa: americka_samoa amerikaans_samoa amerikai_szamoa amerikan_samoa amerikan_samoasi amerikanisch_samoa
  amerikansk_samoa amerikanska_samoa samoa_americaines samoa_americana samoa_americane samoa_amerika
  samoa_amerykanskie
andorra: andora andorre
antigua_and_barbuda: antigua_a_barbuda antigua_dan_barbuda antigua_e_barbuda antigua_en_barbuda antigua_es_barbuda
  antigua_et_barbuda antigua_i_barbuda antigua_ja_barbuda antigua_och_barbuda antigua_og_barbuda antigua_si_barbuda
  antigua_und_barbuda antigua_ve_barbuda antigua_y_barbuda antigva_i_barbuda
argentina: argentiina argentine argentinie argentinien argentyna arjantin
armenia: armenie armenien armenija ermenistan ormenyorszag
australia: australie australien australija ausztralia avustralya
austria: austrija ausztria autriche avusturya itavalta oostenrijk osterreich osterrike ostrig rakousko
azerbaijan: aserbaidschan aserbajdsjan azerbaidjan azerbaidzan azerbaigian azerbaijao azerbaiyan azerbajdzan
  azerbajdzjan azerbajdzsan azerbaycan azerbeidzjan azerbejdzan
bahamas: bahama bahama_szigetek bahamalar bahami bahamy
bahrain: bahrajn bahrein bahreyn barein
bangladesh: banglades bangladesch bangladesz
barbados: barbade
belarus: belarusz belorusko bialorus bielorrusia bielorrussia bielorussia bielorussie bjelorusija valko_venaja
belgium: belcika belgia belgica belgie belgien belgija belgio belgique
belize: belice
bermuda: bermudas bermudes bermudi bermudy
bhutan: bhoutan butan butao
bolivia: bolivie bolivien bolivija bolivya boliwia
bosnia_and_herzegovina: bosna_a_hercegovina bosna_hersek bosna_i_hercegovina bosnia_dan_herzegovina
  bosnia_e_herzegovina bosnia_ed_erzegovina bosnia_hercegovina bosnia_i_hercegowina bosnia_ja_hertsegovina
  bosnia_si_hertegovina bosnia_y_herzegovina bosnie_en_herzegovina bosnie_herzegovine bosnien_hercegovina
  bosnien_och_hercegovina bosnien_und_herzegowina bosznia_hercegovina
botswana: bocvana botsuana botsvana
brazil: brasil brasile brasilia brasilien brazilia brazilie brazylia bresil brezilya
brunei: brunei_darussalam brunej
bulgaria: bugarska bulgarie bulgarien bulgarije bulgaristan bulharsko
burkina_faso: burquina_faso
cambodia: cambodge cambodgia cambodja cambogia camboja camboya kambocya kambodja kambodscha kambodsja kambodza
  kambodzsa kamboja
cameroon: camaroes cameroun camerun kameroen kamerun
canada: kanada
cape_verde: cabo_verde cap_vert capo_verde capul_verde kaapverdie kap_verde kapp_verde kapverdy
  republika_zielonego_przyladka tanjung_verde zelenortska_republika zold_foki_koztarsasag
central_african_republic: centraal_afrikaanse_republiek centralafrikanska_republiken den_centralafrikanske_republik
  den_sentralafrikanske_republikk keski_afrikan_tasavalta kozep_afrikai_koztarsasag orta_afrika_cumhuriyeti
  repubblica_centrafricana republica_centrafricana republica_centro_africana republica_centroafricana
  republik_afrika_tengah republika_srodkowoafrykanska republique_centrafricaine srednjoafricka_republika
  stredoafricka_republika zentralafrikanische_republik
chad: cad chade ciad csad czad tchad tsad tschad tsjaad tsjad
chile: chili cile sili
china: chine chiny cin cina kiina kina tiongkok
chinese_taipei: taiwan tajvan tajwan tayvan tchaj_wan
colombia: colombie columbia kolombia kolombiya kolumbia kolumbie kolumbien kolumbija
comoros: comoras comore comore_szigetek comoren comorerne comores komoren komorene komorerna komori komorit komorlar
  komoro komory
congo: congo_brazzaville kongo_brazavil kongo_brazzaville kongon_tasavalta republica_do_congo
cook_islands: cook_adalari cook_szigetek cookeilanden cookinsaaret cookinseln cookoarna cookoerne cookovi_otoci
  cookovy_ostrovy cookoyene iles_cook ilhas_cook insulele_cook islas_cook isole_cook kepulauan_cook wyspy_cooka
costa_rica: kosta_rika kostarika kostaryka
croatia: chorvatsko chorwacja croacia croatie croazia hirvatistan horvatorszag hrvatska kroasia kroatia kroatie
  kroatien
cuba: kuba kuuba
curacao: curazao
cyprus: chipre chypre cipar cipro cipru ciprus cypern cypr kibris kypr kypros siprus zypern
czech_republic: cechia cehia ceko cekya ceska cesko chequia csehorszag czechia czechy tchequia tchequie tjeckien
  tjekkiet tschechien tsekki tsjechie tsjekkia
denmark: danemarca danemark dania danimarca danimarka danmark danska dansko denemarken dinamarca tanska
djibouti: cibuti djibuti dschibuti dzibuti dzibutsko dzsibuti gibuti jibuti yibuti
dominica: dominika dominique
dominican_republic: den_dominikanske_republik den_dominikanske_republikk dominicaanse_republiek dominik_cumhuriyeti
  dominikaaninen_tasavalta dominikai_koztarsasag dominikana dominikanische_republik dominikanska_republika
  dominikanska_republiken repubblica_dominicana republica_dominicana republik_dominika republique_dominicaine
dr_congo: congo_kinshasa demokratyczna_republika_konga kongo_kinsasa kongo_kinshasa kongon_demokraattinen_tasavalta
  republica_democratica_del_congo
ecuador: ekuador ekvador ekwador equador equateur
egypt: agypten egipat egipt egipto egito egitto egyiptom egypte egypten egypti mesir misir
el_salvador: salwador
equatorial_guinea: aekvatorialguinea aquatorialguinea egyenlitoi_guinea ekvator_ginesi ekvatorial_guinea
  ekvatorialguinea ekvatorska_gvineja equatoriaal_guinea guine_equatorial guinea_ecuatorial guinea_ekuatorial
  guinea_equatoriale guinee_equatoriale guineea_ecuatoriala gwinea_rownikowa paivantasaajan_guinea rovnikova_guinea
eritrea: eritre eritreea eritreia eritreja erythree erytrea
estonia: estland estonie estonija estonsko estonya esztorszag viro
eswatini: essuatini esuatini esvatini szvazifold
ethiopia: athiopien ethiopie etiopia etiopie etiopien etiopija etiyopya
faroe_islands: faeroer faeroerne faeroyene faerske_ostrovy faroarna faroe_adalari faroer farsaaret farski_otoci
  feroer_szigetek iles_feroe ilhas_faroe insulele_feroe islas_feroe isole_faer_oer kepulauan_faroe wyspy_owcze
fiji: fidji fidschi fidzi fidzsi figi fiyi
finland: finlanda finlande finlandia finlandiya finnland finnorszag finska finsko suomi
france: francia franciaorszag francie francja francuska frankreich frankrig frankrijk frankrike fransa franta
  prancis ranska
gabon: gabao gabun
georgia: georgie georgien gruzia gruzie gruzija gruzja gurcistan
germany: alemanha alemania allemagne almanya deutschland duitsland germania jerman nemecko nemetorszag niemcy
  njemacka saksa tyskland
ghana: gana
gibraltar: cebelitarik gibilterra
greece: gorogorszag graekenland grcka grece grecia grecja grekland griechenland griekenland kreikka recko yunani
  yunanistan
grenada: grenade
guatemala: gvatemala gwatemala
guinea: gine guine guinee guineea gvineja gwinea
guinea_bissau: bissau_guinea gine_bissau guine_bissau guinea_bisau guinee_bissau guineea_bissau gvineja_bisau
  gwinea_bissau
guyana: guiana gujana gvajana
hong_kong: cin_hong_kong_oib hong_kong_dak_tiongkok hong_kong_rae_da_china hong_kong_sar_china
  hongkong_kiinan_erityishallintoalue hongkong_kkt hongkong_sar hongkong_sar_kina hongkong_sar_van_china
  hongkong_zao_ciny pup_hong_kong_kina rae_de_hong_kong_china ras_chinoise_de_hong_kong ras_di_hong_kong
  ras_hong_kong_china sar_hongkong sonderverwaltungsregion_hongkong sra_hongkong_chiny
hungary: hongarije hongrie hungaria hungria macaristan madarska madarsko magyarorszag ungaria ungarn ungern ungheria
  unkari wegry
iceland: ijsland island islanda islande islandia islanti izland izlanda
india: hindistan inde indie indien intia
indonesia: endonezya indonesie indonesien indonezia indonezija indonezja
iran: ira
iraq: irak iraque
israel: israele israil izrael
italy: italia italie italien italija italya olaszorszag wlochy
ivory_coast: costa_davorio costa_do_marfim cote_divoire elefantcsontpart elfenbenskusten elfenbenskysten ivoorkust
  norsunluurannikko obala_bjelokosti pobrezi_slonoviny
jamaica: giamaica jamaika jamaique jamajka
japan: giappone japani japao japon japonia japonsko japonya jepang
jordan: giordania iordania jordania jordanie jordanien jordansko urdun yordania
kazakhstan: cazaquistao kasachstan kasakhstan kazachstan kazahstan kazahsztan kazajistan kazakistan kazakstan
kenya: kena kenia kenija quenia
kosovo: kosova kosowo koszovo
kuwait: koeweit koweit kuvait kuvajt kuveyt kuweit kuwejt
kyrgyzstan: kargazstan kirghizistan kirghizstan kirgisia kirgisistan kirgistan kirgizie kirgizistan kirgizisztan
  kirgizstan kirguistan quirguistao
laos: laosz
latvia: latvija letland letonia letonya lettland lettonia lettonie lettorszag lotwa lotyssko
lebanon: liban libano libanon lubnan
lesotho: lesoto
liberia: liberie liberija liberya
libya: libia libie libija libye libyen
liechtenstein: lichtenstejnsko lihtenstajn
lithuania: liettua litauen litouwen lituania lituanie litva litvania litvanya litwa
luxembourg: lucembursko luksemburg lussemburgo luxemburg luxemburgo
macau: cin_makao_oib macao_kiinan_erityishallintoalue macao_sar macao_sar_china macao_sar_kina macao_zao_ciny
  macau_rae_da_china macau_sar_van_china makao_kkt makau_dak_tiongkok pup_makao_kina rae_de_macao_china
  ras_chinoise_de_macao ras_di_macao ras_macao_china sar_macao sonderverwaltungsregion_macau sra_makau_chiny
madagascar: madagaskar madagaszkar
malawi: malaui malavi
malaysia: malaisie malajsie malajzia malasia maleisie malesia malezija malezja malezya
maldives: maladewa maldiv_szigetek maldivas maldive maldiven maldivene maldiverna maldiverne maldivi maldivler
  malediivit malediven maledivy malediwy
malta: malte
mauritania: mauretania mauretanien mauretanija mauritanie moritanya
mauritius: maurice mauricijus mauricio mauricius
mexico: meksika meksiko meksyk messico mexic mexiko mexique
moldova: moldavia moldavie moldavien moldavija moldavsko moldawia republica_moldova republik_moldau
mongolia: mogolistan mongolei mongolie mongoliet mongolija mongolsko
montenegro: cerna_hora crna_gora czarnogora karadag muntenegru
morocco: maroc marocco marocko marokko maroko marrocos marruecos
mozambique: mocambique mosambik mozambic mozambico mozambik
myanmar: mianmar mianmar_birmania mjanma_birma mjanmar_burma myanmar_barma myanmar_birma myanmar_birmania
  myanmar_birmanie myanmar_burma
namibia: namibie namibija namibya
netherlands: alankomaat belanda holandia hollanda hollandia nederland nederlandene nederlanderna niederlande
  nizozemska nizozemsko paesi_bassi paises_baixos paises_bajos pays_bas tarile_de_jos
new_zealand: neuseeland nieuw_zeeland noua_zeelanda nouvelle_zelande nova_zelandia novi_zeland novy_zeland
  nowa_zelandia nueva_zelanda nuova_zelanda nya_zeeland selandia_baru uj_zeland uusi_seelanti yeni_zelanda
nicaragua: nikaragua nikaragva
niger: nijer
nigeria: nigerie nigerija nijerya
north_korea: corea_del_nord corea_del_norte coree_du_nord coreea_de_nord coreia_do_norte eszak_korea korea_polnocna
  korea_utara kuzey_kore noord_korea nord_korea nordkorea pohjois_korea severni_korea sjeverna_koreja
north_macedonia: eszak_macedonia kuzey_makedonya macedoine_du_nord macedonia_de_nord macedonia_del_nord
  macedonia_del_norte macedonia_do_norte macedonia_polnocna makedonia_utara noord_macedonie nord_makedonia
  nordmakedonien nordmazedonien pohjois_makedonia severni_makedonie sjeverna_makedonija
norway: noorwegen norge norja norsko noruega norvec norvege norvegia norveska norwegen norwegia
oman: oma umman
pakistan: pakisztan paquistao
palestine: de_palaestinensiske_omrader det_palestinske_omradet filistin_bolgeleri palastinensische_autonomiegebiete
  palestiinalaisalue palestijnse_gebieden palestinian_territories palestinska_territorierna palestinska_uzemi
  palestinsko_podrucje palesztin_autonomia teritoriile_palestiniene territoires_palestiniens territori_palestinesi
  territorios_palestinos terytoria_palestynskie wilayah_palestina
papua_new_guinea: papoea_nieuw_guinea papouasie_nouvelle_guinee papua_neuguinea papua_noua_guinee papua_nova_guine
  papua_nova_guinea papua_nova_gvineja papua_nowa_gwinea papua_nueva_guinea papua_nugini papua_nuova_guinea
  papua_ny_guinea papua_nya_guinea papua_uj_guinea papua_uusi_guinea papua_yeni_gine
paraguay: paraguai paragvaj paragwaj
peru: perou
philippines: filipijnen filipina filipinas filipine filipini filipinler filipiny filippiinit filippine filippinene
  filippinerna filippinerne fulop_szigetek philippinen
poland: lengyelorszag polandia polen poljska pologne polonia polonya polska polsko puola
portugal: portekiz portogallo portugali portugalia portugalsko
puerto_rico: porto_rico porto_riko portorico portoriko portoryko puerto_riko
qatar: catar katar
republic_of_ireland: ierland ireland irland irlanda irlande irlandia irlanti irorszag irska irsko
romania: roemenie romanya romenia roumanie rumaenien rumania rumanien rumunia rumunjska rumunsko
russia: oroszorszag rosja rusia rusija rusko rusland russie russland rusya ryssland venaja
rwanda: ruanda
samoa: szamoa
san_marino: st_marin
sao_tome_and_principe: santo_tome_y_principe sao_tome_dan_principe sao_tome_e_principe sao_tome_en_principe
  sao_tome_es_principe sao_tome_et_principe sao_tome_ja_principe sao_tome_och_principe sao_tome_og_principe
  sao_tome_si_principe sao_tome_und_principe sao_tome_ve_principe svaty_tomas_a_princuv_ostrov sveti_toma_i_princip
  wyspy_swietego_tomasza_i_ksiazeca
saudi_arabia: arab_saudi arabia_saudi arabia_saudita arabia_saudyjska arabie_saoudite saoedi_arabie saudi_arabien
  saudiarabien saudijska_arabija saudska_arabie suudi_arabistan szaud_arabia
senegal: szenegal
serbia: serbie serbien servia servie sirbistan srbija srbsko szerbia
seychelles: seicheles sejseli seszele seychelle_szigetek seychellen seychellene seychellerna seychellerne seychellit
  seychely seyseller
sierra_leone: serra_leoa sierra_leona sijera_leone
singapore: singapour singapur singapura szingapur
slovakia: eslovaquia slovacchia slovacia slovacka slovakien slovakiet slovakya slovaquie slovensko slowacja slowakei
  slowakije szlovakia
slovenia: eslovenia slovenie slovenien slovenija slovenya slovinsko slowenia slowenien szlovenia
solomon_islands: iles_salomon ilhas_salomao insulele_solomon islas_salomon isole_salomone kepulauan_solomon
  salamon_szigetek salamounovy_ostrovy salomonen salomonoarna salomonoerne salomonovi_otoci salomonoyene
  salomonsaaret salomonseilanden solomon_adalari wyspy_salomona
somalia: somali somalie somalija somalsko szomalia
south_africa: africa_de_sud africa_do_sul afrika_selatan afrique_du_sud del_afrikai_koztarsasag etela_afrikka
  guney_afrika jihoafricka_republika juznoafricka_republika republika_poludniowej_afryki sor_afrika sudafrica
  sudafrika sydafrika zuid_afrika
south_korea: corea_del_sud corea_del_sur coree_du_sud coreea_de_sud coreia_do_sul del_korea etela_korea guney_kore
  jizni_korea juzna_koreja korea_poludniowa korea_selatan sor_korea sudkorea sydkorea zuid_korea
south_sudan: del_szudan etela_sudan guney_sudan jizni_sudan juzni_sudan sor_sudan soudan_du_sud sud_sudan
  sudan_del_sur sudan_poludniowy sudan_selatan sudanul_de_sud sudao_do_sul sudsudan sydsudan zuid_soedan
spain: espagne espana espanha espanja hiszpania ispanya spagna spanelsko spania spanien spanje spanjolska spanyol
  spanyolorszag
st_kitts_and_nevis: san_cristobal_y_nieves sao_cristovao_e_nevis st_christophe_et_nieves st_kitts_dan_nevis
  st_kitts_e_nevis st_kitts_en_nevis st_kitts_es_nevis st_kitts_i_nevis st_kitts_ja_nevis st_kitts_och_nevis
  st_kitts_og_nevis st_kitts_si_nevis st_kitts_und_nevis st_kitts_ve_nevis svaty_krystof_a_nevis
  sveti_kristofor_i_nevis
st_vincent_and_the_grenadines: san_vicente_y_las_granadinas sao_vicente_e_granadinas st_vincent_and_grenadines
  st_vincent_dan_grenadine st_vincent_e_grenadine st_vincent_en_de_grenadines st_vincent_es_a_grenadine_szigetek
  st_vincent_et_les_grenadines st_vincent_i_grenadyny st_vincent_ja_grenadiinit st_vincent_och_grenadinerna
  st_vincent_og_grenadinene st_vincent_og_grenadinerne st_vincent_si_grenadinele st_vincent_und_die_grenadinen
  st_vincent_ve_grenadinler svaty_vincenc_a_grenadiny sveti_vincent_i_grenadini
sudan: soedan soudan sudao szudan
suriname: surinam
sweden: isvec ruotsi schweden suecia suede suedia svedorszag svedska svedsko sverige svezia swedia szwecja zweden
switzerland: elvetia isvicre schweiz suica suisse suiza svajc sveits sveitsi svicarska svizzera svycarsko swiss
  szwajcaria zwitserland
syria: siria sirija suriah suriye syrie syrien syyria sziria
tajikistan: tacikistan tadjikistan tadjiquistao tadschikistan tadsjikistan tadzikistan tadzjikistan tadzsikisztan
  tadzykistan tagikistan tayikistan
tanzania: tansania tanzanie tanzanija tanzanya
thailand: tailandia tajland tajlandia tayland thaifold thailanda thailande thailandia thaimaa thajsko
the_gambia: gambia gambie gambija gambiya
trinidad_and_tobago: trinidad_a_tobago trinidad_dan_tobago trinidad_e_tobago trinidad_en_tobago trinidad_es_tobago
  trinidad_i_tobago trinidad_ja_tobago trinidad_och_tobago trinidad_og_tobago trinidad_si_tobago trinidad_und_tobago
  trinidad_ve_tobago trinidad_y_tobago trinite_et_tobago trynidad_i_tobago
tunisia: tunesie tunesien tunez tunezia tunezja tunis tunisie tunisien tunisko tunus
turkey: torokorszag turchia turcia turcja turecko turkei turki turkiet turkije turkiye turkki turquia turquie turska
  tyrkia tyrkiet
turkmenistan: turcomenistao turkmenisztan
uganda: oeganda ouganda
ukraine: oekraine ucraina ucrania ukraina ukrajina ukrajna ukrayna
united_arab_emirates: arabiemiirikunnat birlesik_arap_emirlikleri de_forenede_arabiske_emirater
  de_forente_arabiske_emirater egyesult_arab_emirsegek emirados_arabes_unidos emiratele_arabe_unite
  emirati_arabi_uniti emiratos_arabes_unidos emirats_arabes_unis forenade_arabemiraten spojene_arabske_emiraty
  ujedinjeni_arapski_emirati uni_emirat_arab vereinigte_arabische_emirate verenigde_arabische_emiraten
  zjednoczone_emiraty_arabskie
uruguay: uruguai urugvaj urugwaj
usa: amerika_birlesik_devletleri amerika_serikat egyesult_allamok estados_unidos etats_unis
  sjedinjene_americke_drzave spojene_staty stany_zjednoczone statele_unite_ale_americii stati_uniti united_states
  vereinigte_staaten verenigde_staten yhdysvallat
uzbekistan: oezbekistan ouzbekistan ozbekistan usbekistan uzbegisztan uzbequistao
venezuela: wenezuela
vietnam: viet_nam vietna vijetnam wietnam
yemen: iemen jemen yaman
zambia: sambia zambie zambija zambiya
zimbabwe: simbabwe zimbabue zimbabve
`

/** Spelling to name, both as {@link folded} slugs. */
export const NATION_SPELLINGS: ReadonlyMap<string, string> = new Map(
  TABLE.trim()
    .split(/\n(?! )/)
    .flatMap((line) => {
      const [name, spellings] = line.split(':') as [string, string]
      return spellings
        .trim()
        .split(/\s+/)
        .map((spelling): [string, string] => [spelling, name])
    }),
)
