// The public status page: every bookmaker, and how far behind its prices are.

import { now } from '../browser-clock.ts'
import { useApi } from '../loading.ts'
import type { BookmakerState } from '../portal-data.ts'
import { ago, duration } from '../wording.ts'
import { Empty, Fault, Loading, Name, PageHead, Pill, Scroll, stateKind } from '../widgets.tsx'

const EVERY_MS = 5_000

const STATES: Readonly<Record<string, string>> = { unknown: 'not heard yet' }

/** What is not well comes first. */
const order = (state: string): number => ['live', 'unknown', 'starting', 'late', 'down'].indexOf(state)

export const StatusPage = () => {
  const { data, fault } = useApi<{ readonly bookmakers: readonly BookmakerState[]; readonly at: string }>(
    'status',
    EVERY_MS,
  )
  const status = data.value
  const rows = [...(status?.bookmakers ?? [])].sort(
    (a, b) => order(b.state) - order(a.state) || a.displayName.localeCompare(b.displayName),
  )
  const unwell = rows.filter(({ state }) => state !== 'live').length
  return (
    <>
      <PageHead title="Status" lead="Whether prices of each bookmaker arrive, and how old they are by then." />
      {fault.value?.status === 404 ? (
        <Empty>This service does not publish its status.</Empty>
      ) : (
        <Fault fault={fault.value} />
      )}
      {status === undefined && fault.value === undefined ? <Loading what="the status" /> : null}
      {status === undefined ? null : (
        <>
          <p
            class={`banner ${rows.length === 0 || fault.value !== undefined ? '' : unwell === 0 ? 'good' : 'warn'}`}
            role="status"
          >
            {rows.length === 0
              ? 'No bookmaker is shown to customers yet.'
              : unwell === 0
                ? `All ${rows.length} bookmakers are live.`
                : `${rows.length - unwell} of ${rows.length} bookmakers are live.`}{' '}
            <span class="soft">
              {fault.value === undefined ? 'Checked ' : 'This was so before the service stopped answering, '}
              {ago(status.at, now())}.
            </span>
          </p>
          <Scroll label="Bookmakers">
            <table class="slim">
              <thead>
                <tr>
                  <th scope="col">Bookmaker</th>
                  <th scope="col">State</th>
                  <th scope="col" class="number">
                    Delay
                  </th>
                </tr>
              </thead>
              <tbody>
                {rows.map(({ slug, displayName, state, delayMs }) => (
                  <tr key={slug}>
                    <th scope="row">
                      <Name text={displayName} />
                    </th>
                    <td>
                      <Pill kind={stateKind(state)}>{STATES[state] ?? state}</Pill>
                    </td>
                    <td class="number">{delayMs === null ? '–' : duration(delayMs)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </Scroll>
        </>
      )}
    </>
  )
}
