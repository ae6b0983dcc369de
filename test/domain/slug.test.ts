import assert from 'node:assert/strict'
import { test } from 'node:test'
import { playerSlugOf, slugOf } from '../../src/domain/slug.ts'

const SLUGS: readonly [name: string, slug: string][] = [
  ['Scottie Scheffler', 'scottie_scheffler'],
  ['Texas A&M Aggies', 'texas_a_and_m_aggies'],
  ['Brighton & Hove Albion', 'brighton_and_hove_albion'],
  ['Miami (OH) RedHawks', 'miami_oh_redhawks'],
  ["Conan O'Brien", 'conan_obrien'],
  ['Shaquille O’Neal', 'shaquille_oneal'],
  ['J. B. Pritzker', 'j_b_pritzker'],
  ['Donald Trump Jr.', 'donald_trump_jr'],
  ['Spain - La Liga', 'spain_la_liga'],
  ['Bodø/Glimt', 'bodo_glimt'],
  ['Mjällby AIF', 'mjallby_aif'],
  ['FC Blau-Weiß Linz', 'fc_blau_weiss_linz'],
  ['Gazişehir Gaziantep', 'gazisehir_gaziantep'],
  ['Fatih Karagümrük', 'fatih_karagumruk'],
  ['Ødegaard', 'odegaard'],
  ['Ægir', 'aegir'],
  ['STRAẞE', 'strasse'],
  ['Đoković', 'dokovic'],
  ['Łódź', 'lodz'],
  ['Işık', 'isik'],
  ['İstanbul', 'istanbul'],
  ['Þór', 'thor'],
  ['1. FC Köln', '1_fc_koln'],
  ['  -- a  --  b -- ', 'a_b'],
  ['e\u0301 composed or not é', 'e_composed_or_not_e'],
  ['Спартак', ''],
  ['', ''],
]

test('a slug has plain lower-case words joined by _', () => {
  for (const [name, slug] of SLUGS) assert.equal(slugOf(name), slug, name)
})

test('a slug of a slug is itself', () => {
  for (const [, slug] of SLUGS) assert.equal(slugOf(slug), slug)
})

test('a player is turned round, first name first', () => {
  assert.equal(playerSlugOf('Omoijuanfo, Ohi'), 'ohi_omoijuanfo')
  assert.equal(playerSlugOf('Ovenstad Rønning, Martin'), 'martin_ovenstad_ronning')
  assert.equal(playerSlugOf('Silva, Jr., Paulo'), 'paulo_silva_jr')
  assert.equal(playerSlugOf('Erling Haaland'), 'erling_haaland')
  assert.equal(playerSlugOf('Smith,'), 'smith')
})
