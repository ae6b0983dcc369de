// "Why don't I see it?": one quote through every rule, up to the one that hides it.

import { useSignal } from '@preact/signals'
import { MARKET_TYPES } from '../../domain/market.ts'
import { useApi } from '../loading.ts'
import { formText } from '../form-text.ts'
import { type ApiFault, call } from '../portal-api.ts'
import type { Explanation, KeyRow } from '../portal-data.ts'
import { marketName } from '../wording.ts'
import { Card, Fault, PageHead } from '../widgets.tsx'
import { WithSession } from '../with-session.tsx'

export const ExplainPage = () => <WithSession title="Why don’t I see it?">{() => <ExplainForm />}</WithSession>

const FIELDS = ['key', 'event', 'bookmaker', 'market', 'line', 'outcome', 'transport'] as const

const ExplainForm = () => {
  const keys = useApi<{ readonly data: readonly KeyRow[] }>('keys').data.value?.data ?? []
  const fault = useSignal<ApiFault | undefined>(undefined)
  const explanation = useSignal<Explanation | undefined>(undefined)
  const isBusy = useSignal(false)
  const asked = new URLSearchParams(location.search)
  const submit = async (form: HTMLFormElement): Promise<void> => {
    const data = new FormData(form)
    const query = new URLSearchParams()
    for (const field of FIELDS) {
      const value = formText(data, field).trim()
      if (value !== '') query.set(field, value)
    }
    isBusy.value = true
    const result = await call<Explanation>('GET', `explain?${query.toString()}`)
    isBusy.value = false
    fault.value = result.fault
    explanation.value = result.data
  }
  return (
    <>
      <PageHead
        title="Why don’t I see it?"
        lead="Name a price that you miss. It is walked through every rule, and the one that hides it is named."
      />
      <div class="explain">
        <Card>
          <form
            onSubmit={(event) => {
              event.preventDefault()
              void submit(event.currentTarget)
            }}
          >
            <label>
              Key
              <select name="key" required>
                {keys.map((key) => (
                  <option value={key.id}>{key.name}</option>
                ))}
              </select>
            </label>
            <label>
              Event
              <input
                name="event"
                required
                inputMode="numeric"
                placeholder="id of the event"
                value={asked.get('event') ?? ''}
              />
            </label>
            <label>
              Bookmaker
              <input
                name="bookmaker"
                required
                placeholder="slug"
                autocomplete="off"
                value={asked.get('bookmaker') ?? ''}
              />
            </label>
            <label>
              Transport
              <select name="transport">
                <option value="rest">rest</option>
                <option value="live">live</option>
              </select>
            </label>
            <details>
              <summary>One price only</summary>
              <label>
                Market
                <select name="market">
                  <option value="">any</option>
                  {MARKET_TYPES.map((type) => (
                    <option value={type}>{marketName(type)}</option>
                  ))}
                </select>
              </label>
              <label>
                Line
                <input name="line" inputMode="decimal" placeholder="such as 2.5" autocomplete="off" />
              </label>
              <label>
                Outcome
                <input name="outcome" placeholder="such as home" autocomplete="off" />
              </label>
            </details>
            <button type="submit" class="primary" disabled={isBusy.value}>
              Find out
            </button>
          </form>
        </Card>
        <div aria-live="polite">
          <Fault fault={fault.value} />
          {explanation.value === undefined ? null : <Steps explanation={explanation.value} />}
        </div>
      </div>
    </>
  )
}

const Steps = ({ explanation: { steps, hiddenBy } }: { readonly explanation: Explanation }) => (
  <Card title={hiddenBy === null ? 'Nothing hides it' : 'Found'}>
    <p class={`banner ${hiddenBy === null ? 'good' : 'bad'}`}>
      {hiddenBy === null ? (
        'This key sees it.'
      ) : (
        <>
          It is hidden by <strong>{hiddenBy}</strong>.
        </>
      )}
    </p>
    <ol class="steps">
      {steps.map(({ rule, passed, detail }) => (
        <li class={passed ? 'passed' : 'failed'}>
          <strong>{rule}</strong>
          <span class="hidden">{passed ? ', passed: ' : ', not passed: '}</span>
          <p>{detail}</p>
        </li>
      ))}
    </ol>
  </Card>
)
