// Usage: requests by hour and day, what was refused and why, what is left, and the live sessions.

import { useSignal } from '@preact/signals'
import { now } from '../browser-clock.ts'
import { useApi } from '../loading.ts'
import { urlOf } from '../place.ts'
import type { LiveSession, RefusedRequest, Usage } from '../portal-data.ts'
import { ago, count, duration, octets, second, shortDay } from '../wording.ts'
import { Card, Empty, Fault, Loading, PageHead, Pill, Scroll } from '../widgets.tsx'
import { WithSession } from '../with-session.tsx'
import { QuotaBar } from './quota-bar.tsx'
import { UsagePlot } from './usage-plot.tsx'

const EVERY_MS = 10_000

export const UsagePage = () => <WithSession title="Usage">{() => <UsageOfOrganization />}</WithSession>

const UsageOfOrganization = () => {
  const { data, fault } = useApi<Usage>('usage', EVERY_MS)
  const by = useSignal<'hours' | 'days'>('hours')
  const usage = data.value
  return (
    <>
      <PageHead title="Usage" lead="Requests of all keys of your organization. Times are UTC." />
      <Fault fault={fault.value} />
      {usage === undefined ? (
        fault.value === undefined ? (
          <Loading what="your usage" />
        ) : null
      ) : (
        <>
          <div class="cards">
            <Card>
              <QuotaBar name="This hour" quota={usage.quota.hour} />
            </Card>
            <Card>
              <QuotaBar name="This month" quota={usage.quota.month} />
            </Card>
          </div>
          <Card title="Requests">
            <div class="segmented" role="group" aria-label="Requests by">
              {(['hours', 'days'] as const).map((unit) => (
                <button
                  type="button"
                  class="small"
                  aria-pressed={by.value === unit}
                  onClick={() => {
                    by.value = unit
                  }}
                >
                  by {unit.slice(0, -1)}
                </button>
              ))}
            </div>
            <UsagePlot key={by.value} buckets={usage[by.value]} unit={by.value} />
          </Card>
          <RefusedBy refusedBy={usage.refusedBy} />
        </>
      )}
      <Sessions />
      <Refusals />
    </>
  )
}

const RefusedBy = ({ refusedBy }: { readonly refusedBy: Readonly<Record<string, number>> }) => {
  const rows = Object.entries(refusedBy).sort(([, a], [, b]) => b - a)
  const most = rows[0]?.[1] ?? 0
  return (
    <Card title="Refused, by code">
      {rows.length === 0 ? (
        <Empty>Nothing was refused.</Empty>
      ) : (
        <ul class="bars">
          {rows.map(([code, refused]) => (
            <li key={code}>
              <a href={urlOf(`docs/errors#${encodeURIComponent(code)}`)}>
                <code>{code}</code>
              </a>
              <meter value={refused} max={most} aria-label={code} />
              <span class="number">{count(refused)}</span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

const Sessions = () => {
  const { data, fault } = useApi<{ readonly data: readonly LiveSession[] }>('sessions', EVERY_MS)
  const rows = data.value?.data
  return (
    <Card title="Live sessions">
      <Fault fault={fault.value} />
      {rows === undefined ? null : rows.length === 0 ? (
        <Empty>Nobody of your organization is connected to the live channel.</Empty>
      ) : (
        <Scroll label="Live sessions">
          <table>
            <thead>
              <tr>
                <th scope="col">Session</th>
                <th scope="col">Carrier</th>
                <th scope="col">Key</th>
                <th scope="col">Since</th>
                <th scope="col" class="number">
                  Subscriptions
                </th>
                <th scope="col" class="number">
                  Waiting
                </th>
                <th scope="col" class="number">
                  Behind
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map((session) => (
                <tr key={session.id}>
                  <th scope="row">
                    <code>{session.id}</code>
                  </th>
                  <td>{session.carrier}</td>
                  <td>
                    <code>{session.keyId}</code>
                  </td>
                  <td title={session.since}>{ago(session.since, now())}</td>
                  <td class="number">{count(session.subscriptions)}</td>
                  <td class="number">{octets(session.queuedBytes)}</td>
                  <td class="number">
                    <Pill kind={session.behindMs > 1_000 ? 'warn' : 'good'}>{duration(session.behindMs)}</Pill>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
    </Card>
  )
}

const Refusals = () => {
  const { data, fault } = useApi<{ readonly data: readonly RefusedRequest[] }>('refusals', EVERY_MS)
  const rows = data.value?.data
  return (
    <Card title="Last refused requests">
      <Fault fault={fault.value} />
      {rows === undefined ? null : rows.length === 0 ? (
        <Empty>No request was refused since the service started.</Empty>
      ) : (
        <Scroll label="Last refused requests">
          <table>
            <thead>
              <tr>
                <th scope="col">At</th>
                <th scope="col">Request</th>
                <th scope="col">Code</th>
                <th scope="col">Reason</th>
              </tr>
            </thead>
            <tbody>
              {rows.map(({ at, method, path, code, message, keyId }) => (
                <tr>
                  <td class="nowrap" title={at}>
                    {shortDay(at)} {second(at)}
                  </td>
                  <td>
                    <code class="path">
                      {method.toUpperCase()} {path}
                    </code>
                    {keyId === null ? null : <div class="soft">{keyId}</div>}
                  </td>
                  <td>
                    <a href={urlOf(`docs/errors#${encodeURIComponent(code)}`)}>
                      <code>{code}</code>
                    </a>
                  </td>
                  <td>{message}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
    </Card>
  )
}
