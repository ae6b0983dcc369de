// What a page of the board shows, and what it should.

import type { Page } from 'playwright-core'
import { lineText, marketName, oddsText, percent } from '../../src/console/wording.ts'

/** By market, outcome and bookmaker: such as `Total goals 2.5|over|north` -> `1.91 best`; heads and the best column too. */
export type Shown = ReadonlyMap<string, string>

// In the page. Runs within one task, so that no frame comes in between.
const READ = `(() => {
  const table = document.querySelector('table.grid')
  if (table === null) return []
  const books = new Map()
  for (const each of table.querySelectorAll('thead th')) {
    const title = each.title === '' ? '' : each.title.split(':')[0]
    books.set(each.getAttribute('aria-colindex'), title)
  }
  const found = []
  let market = ''
  for (const row of table.querySelectorAll('tbody tr')) {
    if (row.className === 'spacer') { found.push(['spacer', '']); continue }
    const label = row.querySelector('th').innerText.replaceAll(/\\s+/g, ' ').trim()
    if (row.className === 'market') market = label
    const key = row.className === 'market' ? market + '|overround|' : market + '|' + label + '|'
    for (const cell of row.querySelectorAll('td')) {
      if (cell.classList.contains('gone')) continue
      const words = [...cell.querySelectorAll('span')].map((each) => each.textContent).filter((text) => text !== '')
      if (words.length === 0) continue
      const book = cell.classList.contains('best-column') ? 'best' : books.get(cell.getAttribute('aria-colindex'))
      if (cell.classList.contains('best')) words.push('(best)')
      found.push([key + book, words.join(' ')])
    }
  }
  return found
})()`

export const readShown = async (page: Page): Promise<Shown> =>
  new Map((await page.evaluate(READ)) as [string, string][])

export interface Price {
  readonly bookmaker: string
  readonly type: string
  readonly line: number | null
  readonly outcome: string
  readonly odds: number
  /** undefined: open. */
  readonly cause?: string
}

/** How many outcomes share certainty, of the types of these tests. */
const OUTCOMES: Readonly<Record<string, number>> = { match_result_1x2: 3, total_goals: 2, btts: 2 }

const shareOf = (odds: readonly number[], type: string): string | undefined =>
  odds.length === OUTCOMES[type] ? percent(odds.reduce((sum, price) => sum + 1 / price, -1)) : undefined

const groups = <Item>(items: readonly Item[], key: (item: Item) => string): Map<string, Item[]> => {
  const found = new Map<string, Item[]>()
  for (const item of items) found.set(key(item), [...(found.get(key(item)) ?? []), item])
  return found
}

const marketOf = ({ type, line }: Price): string => `${marketName(type)} ${lineText(type, line)}`.trim()

/** What a page has to show of these prices. */
export const expected = (prices: readonly Price[]): Shown => {
  const shown = new Map<string, string>()
  for (const price of prices) {
    if (price.cause === undefined) continue
    shown.set(`${marketOf(price)}|${price.outcome}|${price.bookmaker}`, `${oddsText(price.odds)} ${price.cause}`)
  }
  const open = prices.filter(({ cause }) => cause === undefined)
  for (const [market, inMarket] of groups(open, marketOf)) {
    const { type } = inMarket[0]!
    const best: number[] = []
    for (const [outcome, inRow] of groups(inMarket, (price) => price.outcome)) {
      const most = Math.max(...inRow.map(({ odds }) => odds))
      best.push(most)
      shown.set(`${market}|${outcome}|best`, oddsText(most))
      for (const { bookmaker, odds } of inRow) {
        shown.set(`${market}|${outcome}|${bookmaker}`, `${oddsText(odds)}${odds === most ? ' (best)' : ''}`)
      }
    }
    const share = shareOf(best, type)
    if (share !== undefined) shown.set(`${market}|overround|best`, share)
    for (const [bookmaker, ofBook] of groups(inMarket, (price) => price.bookmaker)) {
      const own = shareOf(
        ofBook.map(({ odds }) => odds),
        type,
      )
      if (own !== undefined) shown.set(`${market}|overround|${bookmaker}`, own)
    }
  }
  return shown
}

/** Where two differ, a line each. */
export const differences = (is: Shown, should: Shown): readonly string[] =>
  [...new Set([...is.keys(), ...should.keys()])]
    .filter((key) => is.get(key) !== should.get(key))
    .map((key) => `${key}: shows ${is.get(key) ?? 'nothing'}, should be ${should.get(key) ?? 'nothing'}`)
