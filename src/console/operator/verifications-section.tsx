// Verification: its runs, and asking for one.

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { formText } from '../form-text.ts'
import { useApi } from '../loading.ts'
import { type ApiFault, call } from '../portal-api.ts'
import { count, dayAndMinute, sportName } from '../wording.ts'
import { Card, Empty, Fault, Name, Pill, Scroll, stateKind } from '../widgets.tsx'
import type { Coverage, VerificationRow } from './operator-data.ts'
import { countOf, LIVE_MS, Loaded, Options } from './parts.tsx'

const SHOWN_MAX = 200

interface Request {
  readonly id: string
  readonly status: string
  readonly detail: string
}

export const VerificationsSection = () => {
  const runs = useApi<{ readonly data: readonly VerificationRow[] }>('operator/verifications', LIVE_MS)
  return (
    <>
      <AskForm />
      <Card title="Runs">
        <Loaded from={runs} what="the runs">
          {({ data }) => (data.length === 0 ? <Empty>No verification has run.</Empty> : <Table rows={data} />)}
        </Loaded>
      </Card>
    </>
  )
}

const ALL = 'all'

const AskForm = () => {
  const coverage = useApi<Coverage>('operator/coverage').data.value
  const fault = useSignal<ApiFault | undefined>(undefined)
  const asked = useSignal<string | undefined>(undefined)
  const ask = async (form: HTMLFormElement): Promise<void> => {
    const data = new FormData(form)
    const given = ['bookmaker', 'sport'].map((name) => [name, formText(data, name)] as const)
    const body = Object.fromEntries(given.filter(([, value]) => value !== ALL))
    const result = await call<{ readonly id: string }>('POST', 'operator/verifications', body)
    fault.value = result.fault
    asked.value = result.data?.id
  }
  const names = new Map(coverage?.data.map(({ bookmaker, displayName }) => [bookmaker, displayName]))
  return (
    <Card title="Verify">
      <p class="soft">Prices are fetched from the source, and must be equal when they are read back through REST.</p>
      <form
        class="wide"
        onSubmit={(event) => {
          event.preventDefault()
          void ask(event.currentTarget)
        }}
      >
        <div class="fields">
          <label>
            Bookmaker
            <select name="bookmaker">
              <Options values={[ALL, ...names.keys()]} text={(slug) => names.get(slug) ?? slug} />
            </select>
          </label>
          <label>
            Sport
            <select name="sport">
              <Options
                values={[ALL, ...(coverage?.sports ?? [])]}
                text={(name) => (name === ALL ? name : sportName(name))}
              />
            </select>
          </label>
        </div>
        <Fault fault={fault.value} />
        {asked.value === undefined ? null : <Progress key={asked.value} id={asked.value} />}
        <button type="submit">Verify now</button>
      </form>
    </Card>
  )
}

const Progress = ({ id }: { readonly id: string }) => {
  const { data, reload } = useApi<Request>(`operator/verifications/${id}`)
  const request = data.value
  useEffect(() => {
    if (request !== undefined && request.status !== 'pending') return undefined
    const timer = setInterval(() => void reload(), 1_000)
    return () => clearInterval(timer)
  })
  return (
    <p role="status">
      {request === undefined || request.status === 'pending'
        ? 'Under way…'
        : request.detail === ''
          ? 'Done: the runs are below.'
          : `Ended: ${request.detail}.`}
    </p>
  )
}

const Table = ({ rows }: { readonly rows: readonly VerificationRow[] }) => (
  <>
    <p class="soft">
      {rows.length > SHOWN_MAX ? `The newest ${SHOWN_MAX} of ` : ''}
      {countOf(rows.length, 'run')}, {count(rows.filter(({ outcome }) => outcome === 'failed').length)} failed
    </p>
    <Scroll label="Runs of verification">
      <table>
        <thead>
          <tr>
            <th scope="col">When (UTC)</th>
            <th scope="col">Bookmaker</th>
            <th scope="col">Sport</th>
            <th scope="col">Result</th>
            <th scope="col">Channels</th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, SHOWN_MAX).map(({ id, at, bookmaker, sport, outcome, channels, request }) => (
            <tr key={id}>
              <td class="nowrap">
                {dayAndMinute(at)}
                <br />
                <span class="soft">{request === null ? 'on schedule' : `request ${request}`}</span>
              </td>
              <th scope="row">
                <Name text={bookmaker} />
              </th>
              <td>{sportName(sport)}</td>
              <td>
                <Pill kind={stateKind(outcome)}>{outcome}</Pill>
              </td>
              <td>
                <ul class="plain">
                  {channels.map((channel) => (
                    <li key={channel.transport}>
                      {channel.transport}: {channel.outcome}, {count(channel.quotes)} quotes{' '}
                      <span class="soft">
                        <Name text={channel.detail} />
                      </span>
                    </li>
                  ))}
                </ul>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  </>
)
