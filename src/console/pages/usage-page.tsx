// Usage: requests by hour and day, what was refused and why, what is left, and the live sessions.

import { useSignal } from '@preact/signals'
import { now } from '../browser-clock.ts'
import { useApi } from '../loading.ts'
import { urlOf } from '../place.ts'
import type { KeyRow, LiveSession, RefusedRequest, Usage } from '../portal-data.ts'
import { ago, count, duration, keyName, octets, second, shortDay } from '../wording.ts'
import { Card, Empty, Fault, Loading, Name, PageHead, Pill, Scroll } from '../widgets.tsx'
import { WithSession } from '../with-session.tsx'
import { QuotaBar } from './quota-bar.tsx'
import { UsagePlot } from './usage-plot.tsx'

const EVERY_MS = 10_000

export const UsagePage = () => <WithSession title="Usage">{() => <UsageOfOrganization />}</WithSession>

const UsageOfOrganization = () => {
  const { data, fault } = useApi<Usage>('usage', EVERY_MS)
  const keys = useApi<{ readonly data: readonly KeyRow[] }>('keys').data.value?.data
  const by = useSignal<'hours' | 'days'>('hours')
  /** Browsers of the portal have keys that are in no list. */
  const nameOf = (id: string): string => {
    const known = keys?.find((key) => key.id === id)
    return known === undefined ? (keys === undefined ? id : 'a page of the portal') : keyName(known)
  }
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
      <Sessions nameOf={nameOf} />
      <Refusals nameOf={nameOf} />
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

interface WithNames {
  /** Of a key, by its id. */
  readonly nameOf: (id: string) => string
}

const Sessions = ({ nameOf }: WithNames) => {
  const { data, fault } = useApi<{ readonly data: readonly LiveSession[] }>('sessions', EVERY_MS)
  const rows = data.value?.data
  return (
    <Card title="Live sessions">
      <Fault fault={fault.value} />
      {rows === undefined ? null : rows.length === 0 ? (
        <Empty>
          No program of your organization is connected to the live channel. <a href={urlOf('board')}>The live board</a>{' '}
          is one.
        </Empty>
      ) : (
        <Scroll label="Live sessions">
          <table class="stack">
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
                  <td data-label="Carrier">{session.carrier}</td>
                  <td data-label="Key">
                    <Name text={nameOf(session.keyId)} />
                  </td>
                  <td data-label="Since" title={session.since}>
                    {ago(session.since, now())}
                  </td>
                  <td data-label="Subscriptions" class="number">
                    {count(session.subscriptions)}
                  </td>
                  <td data-label="Waiting" class="number">
                    {octets(session.queuedBytes)}
                  </td>
                  <td data-label="Behind" class="number">
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

const Refusals = ({ nameOf }: WithNames) => {
  const { data, fault } = useApi<{ readonly data: readonly RefusedRequest[] }>('refusals', EVERY_MS)
  const rows = data.value?.data
  return (
    <Card title="Last refused requests">
      <Fault fault={fault.value} />
      {rows === undefined ? null : rows.length === 0 ? (
        <Empty>No request was refused since the service started.</Empty>
      ) : (
        <Scroll label="Last refused requests">
          <table class="stack">
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
                  <td data-label="At" class="nowrap" title={at}>
                    {shortDay(at)} {second(at)}
                  </td>
                  <td data-label="Request">
                    <code class="path">
                      <Name text={`${method.toUpperCase()} ${path}`} />
                    </code>
                    <div class="soft">
                      <Name text={nameOf(keyId)} />
                    </div>
                  </td>
                  <td data-label="Code">
                    <a href={urlOf(`docs/errors#${encodeURIComponent(code)}`)}>
                      <code>{code}</code>
                    </a>
                  </td>
                  <td data-label="Reason">
                    <Name text={message} />
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
