// Who did what: commands, users of the portal, and the server itself.

import { useSignal } from '@preact/signals'
import { useApi } from '../loading.ts'
import { count, day, second } from '../wording.ts'
import { Card, Empty, Name, Scroll } from '../widgets.tsx'
import { Loaded } from './parts.tsx'

interface Row {
  readonly at: string
  readonly by: string
  readonly what: string
  readonly subject: string
  readonly detail: unknown
}

const AUDIT_MS = 10_000
const SHOWN_MAX = 200

export const AuditSection = () => {
  const audit = useApi<{ readonly data: readonly Row[] }>('audit', AUDIT_MS)
  const wanted = useSignal('')
  return (
    <Card>
      <label class="filter">
        Find
        <input
          type="search"
          placeholder="an email, a name, an action"
          onInput={(event) => {
            wanted.value = event.currentTarget.value.trim().toLowerCase()
          }}
        />
      </label>
      <Loaded from={audit} what="the audit trail">
        {({ data }) => {
          const rows = data.filter((row) => textOf(row).includes(wanted.value))
          return rows.length === 0 ? <Empty>Nothing of that was done.</Empty> : <Table rows={rows} of={data.length} />
        }}
      </Loaded>
    </Card>
  )
}

const textOf = ({ by, what, subject, detail }: Row): string =>
  `${by} ${what} ${subject} ${JSON.stringify(detail)}`.toLowerCase()

const LISTED_MAX = 8

/** What is null or empty says nothing. */
const valueText = (name: string, value: unknown): string => {
  if (value === null || value === undefined || value === '') return ''
  if (Array.isArray(value)) {
    const texts = value
      .slice(0, LISTED_MAX)
      .map((each) => (typeof each === 'object' ? JSON.stringify(each) : String(each)))
    return texts.join(', ') + (value.length > LISTED_MAX ? ` and ${value.length - LISTED_MAX} more` : '')
  }
  if (typeof value === 'object') return detailOf(value)
  if (typeof value === 'number' && name.endsWith('At')) return new Date(value).toISOString()
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const detailOf = (detail: unknown): string =>
  typeof detail !== 'object' || detail === null
    ? JSON.stringify(detail)
    : Object.entries(detail)
        .map(([name, value]) => [name, valueText(name, value)] as const)
        .filter(([, text]) => text !== '')
        .map(([name, text]) => `${name}: ${text}`)
        .join(' · ')

const Table = ({ rows, of }: { readonly rows: readonly Row[]; readonly of: number }) => (
  <>
    <p class="soft">
      {rows.length > SHOWN_MAX ? `The newest ${SHOWN_MAX} of ${count(rows.length)}` : count(rows.length)} entries
      {rows.length === of ? '' : ` that match, of the last ${count(of)}`}
    </p>
    <Scroll label="Who did what">
      <table>
        <thead>
          <tr>
            <th scope="col">When (UTC)</th>
            <th scope="col">Who</th>
            <th scope="col">What</th>
            <th scope="col">Of</th>
            <th scope="col">Detail</th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, SHOWN_MAX).map((row, place) => (
            <tr key={`${row.at} ${place}`}>
              <td class="nowrap">
                {day(row.at)}
                <br />
                <span class="soft">{second(row.at)}</span>
              </td>
              <td>
                <Name text={row.by} />
              </td>
              <th scope="row" class="nowrap">
                {row.what}
              </th>
              <td>
                <Name text={row.subject} />
              </td>
              <td class="soft detail">
                <Name text={detailOf(row.detail)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  </>
)
