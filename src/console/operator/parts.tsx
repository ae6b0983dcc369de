// Parts of the operator's sections.

import { type ReadonlySignal, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { count, dayAndMinute, sportName } from '../wording.ts'
import { type ApiFault } from '../portal-api.ts'
import { CopyButton, Dialog, Fault, Loading, Name } from '../widgets.tsx'
import type { NewLink } from './operator-data.ts'

/** How often live state is asked for. */
export const LIVE_MS = 3_000

/** What was loaded; until then that it is loading, and beside it what went wrong. */
export const Loaded = <Data,>({
  from: { data, fault },
  what,
  children,
}: {
  readonly from: {
    readonly data: ReadonlySignal<Data | undefined>
    readonly fault: ReadonlySignal<ApiFault | undefined>
  }
  readonly what: string
  readonly children: (data: Data) => ComponentChildren
}) => (
  <>
    <Fault fault={fault.value} />
    {data.value !== undefined ? children(data.value) : fault.value === undefined ? <Loading what={what} /> : null}
  </>
)

/** A dialog with a form or a question: what it sends is refused beside it, or closes it. */
export const Asking = ({
  title,
  children,
  action,
  isDangerous = false,
  onClose,
  send,
}: {
  readonly title: string
  readonly children: ComponentChildren
  readonly action: string
  readonly isDangerous?: boolean
  readonly onClose: () => void
  readonly send: (form: FormData) => Promise<ApiFault | undefined>
}) => {
  const fault = useSignal<ApiFault | undefined>(undefined)
  const isBusy = useSignal(false)
  const submit = async (form: HTMLFormElement): Promise<void> => {
    isBusy.value = true
    fault.value = await send(new FormData(form))
    isBusy.value = false
    if (fault.value === undefined) onClose()
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        class="wide"
        onSubmit={(event) => {
          event.preventDefault()
          void submit(event.currentTarget)
        }}
      >
        {children}
        <Fault fault={fault.value} />
        <div class="actions">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class={isDangerous ? 'danger filled' : 'primary'} disabled={isBusy.value}>
            {action}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

/** A one-time link, shown once. */
export const LinkPanel = ({ made, onClose }: { readonly made: NewLink; readonly onClose: () => void }) => (
  <section class="card secret" aria-label="One-time link">
    <h2>
      A link for <Name text={made.user.email} />
    </h2>
    <p>
      Send it over a channel that you trust: <strong>it is shown this once</strong>, works once, until{' '}
      {dayAndMinute(made.expiresAt)} UTC, and sets the password.
    </p>
    <p class="secret-line">
      <code>{made.link}</code>
      <CopyButton text={made.link} label="Copy the link" />
    </p>
    <div class="actions">
      <button type="button" onClick={onClose}>
        I have sent it
      </button>
    </div>
  </section>
)

/** Choices of a select. */
export const Options = ({
  values,
  chosen,
  text = (value) => value,
}: {
  readonly values: readonly string[]
  readonly chosen?: string
  readonly text?: (value: string) => string
}) => (
  <>
    {values.map((value) => (
      <option key={value} value={value} selected={value === chosen}>
        {text(value)}
      </option>
    ))}
  </>
)

/** Of a row of coverage. */
export const sportText = (sport: string): string => (sport === '*' ? 'all other sports' : sportName(sport))

/** Such as `1 user`, `2 users`. */
export const countOf = (number: number, noun: string): string => `${count(number)} ${noun}${number === 1 ? '' : 's'}`

export const spaced = (word: string): string => word.replaceAll('_', ' ')
