// The operator's view: sources, verifications, conflicts to settle, sessions, health, and who did what.

import { useSignal } from '@preact/signals'
import { useApi } from '../loading.ts'
import { type ApiFault, call } from '../portal-api.ts'
import type { AuditEntry } from '../portal-data.ts'
import { dayAndMinute } from '../wording.ts'
import { Card, Empty, Fault, Loading, Name, PageHead, Pill, Scroll, stateKind } from '../widgets.tsx'
import { WithSession } from '../with-session.tsx'

type Row = Readonly<Record<string, unknown>>

const EVERY_MS = 5_000

export const OperatorPage = () => (
  <WithSession title="Operator" role="operator">
    {() => (
      <>
        <PageHead title="Operator" lead="Everything that runs, as it is now." />
        <Health />
        <Rows title="Sources" path="operator/sources" empty="No source is configured." />
        <Conflicts />
        <Rows title="Verifications" path="operator/verifications" empty="No verification has run." />
        <Rows title="Sessions" path="operator/sessions" empty="Nobody is connected." />
        <Audit />
      </>
    )}
  </WithSession>
)

const rowsOf = (value: unknown): readonly Row[] | undefined => {
  if (value === undefined || value === null) return undefined
  const { data } = value as { data?: unknown }
  return Array.isArray(data) ? (data as Row[]) : undefined
}

/** Such as `last error` of `lastError`. */
const heading = (member: string): string => member.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

const Value = ({ member, value }: { readonly member: string; readonly value: unknown }) => {
  if (value === null || value === undefined || value === '') return <>–</>
  if (typeof value === 'string' && (member === 'state' || member === 'result')) {
    return <Pill kind={stateKind(value)}>{value}</Pill>
  }
  if (typeof value === 'number') return <>{value.toLocaleString('en-GB', { maximumFractionDigits: 2 })}</>
  if (typeof value === 'string')
    return /^\d{4}-\d\d-\d\dT/.test(value) ? <time dateTime={value}>{dayAndMinute(value)}</time> : <Name text={value} />
  if (typeof value === 'boolean') return <>{value ? 'yes' : 'no'}</>
  return <code>{JSON.stringify(value)}</code>
}

/** Rows with whatever members they have: what a source reports differs from kind to kind. */
const DataTable = ({ rows, label }: { readonly rows: readonly Row[]; readonly label: string }) => {
  const members = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  return (
    <Scroll label={label}>
      <table>
        <thead>
          <tr>
            {members.map((member) => (
              <th scope="col" class={typeof rows[0]?.[member] === 'number' ? 'number' : ''}>
                {heading(member)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              {members.map((member) => (
                <td class={typeof row[member] === 'number' ? 'number' : ''}>
                  <Value member={member} value={row[member]} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}

const Rows = ({ title, path, empty }: { readonly title: string; readonly path: string; readonly empty: string }) => {
  const { data, fault } = useApi<unknown>(path, EVERY_MS)
  const rows = rowsOf(data.value)
  return (
    <Card title={title}>
      <Fault fault={fault.value} />
      {rows === undefined ? (
        fault.value === undefined ? (
          <Loading what={title.toLowerCase()} />
        ) : null
      ) : rows.length === 0 ? (
        <Empty>{empty}</Empty>
      ) : (
        <DataTable rows={rows} label={title} />
      )}
    </Card>
  )
}

const Health = () => {
  const { data, fault } = useApi<Row>('operator/health', EVERY_MS)
  return (
    <Card title="Health">
      <Fault fault={fault.value} />
      {data.value === undefined ? null : (
        <dl class="figures">
          {flat(data.value).map(([member, value]) => (
            <div>
              <dt>{heading(member)}</dt>
              <dd>
                <Value member={member} value={value} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </Card>
  )
}

/** Members of members beside the others. */
const flat = (row: Row, before = ''): readonly (readonly [string, unknown])[] =>
  Object.entries(row).flatMap(([member, value]) =>
    value !== null && typeof value === 'object' && !Array.isArray(value)
      ? flat(value as Row, `${before}${member} `)
      : [[`${before}${member}`, value] as const],
  )

const Conflicts = () => {
  const { data, fault, reload } = useApi<unknown>('operator/conflicts', EVERY_MS)
  const refused = useSignal<ApiFault | undefined>(undefined)
  const rows = rowsOf(data.value)
  const decide = async (id: unknown, decision: 'same' | 'different'): Promise<void> => {
    refused.value = (await call('POST', `operator/conflicts/${encodeURIComponent(String(id))}`, { decision })).fault
    await reload()
  }
  return (
    <Card title="Events that look alike">
      <Fault fault={fault.value ?? refused.value} />
      {rows === undefined ? null : rows.length === 0 ? (
        <Empty>Nothing to decide.</Empty>
      ) : (
        <ul class="conflicts">
          {rows.map((row) => (
            <li>
              <DataTable rows={[row]} label="Two events" />
              <div class="actions">
                <button type="button" class="small" onClick={() => void decide(row['id'], 'same')}>
                  The same event
                </button>
                <button type="button" class="small" onClick={() => void decide(row['id'], 'different')}>
                  Different events
                </button>
              </div>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

const Audit = () => {
  const { data, fault } = useApi<{ readonly data: readonly AuditEntry[] }>('audit')
  const rows = data.value?.data
  return (
    <Card title="Who did what">
      <Fault fault={fault.value} />
      {rows === undefined ? null : rows.length === 0 ? (
        <Empty>Nothing was done yet.</Empty>
      ) : (
        <DataTable rows={rows as unknown as readonly Row[]} label="Who did what" />
      )}
    </Card>
  )
}
