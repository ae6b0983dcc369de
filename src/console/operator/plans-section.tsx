// Plans: what organizations can have; private ones are not on the public page.

import { useSignal } from '@preact/signals'
import { formText } from '../form-text.ts'
import { useApi } from '../loading.ts'
import { type ApiFault, call } from '../portal-api.ts'
import { count, limitText } from '../wording.ts'
import { Card, Pill, Scroll } from '../widgets.tsx'
import type { Organizations, PlanRow } from './operator-data.ts'
import { Asking, Loaded } from './parts.tsx'

type Open = { readonly what: 'new' } | { readonly what: 'change' | 'remove'; readonly plan: PlanRow }

const NUMBERS = [
  ['hourlyLimit', 'Requests per hour'],
  ['monthlyQuota', 'REST requests per month'],
  ['liveConnectionsMax', 'Live sessions at the same time'],
  ['liveReplayWindowSeconds', 'Seconds back that a live session may resume'],
] as const

const SWITCHES = [
  ['liveEnabled', 'Live channel'],
  ['historyEnabled', 'History channel'],
  ['isPublic', 'On the public page of plans'],
] as const

/** The narrowest: what is forgotten gives too little, and not too much. */
const NEW = {
  ...{ name: '', hourlyLimit: 100, monthlyQuota: 5_000, liveEnabled: false, historyEnabled: false },
  ...{ liveReplayWindowSeconds: 120, liveConnectionsMax: 100, isPublic: false },
} as const satisfies PlanRow

export const PlansSection = () => {
  const loaded = useApi<Organizations>('operator/organizations', 10_000)
  const open = useSignal<Open | undefined>(undefined)
  const close = (): void => {
    open.value = undefined
  }
  const shown = open.value
  return (
    <Card>
      <div class="card-head">
        <p class="soft">0 is unlimited. A change holds for all keys and live sessions at once.</p>
        <button
          type="button"
          class="primary"
          onClick={() => {
            open.value = { what: 'new' }
          }}
        >
          New plan
        </button>
      </div>
      <Loaded from={loaded} what="the plans">
        {({ data, plans }) => (
          <Scroll label="Plans">
            <table class="stack">
              <thead>
                <tr>
                  <th scope="col">Plan</th>
                  <th scope="col" class="number">
                    Per hour
                  </th>
                  <th scope="col" class="number">
                    Per month
                  </th>
                  <th scope="col">Channels</th>
                  <th scope="col" class="number">
                    Live sessions
                  </th>
                  <th scope="col" class="number">
                    Organizations
                  </th>
                  <th scope="col">
                    <span class="hidden">Actions</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {plans.map((plan) => (
                  <tr key={plan.name}>
                    <th scope="row">
                      {plan.name} {plan.isPublic ? null : <Pill kind="">private</Pill>}
                    </th>
                    <td class="number" data-label="Per hour">
                      {limitText(plan.hourlyLimit)}
                    </td>
                    <td class="number" data-label="Per month">
                      {limitText(plan.monthlyQuota)}
                    </td>
                    <td data-label="Channels">
                      {['rest', plan.liveEnabled && 'live', plan.historyEnabled && 'history']
                        .filter(Boolean)
                        .join(', ')}
                    </td>
                    <td class="number" data-label="Live sessions">
                      {plan.liveEnabled ? limitText(plan.liveConnectionsMax) : '–'}
                    </td>
                    <td class="number" data-label="Organizations">
                      {count(data.filter((each) => each.plan === plan.name).length)}
                    </td>
                    <td>
                      <div class="row-actions">
                        {(['change', 'remove'] as const).map((what) => (
                          <button
                            key={what}
                            type="button"
                            class={`small ${what === 'remove' ? 'danger' : ''}`}
                            aria-label={`${what === 'remove' ? 'Remove' : 'Change'} ${plan.name}`}
                            onClick={() => {
                              open.value = { what, plan }
                            }}
                          >
                            {what === 'remove' ? 'Remove' : 'Change'}
                          </button>
                        ))}
                      </div>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </Scroll>
        )}
      </Loaded>
      {shown === undefined ? null : shown.what === 'remove' ? (
        <Asking
          title={`Remove the plan ${shown.plan.name}?`}
          action="Remove the plan"
          isDangerous
          onClose={close}
          send={async () => {
            const { fault } = await call('DELETE', `operator/plans/${shown.plan.name}`)
            if (fault === undefined) await loaded.reload()
            return fault
          }}
        >
          <p>Only a plan that no organization has can be removed.</p>
        </Asking>
      ) : (
        <PlanForm plan={shown.what === 'new' ? undefined : shown.plan} onClose={close} onDone={() => loaded.reload()} />
      )}
    </Card>
  )
}

const PlanForm = ({
  plan,
  onClose,
  onDone,
}: {
  readonly plan: PlanRow | undefined
  readonly onClose: () => void
  readonly onDone: () => Promise<void>
}) => {
  const start = plan ?? NEW
  const send = async (form: FormData): Promise<ApiFault | undefined> => {
    const terms = {
      ...Object.fromEntries(NUMBERS.map(([name]) => [name, Number(formText(form, name))])),
      ...Object.fromEntries(SWITCHES.map(([name]) => [name, form.has(name)])),
    }
    const { fault } =
      plan === undefined
        ? await call('POST', 'operator/plans', { name: formText(form, 'name'), ...terms })
        : await call('POST', `operator/plans/${plan.name}`, terms)
    if (fault === undefined) await onDone()
    return fault
  }
  return (
    <Asking
      title={plan === undefined ? 'New plan' : `Change the plan ${plan.name}`}
      action={plan === undefined ? 'Create the plan' : 'Change the plan'}
      onClose={onClose}
      send={send}
    >
      {plan === undefined ? (
        <label>
          Name
          <input
            name="name"
            required
            pattern="[a-z0-9][a-z0-9_\-]{0,31}"
            title="lower-case letters, digits, _ and -"
            autocomplete="off"
          />
        </label>
      ) : null}
      {NUMBERS.map(([name, text]) => (
        <label key={name}>
          {text}
          <input type="number" name={name} min={0} max={1e12} step={1} required defaultValue={String(start[name])} />
        </label>
      ))}
      <div class="choices">
        {SWITCHES.map(([name, text]) => (
          <label key={name} class="choice">
            <input type="checkbox" name={name} defaultChecked={start[name]} />
            {text}
          </label>
        ))}
      </div>
    </Asking>
  )
}
