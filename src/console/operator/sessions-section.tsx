// Live sessions of all organizations, the ones that are furthest behind first.

import { now } from '../browser-clock.ts'
import { useApi } from '../loading.ts'
import { urlOf } from '../place.ts'
import type { LiveSession } from '../portal-data.ts'
import { ago, count, duration, octets } from '../wording.ts'
import { Card, Empty, Name, Scroll } from '../widgets.tsx'
import type { Organizations } from './operator-data.ts'
import { countOf, LIVE_MS, Loaded } from './parts.tsx'

interface Row extends LiveSession {
  /** Id. */
  readonly organization: string
}

/** Rows that are drawn: enough for eyes; commands and metrics have all. */
const SHOWN_MAX = 200

export const SessionsSection = () => {
  const sessions = useApi<{ readonly data: readonly Row[] }>('operator/sessions', LIVE_MS)
  const names = new Map(
    useApi<Organizations>('operator/organizations').data.value?.data.map(({ id, name }) => [id, name]) ?? [],
  )
  return (
    <Card>
      <Loaded from={sessions} what="the sessions">
        {({ data }) =>
          data.length === 0 ? (
            <Empty>Nobody is connected to the live channel.</Empty>
          ) : (
            <Table rows={data} names={names} />
          )
        }
      </Loaded>
    </Card>
  )
}

const Table = ({ rows, names }: { readonly rows: readonly Row[]; readonly names: ReadonlyMap<string, string> }) => {
  const sorted = [...rows].sort((a, b) => b.behindMs - a.behindMs || b.queuedBytes - a.queuedBytes)
  return (
    <>
      <p class="soft">
        {countOf(rows.length, 'session')}
        {rows.length > SHOWN_MAX ? `, the ${SHOWN_MAX} that are furthest behind` : ''}
      </p>
      <Scroll label="Live sessions">
        <table class="stack">
          <thead>
            <tr>
              <th scope="col">Session</th>
              <th scope="col">Organization</th>
              <th scope="col">Key</th>
              <th scope="col">Since</th>
              <th scope="col" class="number">
                Subscriptions
              </th>
              <th scope="col" class="number">
                Lag
              </th>
              <th scope="col" class="number">
                Queued
              </th>
            </tr>
          </thead>
          <tbody>
            {sorted.slice(0, SHOWN_MAX).map((row) => (
              <tr key={row.id}>
                <th scope="row">
                  <code>{row.id}</code>
                  <br />
                  <span class="soft">{row.carrier}</span>
                </th>
                <td data-label="Organization">
                  <a href={urlOf(`usage?organization=${encodeURIComponent(row.organization)}`)}>
                    <Name text={names.get(row.organization) ?? row.organization} />
                  </a>
                </td>
                <td data-label="Key">
                  <code>{row.keyId}</code>
                </td>
                <td data-label="Since" title={row.since}>
                  {ago(row.since, now())}
                </td>
                <td class="number" data-label="Subscriptions">
                  {count(row.subscriptions)}
                </td>
                <td class="number" data-label="Lag">
                  {duration(row.behindMs)}
                </td>
                <td class="number" data-label="Queued">
                  {octets(row.queuedBytes)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </>
  )
}
