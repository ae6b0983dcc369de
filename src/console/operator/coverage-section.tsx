// Coverage: what customers see of each bookmaker in each sport.

import { useSignal } from '@preact/signals'
import { useApi } from '../loading.ts'
import { type ApiFault, call } from '../portal-api.ts'
import { count } from '../wording.ts'
import { Card, Empty, Fault, Name, Pill, Scroll } from '../widgets.tsx'
import { CoverageDialog, type CoverageQuestion } from './coverage-dialog.tsx'
import type { Coverage, CoverageRow, CoverageTerms } from './operator-data.ts'
import { countOf, Loaded, spaced, sportText } from './parts.tsx'

const COVERAGE_MS = 10_000

/** Whether customers see anything of it. */
const kindOf = ({ status, restAvailable, liveAvailable }: CoverageTerms): string => {
  const isRest = restAvailable && (status === 'verified_rest_live' || status === 'verified_rest_only')
  const isLive = liveAvailable && (status === 'verified_rest_live' || status === 'verified_live_only')
  return isRest || isLive ? 'good' : status === 'disabled_until_review' ? 'bad' : 'warn'
}

export const CoverageSection = () => {
  const coverage = useApi<Coverage>('operator/coverage', COVERAGE_MS)
  const wanted = useSignal('')
  const question = useSignal<CoverageQuestion | undefined>(undefined)
  const said = useSignal('')
  const fault = useSignal<ApiFault | undefined>(undefined)
  const verify = async (row: CoverageRow): Promise<void> => {
    const result = await call('POST', 'operator/verifications', { bookmaker: row.bookmaker })
    fault.value = result.fault
    said.value =
      result.fault === undefined
        ? `The verification of ${row.displayName} was asked for: its result appears under Verification.`
        : ''
  }
  return (
    <Card>
      <label class="filter">
        Find
        <input
          type="search"
          placeholder="a bookmaker, a sport, a status"
          onInput={(event) => {
            wanted.value = event.currentTarget.value.trim().toLowerCase()
          }}
        />
      </label>
      <Fault fault={fault.value} />
      <p class="soft" role="status">
        {said.value}
      </p>
      <Loaded from={coverage} what="coverage">
        {({ data, sports, statuses }) => {
          const rows = data.filter((row) => textOf(row).includes(wanted.value))
          return (
            <>
              {data.length === 0 ? (
                <Empty>
                  Nothing is shown to customers yet: <code>oddswire coverage import FILE</code>.
                </Empty>
              ) : (
                <Table
                  rows={rows}
                  of={data.length}
                  ask={(what, row) => {
                    question.value = { what, row }
                  }}
                  verify={(row) => void verify(row)}
                />
              )}
              {question.value === undefined ? null : (
                <CoverageDialog
                  key={`${question.value.what} ${question.value.row.bookmaker}`}
                  question={question.value}
                  sports={sports}
                  statuses={statuses}
                  onClose={() => {
                    question.value = undefined
                  }}
                  onDone={async (sentence) => {
                    said.value = sentence
                    await coverage.reload()
                  }}
                />
              )}
            </>
          )
        }}
      </Loaded>
    </Card>
  )
}

const textOf = ({ bookmaker, displayName, coverage }: CoverageRow): string =>
  [bookmaker, displayName, ...coverage.flatMap(({ sport, status }) => [sportText(sport), spaced(status)])]
    .join(' ')
    .toLowerCase()

const Table = ({
  rows,
  of,
  ask,
  verify,
}: {
  readonly rows: readonly CoverageRow[]
  readonly of: number
  readonly ask: (what: CoverageQuestion['what'], row: CoverageRow) => void
  readonly verify: (row: CoverageRow) => void
}) => (
  <>
    <p class="soft">
      {rows.length === of ? '' : `${count(rows.length)} of `}
      {countOf(of, 'bookmaker')}
    </p>
    <Scroll label="Coverage">
      <table class="stack">
        <thead>
          <tr>
            <th scope="col">Bookmaker</th>
            <th scope="col">Coverage</th>
            <th scope="col">
              <span class="hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.bookmaker}>
              <th scope="row">
                <Name text={row.displayName} />
                <br />
                <code class="soft">{row.bookmaker}</code>
              </th>
              <td>
                <ul class="plain">
                  {row.coverage.map((terms) => (
                    <Terms key={terms.sport} terms={terms} isOnly={row.coverage.length === 1} />
                  ))}
                  {row.removals.map(({ id, sport, effectiveOn, reason }) => (
                    <li key={id}>
                      <Pill kind="warn">ends {effectiveOn}</Pill> {sport === '*' ? 'all of it' : sportText(sport)}:{' '}
                      <Name text={reason} />
                    </li>
                  ))}
                  {row.coverage.length === 0 ? <li class="soft">none</li> : null}
                </ul>
              </td>
              <td>
                <div class="row-actions">
                  <button
                    type="button"
                    class="small"
                    aria-label={`Verify ${row.displayName}`}
                    onClick={() => verify(row)}
                  >
                    Verify
                  </button>
                  <button
                    type="button"
                    class="small"
                    aria-label={`Change coverage of ${row.displayName}`}
                    onClick={() => ask('change', row)}
                  >
                    Change
                  </button>
                  <button
                    type="button"
                    class="small danger"
                    aria-label={`Suspend ${row.displayName}`}
                    onClick={() => ask('suspend', row)}
                  >
                    Suspend
                  </button>
                  <button
                    type="button"
                    class="small danger"
                    aria-label={`Remove ${row.displayName}`}
                    onClick={() => ask('remove', row)}
                  >
                    Remove
                  </button>
                </div>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  </>
)

const Terms = ({ terms, isOnly }: { readonly terms: CoverageTerms; readonly isOnly: boolean }) => {
  const { sport, status, restAvailable, liveAvailable, lastVerifiedAt } = terms
  const missing = [restAvailable ? '' : 'no REST data', liveAvailable ? '' : 'no live data'].filter(
    (text) => text !== '',
  )
  return (
    <li>
      <Pill kind={kindOf(terms)}>{spaced(status)}</Pill> {isOnly && sport === '*' ? 'all sports' : sportText(sport)}
      <span class="soft">
        {missing.length === 0 ? '' : ` · ${missing.join(', ')}`}
        {lastVerifiedAt === null ? '' : ` · verified ${lastVerifiedAt}`}
      </span>
    </li>
  )
}
