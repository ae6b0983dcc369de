// Names of nations in other languages (docs/identity.md 2): from the locale data in Node (Unicode CLDR), so that some
// 1,400 names need no table here.

import { slugOf } from '../domain/slug.ts'
import { NATION_NAMES } from './aliases.ts'
import { folded } from './words.ts'

const LANGUAGES = 'en de fr es it pt nl pl sv da nb fi cs hr ro tr hu id'.split(' ')

/** Nations with another name in sport than CLDR's English one, by ISO 3166 region. */
const NAMES: Readonly<Record<string, string>> = {
  ...{ AG: 'Antigua and Barbuda', BA: 'Bosnia & Herzegovina', CD: 'DR Congo', CG: 'Congo', CI: 'Ivory Coast' },
  ...{ CZ: 'Czech Republic', GM: 'The Gambia', HK: 'Hong Kong', IE: 'Republic of Ireland', KN: 'St Kitts and Nevis' },
  ...{ MM: 'Myanmar', MO: 'Macau', PS: 'Palestine', ST: 'Sao Tome and Principe', TR: 'Turkey' },
  ...{ TT: 'Trinidad and Tobago', TW: 'Chinese Taipei', US: 'USA', VC: 'St Vincent and the Grenadines' },
}

/** Nations in some language, but mainly clubs. */
const CLUBS: readonly string[] = ['hellas', 'granada', 'franca', 'fas', 'indija', 'salvador']

const LETTERS = Array.from({ length: 26 }, (_, n) => String.fromCharCode(65 + n))

/** Each nation once: CLDR also gives the regions of former states the names of current ones. */
const regionsByNation = (): Map<string, string> => {
  const nations = new Set(NATION_NAMES)
  const english = new Intl.DisplayNames('en', { type: 'region' })
  const regions = new Map<string, string>()
  for (const region of LETTERS.flatMap((one) => LETTERS.map((other) => one + other))) {
    const slug = slugOf(NAMES[region] ?? english.of(region)!)
    if (nations.has(slug) && !regions.has(slug)) regions.set(slug, region)
  }
  return regions
}

const spellings = (): Map<string, string> => {
  const found = new Map<string, string>()
  const ambiguous = new Set(CLUBS)
  const regions = [...regionsByNation()]
  for (const language of LANGUAGES) {
    const names = new Intl.DisplayNames(language, { type: 'region' })
    for (const [nation, region] of regions) {
      const name = folded(slugOf(names.of(region)!))
      const means = folded(nation)
      if (name === means || name === '') continue
      if ((found.get(name) ?? means) !== means) ambiguous.add(name)
      found.set(name, means)
    }
  }
  for (const name of ambiguous) found.delete(name)
  return found
}

/** Spelling to name, both as {@link folded} slugs. */
export const NATION_SPELLINGS: ReadonlyMap<string, string> = spellings()
