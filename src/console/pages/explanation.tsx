// An answer to "why don't I see it?": the events that the words lead to, or the rules one by one, and the quotes.

import {
  causeOf,
  lineText,
  marketName,
  minute,
  oddsText,
  outcomeName,
  second,
  shortDay,
  sportName,
} from '../wording.ts'
import type { Candidate, Candidates, ExplainedQuote, Explanation, Way } from '../portal-data.ts'
import { Card, Empty, Name, Pill, Scroll } from '../widgets.tsx'

const WAY_NAMES: Readonly<Record<Way, string>> = { rest: 'REST', live: 'the live channel' }

const RULE_NAMES: Readonly<Record<string, string>> = {
  key: 'Key',
  service: 'Service',
  limit: 'Request limits',
  plan: 'Plan',
  scope: 'Scope of the key',
  entitlement: 'Your bookmakers',
  coverage: 'Coverage',
  event: 'Event',
  quote: 'Price',
  freshness: 'Freshness',
  status: 'Status',
  source: 'Source',
}

const ruleName = (rule: string): string => RULE_NAMES[rule] ?? rule

const waysText = (ways: readonly Way[]): string => ways.map((way) => WAY_NAMES[way]).join(' and ')

export const CandidateList = ({
  found: { candidates, isCut },
  onChoose,
}: {
  readonly found: Candidates
  readonly onChoose: (candidate: Candidate) => void
}) => (
  <Card title={candidates.length === 0 ? 'No such event' : 'Which one?'}>
    {candidates.length === 0 ? (
      <Empty>
        No event that this key may see has all of these words in the names of its sides. Try fewer words, or the id of
        the event.
      </Empty>
    ) : (
      <ul class="candidates">
        {candidates.map((candidate) => (
          <li key={candidate.id}>
            <button type="button" onClick={() => onChoose(candidate)}>
              <strong>
                <Name text={candidate.name} />
              </strong>
              <span class="soft">
                {sportName(candidate.sport)} · <Name text={candidate.league} /> · {shortDay(candidate.kickoffAt)},{' '}
                {minute(candidate.kickoffAt)}
              </span>
            </button>
          </li>
        ))}
      </ul>
    )}
    {isCut && candidates.length > 0 ? <p class="soft">There are more. One more word makes it clearer.</p> : null}
  </Card>
)

export const Answer = ({ explanation }: { readonly explanation: Explanation }) => {
  const { event, steps, hiddenBy, shownBy, quotes, quoteCount } = explanation
  return (
    <>
      <Card>
        <h2>{hiddenBy === null ? 'This key sees it' : `Hidden by: ${ruleName(hiddenBy)}`}</h2>
        {event === undefined ? null : (
          <p class="soft">
            <Name text={event.name} /> · {sportName(event.sport)} · {shortDay(event.kickoffAt)},{' '}
            {minute(event.kickoffAt)} · event <code>{event.id}</code>
          </p>
        )}
        <p class={`banner ${hiddenBy === null ? 'good' : 'bad'}`} role="status">
          {hiddenBy === null ? (
            `No rule hides it: it is shown by ${waysText(shownBy)}.`
          ) : (
            <Name text={steps.find(({ passed }) => !passed)?.detail ?? explanation.verdict} />
          )}
        </p>
        <ol class="steps">
          {steps.map(({ rule, passed, detail, hides }) => (
            <li class={!passed ? 'failed' : hides.length > 0 ? 'partly' : 'passed'}>
              <strong>{ruleName(rule)}</strong>
              <span class="hidden">{passed ? ', passed: ' : ', not passed: '}</span>
              {passed && hides.length > 0 ? <Pill kind="warn">not by {waysText(hides)}</Pill> : null}
              <p>
                <Name text={detail} />
              </p>
            </li>
          ))}
        </ol>
      </Card>
      {quotes.length === 0 ? null : <Quotes quotes={quotes} count={quoteCount} />}
    </>
  )
}

const Quotes = ({ quotes, count }: { readonly quotes: readonly ExplainedQuote[]; readonly count: number }) => (
  <Card title={count === 1 ? 'The price' : `${count} prices`}>
    <Scroll label="Prices">
      <table class="slim">
        <thead>
          <tr>
            <th scope="col">Price</th>
            <th scope="col" class="number">
              Odds
            </th>
            <th scope="col">Status</th>
            <th scope="col">Shown by</th>
            <th scope="col">Observed</th>
          </tr>
        </thead>
        <tbody>
          {quotes.map((quote) => (
            <tr>
              <th scope="row">
                {marketName(quote.market)} {lineText(quote.market, quote.line)} ·{' '}
                <Name text={outcomeName(quote.outcome)} />
              </th>
              <td class="number">{oddsText(quote.odds)}</td>
              <td>
                <Pill kind={quote.status === 'open' ? 'good' : quote.status === 'suspended' ? 'warn' : 'bad'}>
                  {quote.status}
                </Pill>
                {quote.cause === null ? null : <span class="soft"> {causeOf(quote.cause)[0]}</span>}
              </td>
              <td>{quote.shownBy.length === 0 ? 'nowhere' : quote.shownBy.join(', ')}</td>
              <td class="nowrap" title={`observed ${quote.observedAt}, ages out ${quote.agesOutAt}`}>
                {shortDay(quote.observedAt)} {second(quote.observedAt)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
    {quotes.length < count ? (
      <p class="soft">The first {quotes.length} are listed. Name a market, line or outcome for the others.</p>
    ) : null}
  </Card>
)
