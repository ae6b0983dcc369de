// The form of a new key: name, expiry, and what it may use of what the organization has.

import { useSignal } from '@preact/signals'
import { now } from '../browser-clock.ts'
import { formText } from '../form-text.ts'
import { type ApiFault, call } from '../portal-api.ts'
import type { NewKey, Organization } from '../portal-data.ts'
import { sportName } from '../wording.ts'
import { Card, Fault, Name } from '../widgets.tsx'

const EXPIRIES = [
  [0, 'never'],
  [1, 'in a day'],
  [30, 'in 30 days'],
  [90, 'in 90 days'],
  [365, 'in a year'],
] as const

const DAY_MS = 86_400_000

export const NewKeyForm = ({
  organization,
  onMade,
  onCancel,
}: {
  readonly organization: Organization
  readonly onMade: (key: NewKey) => void
  readonly onCancel: () => void
}) => {
  const fault = useSignal<ApiFault | undefined>(undefined)
  const isBusy = useSignal(false)
  const { names } = organization
  const submit = async (form: HTMLFormElement): Promise<void> => {
    const data = new FormData(form)
    const days = Number(data.get('expiry'))
    const scope = {
      channels: narrowed(data.getAll('channels')),
      bookmakers: narrowed(data.getAll('bookmakers')),
      sports: narrowed(data.getAll('sports')),
    }
    const given = Object.fromEntries(Object.entries(scope).filter(([, list]) => list !== null))
    isBusy.value = true
    const result = await call<NewKey>('POST', 'keys', {
      name: formText(data, 'name').trim(),
      ...(days === 0 ? {} : { expiresAt: new Date(now() + days * DAY_MS).toISOString() }),
      ...(Object.keys(given).length === 0 ? {} : { scope: given }),
    })
    isBusy.value = false
    fault.value = result.fault
    if (result.fault === undefined) onMade(result.data)
  }
  return (
    <Card title="New key">
      <form
        class="wide"
        onSubmit={(event) => {
          event.preventDefault()
          void submit(event.currentTarget)
        }}
      >
        <div class="fields">
          <label>
            Name
            <input
              name="name"
              required
              maxLength={100}
              placeholder="such as: production, Anna’s laptop"
              autocomplete="off"
            />
          </label>
          <label>
            Expires
            <select name="expiry">
              {EXPIRIES.map(([days, text]) => (
                <option value={days}>{text}</option>
              ))}
            </select>
          </label>
        </div>
        <Choices name="channels" title="Channels" values={organization.channels} text={(channel) => channel} />
        <Choices name="sports" title="Sports" values={organization.sports} text={sportName} />
        <Choices
          name="bookmakers"
          title="Bookmakers"
          values={Object.keys(names)}
          text={(slug) => names[slug] ?? slug}
        />
        <Fault fault={fault.value} />
        <div class="actions">
          <button type="button" onClick={onCancel}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={isBusy.value}>
            Make the key
          </button>
        </div>
      </form>
    </Card>
  )
}

/** None chosen: no narrowing, also of what comes later. */
const narrowed = (chosen: readonly FormDataEntryValue[]): readonly string[] | null =>
  chosen.length === 0 ? null : chosen.map(String)

const Choices = ({
  name,
  title,
  values,
  text,
}: {
  readonly name: string
  readonly title: string
  readonly values: readonly string[]
  readonly text: (value: string) => string
}) => (
  <fieldset>
    <legend>
      {title} <span class="soft">all, unless you choose some</span>
    </legend>
    <div class="choices">
      {values.map((value) => (
        <label class="choice">
          <input type="checkbox" name={name} value={value} />
          <Name text={text(value)} />
        </label>
      ))}
    </div>
  </fieldset>
)
