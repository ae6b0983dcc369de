// Sources: what each delivers, how late, and what is wrong with it.

import { useRef } from 'preact/hooks'
import { elapsedMs, now } from '../browser-clock.ts'
import { useApi } from '../loading.ts'
import { ago, count, duration } from '../wording.ts'
import { Card, Empty, Name, Pill, Scroll, stateKind } from '../widgets.tsx'
import type { SourceRow, Sources } from './operator-data.ts'
import { countOf, LIVE_MS, Loaded } from './parts.tsx'

interface Seen {
  readonly prices: number
  readonly ms: number
  readonly perSecond: number | undefined
}

/** Prices a second between two answers, by source. */
const useRates = (rows: readonly SourceRow[]): ReadonlyMap<string, Seen> => {
  const seen = useRef(new Map<string, Seen>())
  const last = useRef(rows)
  if (last.current !== rows || seen.current.size === 0) {
    const ms = elapsedMs()
    const next = rows.map(({ name, prices }): [string, Seen] => {
      const before = seen.current.get(name)
      // It was started anew, and counts from zero.
      const isSame = before !== undefined && prices >= before.prices && ms > before.ms
      return [
        name,
        { prices, ms, perSecond: isSame ? ((prices - before.prices) * 1_000) / (ms - before.ms) : undefined },
      ]
    })
    seen.current = new Map(next)
    last.current = rows
  }
  return seen.current
}

export const SourcesSection = () => {
  const sources = useApi<Sources>('operator/sources', LIVE_MS)
  return (
    <Loaded from={sources} what="the sources">
      {(loaded) => <Table {...loaded} />}
    </Loaded>
  )
}

const Table = ({ feeds, neverStarted }: Sources) => {
  const rates = useRates(feeds)
  if (feeds.length + neverStarted.length === 0) {
    return (
      <Card>
        <Empty>
          No source is configured: <code>serve --feeds FILE</code>.
        </Empty>
      </Card>
    )
  }
  const troubled = feeds.filter(({ problem }) => problem !== null)
  return (
    <Card>
      {troubled.map(({ name, problem }) => (
        <p key={name} class="notice bad">
          <strong>
            <Name text={name} />
          </strong>
          : <Name text={problem!} />
        </p>
      ))}
      <Scroll label="Sources">
        <table class="stack">
          <thead>
            <tr>
              <th scope="col">Source</th>
              <th scope="col">State</th>
              <th scope="col">Heard</th>
              <th scope="col" class="number">
                Prices / s
              </th>
              <th scope="col" class="number">
                Delay
              </th>
              <th scope="col" class="number">
                Prices
              </th>
              <th scope="col" class="number">
                Refused
              </th>
              <th scope="col" class="number">
                Credits
              </th>
            </tr>
          </thead>
          <tbody>
            {feeds.map((feed) => (
              <Source key={feed.name} feed={feed} perSecond={rates.get(feed.name)?.perSecond} />
            ))}
            {neverStarted.map(({ name, kind, never, off }) => (
              <tr key={name}>
                <th scope="row">
                  <Name text={name} />
                  <br />
                  <span class="soft">{kind}</span>
                </th>
                <td>
                  <Pill kind={off === null ? '' : 'bad'}>{off === null ? 'never started' : 'off'}</Pill>
                </td>
                <td colSpan={6}>
                  <Name text={never} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </Card>
  )
}

const Source = ({ feed, perSecond }: { readonly feed: SourceRow; readonly perSecond: number | undefined }) => {
  const { name, kind, state, since, heardAt, delayMs, prices, refused, facts, bookmakers, uncovered } = feed
  return (
    <>
      <tr>
        <th scope="row">
          <Name text={name} />
          <br />
          <span class="soft">{kind}</span>
        </th>
        <td>
          <Pill kind={stateKind(state)}>{state}</Pill>
          <br />
          <span class="soft" title={since}>
            for {duration(Math.max(0, now() - Date.parse(since)))}
          </span>
          {feed.holder === null ? null : (
            <>
              <br />
              <span class="soft">
                process <Name text={feed.holder} />
              </span>
            </>
          )}
        </td>
        <td data-label="Heard" title={heardAt ?? ''}>
          {ago(heardAt, now())}
        </td>
        <td class="number" data-label="Prices / s">
          {perSecond === undefined ? '–' : count(Math.round(perSecond))}
        </td>
        <td class="number" data-label="Delay">
          {delayMs === null ? '–' : duration(delayMs)}
        </td>
        <td class="number" data-label="Prices">
          {count(prices)}
        </td>
        <td class="number" data-label="Refused">
          {count(refused)}
        </td>
        <td class="number" data-label="Credits">
          {typeof facts['credits'] === 'number' ? count(facts['credits']) : '–'}
        </td>
      </tr>
      <tr class="more">
        <td colSpan={8}>
          <details>
            <summary>
              {countOf(bookmakers.length, 'bookmaker')}
              {uncovered.length === 0 ? '' : `; coverage shows ${count(uncovered.length)} of their sports to nobody`}
            </summary>
            <p class="soft">{bookmakers.join(', ') || 'none yet'}</p>
            {uncovered.length === 0 ? null : <p>Shown to no customer by coverage: {uncovered.join(', ')}</p>}
            {feed.lastRefusal === null ? null : (
              <p>
                Last refusal: <Name text={feed.lastRefusal} />
              </p>
            )}
            {Object.keys(facts).length === 0 ? null : (
              <dl class="facts">
                {Object.entries(facts).map(([fact, value]) => (
                  <>
                    <dt>{fact}</dt>
                    <dd>{value === null ? '–' : <Name text={String(value)} />}</dd>
                  </>
                ))}
              </dl>
            )}
          </details>
        </td>
      </tr>
    </>
  )
}
