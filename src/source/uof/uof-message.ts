// Messages of the Unified Odds Feed (docs/feeds.md 9), read from XML. A text may contain several one after the other,
// as recordings do, each with or without its own XML declaration; one that cannot be read is reported and skipped.

import { SaxesParser, type SaxesTagPlain } from 'saxes'
import type { QuoteStatus } from '../../domain/quote.ts'
import type { FormatFault, NormaliserLimits } from '../kit/normaliser.ts'
import { decimalOf, isCleanText, shown } from '../kit/text.ts'

export const UOF_MESSAGE_KINDS = [
  'odds_change',
  'bet_stop',
  'bet_settlement',
  'bet_cancel',
  'rollback_bet_settlement',
  'rollback_bet_cancel',
  'fixture_change',
  'alive',
  'product_down',
  'snapshot_complete',
] as const

export type UofMessageKind = (typeof UOF_MESSAGE_KINDS)[number]

export interface UofOutcome {
  readonly id: string
  /** Decimal, as given; null: none. */
  readonly odds: number | null
  readonly isActive: boolean
}

export interface UofMarket {
  readonly id: string
  /** `a=b|c=d`, sorted: messages give them in any order. Empty: none. A market is id and specifiers. */
  readonly specifiers: string
  readonly status: QuoteStatus
  /** Its product leaves it to another one, which may have stated it already. */
  readonly isHandedOver: boolean
  readonly outcomes: readonly UofOutcome[]
  /** Ids of outcomes that are listed and cannot be read; empty where even the id cannot. */
  readonly illegible: readonly string[]
}

export interface UofMessage {
  readonly kind: UofMessageKind
  /** Number of the product that sent it: 1 live, 3 pre-match. */
  readonly product: number
  /** `timestamp`: when the product sent it, epoch ms. */
  readonly sentAt: number
  /** `sr:match:N`; empty in messages about a whole product. */
  readonly eventId: string
  /** Of the recovery that it answers. */
  readonly requestId: number | null
  /** Of `alive`: whether the product sends us all that it has. */
  readonly isSubscribed: boolean
  /** Of `bet_cancel`: only bets of a span of time are cancelled. */
  readonly hasTimeRange: boolean
  readonly markets: readonly UofMarket[]
}

/** Gets what cannot be read: `line L:C` and a reason. */
export type OnFlaw = (place: string, reason: string) => void

const HANDED_OVER = '-2'

/** Status of a market's quotes by its `status`. It may be missing: then the market is active. */
const MARKET_STATUS: ReadonlyMap<string, QuoteStatus> = new Map([
  ['1', 'open'],
  ['0', 'suspended'],
  ['-1', 'suspended'],
  [HANDED_OVER, 'suspended'],
  ['-3', 'closed'],
  ['-4', 'closed'],
])

const ABOUT_A_PRODUCT: ReadonlySet<string> = new Set(['alive', 'product_down', 'snapshot_complete'])
const KINDS: ReadonlySet<string> = new Set(UOF_MESSAGE_KINDS)
const isKind = (name: string): name is UofMessageKind => KINDS.has(name)

// None of these names occurs inside a message, so the next message is found after a broken one.
const START = new RegExp(`<\\?xml\\s|<(?:${UOF_MESSAGE_KINDS.join('|')})[\\s/>]`, 'g')
const WHOLE = /^\d{1,15}$/

type Attributes = Readonly<Record<string, string | undefined>>

interface Market extends UofMarket {
  readonly outcomes: UofOutcome[]
  readonly illegible: string[]
}

/** Reads one document. Nothing is thrown: the first fault of the XML is in `fault`. */
class MessageReader {
  fault: string | undefined
  private readonly limits: NormaliserLimits
  private readonly onFlaw: (reason: string) => void
  private root: string | undefined
  private head: Omit<UofMessage, 'markets'> | undefined
  private readonly markets: Market[] = []
  private market: Market | undefined

  constructor(limits: NormaliserLimits, onFlaw: (reason: string) => void) {
    this.limits = limits
    this.onFlaw = onFlaw
  }

  open({ name, attributes }: SaxesTagPlain): void {
    if (this.root === undefined) {
      this.root = name
      this.head = this.readHead(name, attributes)
    } else if (name === 'market') this.openMarket(attributes)
    else if (name === 'outcome' && this.market !== undefined) this.readOutcome(attributes, this.market)
  }

  close(name: string): void {
    if (name === 'market') this.market = undefined
  }

  message(): UofMessage | undefined {
    return this.head === undefined ? undefined : { ...this.head, markets: this.markets }
  }

  private readHead(kind: string, attributes: Attributes): Omit<UofMessage, 'markets'> | undefined {
    if (!isKind(kind)) return this.refuse(`is no message of the feed: ${shown(kind)}`)
    const { product, timestamp, event_id: event = '', request_id: requestId } = attributes
    // Two spellings of one event would be two events, and a bet_stop would miss one of them.
    const eventId = event.trim()
    if (product === undefined || !WHOLE.test(product)) return this.refuse(`${kind}: product must be a number`)
    if (timestamp === undefined || !WHOLE.test(timestamp)) {
      return this.refuse(`${kind}: timestamp must be milliseconds since 1970`)
    }
    if (!ABOUT_A_PRODUCT.has(kind) && !this.isName(eventId)) return this.refuse(`${kind}: event_id must be a text`)
    if (requestId !== undefined && !WHOLE.test(requestId)) return this.refuse(`${kind}: request_id must be a number`)
    return {
      kind,
      product: Number(product),
      sentAt: Number(timestamp),
      eventId,
      requestId: requestId === undefined ? null : Number(requestId),
      isSubscribed: attributes.subscribed !== '0',
      hasTimeRange: attributes.start_time !== undefined || attributes.end_time !== undefined,
    }
  }

