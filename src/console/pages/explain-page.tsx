// "Why don't I see it?": one quote through every rule, up to the one that hides it.

import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { MARKET_TYPES } from '../../domain/market.ts'
import { useApi } from '../loading.ts'
import { formText } from '../form-text.ts'
import { urlOf } from '../place.ts'
import { type ApiFault, call } from '../portal-api.ts'
import type { Candidates, Explanation, KeyRow, Organization } from '../portal-data.ts'
import { visibleText } from '../../domain/safe-text.ts'
import { keyName, marketName } from '../wording.ts'
import { Card, Empty, Fault, Loading, PageHead } from '../widgets.tsx'
import { WithSession } from '../with-session.tsx'
import { Answer, CandidateList } from './explanation.tsx'

export const ExplainPage = () => <WithSession title="Why don’t I see it?">{() => <Explain />}</WithSession>

const Explain = () => {
  const { data, fault } = useApi<{ readonly data: readonly KeyRow[] }>('keys')
  const organization = useApi<Organization>('organization').data.value
  const keys = data.value?.data.filter(({ kind }) => kind === 'customer')
  return (
    <>
      <PageHead
        title="Why don’t I see it?"
        lead="Name a price that you miss. It goes through every rule, and the one that hides it is named."
      />
      <Fault fault={fault.value} />
      {keys === undefined || organization === undefined ? (
        fault.value === undefined ? (
          <Loading what="your keys" />
        ) : null
      ) : keys.length === 0 ? (
        <Card>
          <Empty>
            What is seen depends on the key, and your organization has none yet. <a href={urlOf('keys')}>Make a key</a>{' '}
            first.
          </Empty>
        </Card>
      ) : (
        <ExplainForm keys={keys} organization={organization} />
      )}
    </>
  )
}

const FIELDS = ['key', 'event', 'bookmaker', 'market', 'line', 'outcome', 'transport'] as const

interface FormProps {
  readonly keys: readonly KeyRow[]
  readonly organization: Organization
}

/** People know names; the interface knows slugs. */
const slugOf = (typed: string, names: Organization['names']): string =>
  Object.entries(names).find(([, name]) => name.toLowerCase() === typed.toLowerCase())?.[0] ?? typed

const ExplainForm = ({ keys, organization }: FormProps) => {
  const fault = useSignal<ApiFault | undefined>(undefined)
  const answer = useSignal<Explanation | Candidates | undefined>(undefined)
  const isBusy = useSignal(false)
  const form = useRef<HTMLFormElement>(null)
  const answerPlace = useRef<HTMLDivElement>(null)
  const asked = new URLSearchParams(location.search)
  const given = (field: (typeof FIELDS)[number]): string => asked.get(field) ?? ''

  const submit = async (): Promise<void> => {
    const data = new FormData(form.current!)
    const query = new URLSearchParams()
    for (const field of FIELDS) {
      const typed = formText(data, field).trim()
      const value = field === 'bookmaker' ? slugOf(typed, organization.names) : typed
      if (value !== '') query.set(field, value)
    }
    // The answer can be sent to somebody else of the organization as a link.
    const address = new URLSearchParams(query)
    for (const [name, value] of asked) if (!(FIELDS as readonly string[]).includes(name)) address.set(name, value)
    history.replaceState(null, '', `?${address.toString()}`)
    isBusy.value = true
    const result = await call<Explanation | Candidates>('GET', `explain?${query.toString()}`)
    isBusy.value = false
    fault.value = result.fault
    answer.value = result.data
    // On a narrow page it is below the form, where nobody sees it come.
    const place = answerPlace.current
    // Null: the session has ended, and the form is gone.
    if (place !== null && place.getBoundingClientRect().top > innerHeight / 2)
      place.scrollIntoView({ behavior: 'smooth' })
  }

  useEffect(() => {
    // A link that says all is asked at once.
    if (given('event') !== '' && given('bookmaker') !== '') void submit()
  }, [])

  const chosen = given('key')
  const found = answer.value
  return (
    <div class="explain">
      <Card>
        <form
          ref={form}
          onSubmit={(event) => {
            event.preventDefault()
            void submit()
          }}
        >
          <label>
            Key
            <select name="key" required>
              {keys.map((key) => (
                <option value={key.id} selected={key.id === chosen}>
                  {visibleText(keyName(key))}
                  {key.status === 'active' ? '' : ` (${key.status})`}
                </option>
              ))}
            </select>
          </label>
          <label>
            Event
            <input
              name="event"
              required
              maxLength={256}
              placeholder="names of the sides, or an id"
              autocomplete="off"
              aria-describedby="event-rule"
              defaultValue={given('event')}
            />
          </label>
          <p id="event-rule" class="soft">
            Words of the names, such as <code>harbour town</code>; the <code>id</code> of the event; or{' '}
            <code>SOURCE:ID</code>, as a source has it.
          </p>
          <label>
            Bookmaker
            <input
              name="bookmaker"
              required
              maxLength={256}
              list="bookmakers"
              placeholder="such as aldermoor"
              autocomplete="off"
              defaultValue={given('bookmaker')}
            />
          </label>
          <datalist id="bookmakers">
            {Object.entries(organization.names).map(([slug, name]) => (
              <option value={slug}>{visibleText(name)}</option>
            ))}
          </datalist>
          <label>
            Transport
            <select name="transport">
              <option value="rest">rest</option>
              <option value="live" selected={given('transport') === 'live'}>
                live
              </option>
            </select>
          </label>
          <label>
            Market
            <select name="market">
              <option value="">any</option>
              {MARKET_TYPES.map((type) => (
                <option value={type} selected={type === given('market')}>
                  {marketName(type)}
                </option>
              ))}
            </select>
          </label>
          <div class="pair">
            <label>
              Line
              <input name="line" placeholder="any" autocomplete="off" defaultValue={given('line')} />
            </label>
            <label>
              Outcome
              <input name="outcome" placeholder="any" autocomplete="off" defaultValue={given('outcome')} />
            </label>
          </div>
          <p class="soft">
            A line is a number such as <code>2.5</code>, or <code>none</code>; outcomes are such as <code>home</code>.
          </p>
          <button type="submit" class="primary" disabled={isBusy.value}>
            {isBusy.value ? 'Looking…' : 'Find out'}
          </button>
        </form>
      </Card>
      <div aria-live="polite" class="answers" ref={answerPlace}>
        <Fault fault={fault.value} />
        {found === undefined ? (
          fault.value === undefined ? (
            <Empty>The answer appears here: every rule in its order, and what it says about this price.</Empty>
          ) : null
        ) : 'candidates' in found ? (
          <CandidateList
            found={found}
            onChoose={({ id }) => {
              form.current!.querySelector<HTMLInputElement>('[name=event]')!.value = id
              void submit()
            }}
          />
        ) : (
          <Answer explanation={found} />
        )}
      </div>
    </div>
  )
}