  private openMarket(attributes: Attributes): void {
    const { id, specifiers = '', status = '1' } = attributes
    if (!this.isName(id)) return void this.refuse('market: id must be a text')
    if (!isCleanText(specifiers, this.limits.textLengthMax))
      return void this.refuse(`market ${id}: specifiers too long`)
    const known = MARKET_STATUS.get(status)
    // Whatever it means, the market must not look open.
    if (known === undefined) this.refuse(`market ${id}: status ${shown(status)} is not known`)
    this.market = {
      id,
      specifiers: specifiers.includes('|') ? specifiers.split('|').toSorted().join('|') : specifiers,
      status: known ?? 'suspended',
      isHandedOver: status === HANDED_OVER,
      outcomes: [],
      illegible: [],
    }
    this.markets.push(this.market)
  }

  private readOutcome({ id, odds, active = '1' }: Attributes, market: Market): void {
    if (!this.isName(id)) {
      market.illegible.push('')
      return void this.refuse(`market ${market.id}: outcome: id must be a text`)
    }
    const price = odds === undefined ? null : (decimalOf(odds) ?? undefined)
    if (price === undefined) {
      market.illegible.push(id)
      return void this.refuse(`market ${market.id}: outcome ${id}: odds must be a number`)
    }
    market.outcomes.push({ id, odds: price, isActive: active === '1' })
  }

  private isName(value: string | undefined): value is string {
    return value !== undefined && value !== '' && isCleanText(value, this.limits.textLengthMax)
  }

  private refuse(reason: string): undefined {
    this.onFlaw(reason)
    return undefined
  }
}

/** The start of a part of the text. */
interface Part {
  readonly text: string
  readonly line: number
  /** Characters before it on its line. */
  readonly column: number
}

const readPart = (part: Part, limits: NormaliserLimits, onFlaw: OnFlaw): UofMessage | undefined => {
  const parser = new SaxesParser()
  const place = (): string =>
    `line ${part.line + parser.line - 1}:${parser.column + (parser.line === 1 ? part.column : 0)}`
  const reader = new MessageReader(limits, (reason) => onFlaw(place(), reason))
  const refuse = (reason: string): void => {
    if (reader.fault !== undefined) return // faults after the first one are only its consequences
    reader.fault = reason
    onFlaw(place(), reason)
  }
  parser.on('error', (error) => refuse(`is not XML: ${error.message.replace(/^\d+:\d+: /, '').replace(/\.$/, '')}`))
  // Nothing in a DTD is needed, and what is not read cannot expand.
  parser.on('doctype', () => refuse('must not have a DTD'))
  parser.on('opentag', (tag) => {
    if (reader.fault === undefined) reader.open(tag)
  })
  parser.on('closetag', ({ name }) => reader.close(name))
  parser.write(part.text).close()
  return reader.fault === undefined ? reader.message() : undefined
}

/** Position of the first character from `from` on that is no white space. */
const nextOfText = (text: string, from: number): number => {
  const found = text.slice(from).search(/\S/)
  return found === -1 ? text.length : from + found
}

/** Whether a text is an XML declaration, followed by nothing but white space and comments. */
const isDeclarationAlone = (text: string): boolean => {
  const end = text.startsWith('<?xml') ? text.indexOf('?>') : -1
  if (end === -1) return false
  let at = nextOfText(text, end + 2)
  while (text.startsWith('<!--', at)) {
    const close = text.indexOf('-->', at + 4)
    if (close === -1) return false
    at = nextOfText(text, close + 3)
  }
  return at === text.length
}

// Must not scan any part of the text repeatedly: it may be long, and on one line.
function* partsOf(text: string, lineNumber: number): Generator<Part> {
  const starts = Array.from(text.matchAll(START), ({ index }) => index)
  if (starts.length === 0 || text.slice(0, starts[0]).trim() !== '') starts.unshift(0)
  let line = lineNumber
  let lineStart = 0
  let newline = text.indexOf('\n')
  let begin = starts[0]!
  for (let next = 1; next <= starts.length; next++) {
    const end = starts[next] ?? text.length
    const piece = text.slice(begin, end)
    if (next < starts.length && isDeclarationAlone(piece)) continue // it belongs to the next message
    for (; newline !== -1 && newline < begin; newline = text.indexOf('\n', newline + 1)) {
      line++
      lineStart = newline + 1
    }
    yield { text: piece.trimEnd(), line, column: begin - lineStart }
    begin = end
  }
}

/**
 * Reads the messages of a text, each when it is asked for. What cannot be read is reported and skipped.
 * @param lineNumber of the text's first line, from 1
 * @returns a fault when nothing in the text looks like XML
 */
export const readUofMessages = (
  text: string,
  lineNumber: number,
  limits: NormaliserLimits,
  onFlaw: OnFlaw,
): Iterable<UofMessage> | FormatFault => {
  const first = text.search(/[^\s\ufeff]/)
  if (text[first] !== '<') return { fault: 'is not a message of the Unified Odds Feed: it must be XML' }
  return readAll(text, lineNumber, limits, onFlaw)
}

function* readAll(text: string, line: number, limits: NormaliserLimits, onFlaw: OnFlaw): Generator<UofMessage> {
  for (const part of partsOf(text, line)) {
    const message = readPart(part, limits, onFlaw)
    if (message !== undefined) yield message
  }
}
