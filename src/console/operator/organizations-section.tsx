// Organizations: their plan, the bookmakers that they may see, and their users.

import { useSignal } from '@preact/signals'
import { formText } from '../form-text.ts'
import { useApi } from '../loading.ts'
import { urlOf } from '../place.ts'
import { type ApiFault, call } from '../portal-api.ts'
import { count } from '../wording.ts'
import { Card, Empty, Name, Scroll } from '../widgets.tsx'
import { BookmakerChoice, chosenBookmakers } from './bookmaker-choice.tsx'
import type { Organizations, OrganizationRow, PlanRow } from './operator-data.ts'
import { Asking, countOf, Loaded, Options } from './parts.tsx'
import { OrganizationUsers } from './organization-users.tsx'

const bookmakersText = (bookmakers: OrganizationRow['bookmakers']): string =>
  bookmakers === '*' ? 'all' : count(bookmakers.length)

type Open = { readonly what: 'new' } | { readonly what: 'change' | 'users'; readonly id: string }

export const OrganizationsSection = () => {
  const organizations = useApi<Organizations>('operator/organizations', 10_000)
  const open = useSignal<Open | undefined>(undefined)
  const close = (): void => {
    open.value = undefined
  }
  return (
    <Loaded from={organizations} what="the organizations">
      {({ data, plans }) => {
        const shown = open.value
        const row = shown === undefined || shown.what === 'new' ? undefined : data.find(({ id }) => id === shown.id)
        return (
          <>
            <Card>
              <div class="card-head">
                <p class="soft">{countOf(data.length, 'organization')}</p>
                <button
                  type="button"
                  class="primary"
                  onClick={() => {
                    open.value = { what: 'new' }
                  }}
                >
                  New organization
                </button>
              </div>
              {data.length === 0 ? (
                <Empty>None yet. An organization has a plan, bookmakers that it may see, users, and keys.</Empty>
              ) : (
                <Table
                  rows={data}
                  openId={row?.id}
                  onOpen={(what, id) => {
                    open.value = { what, id }
                  }}
                />
              )}
            </Card>
            {shown?.what === 'users' && row !== undefined ? (
              <OrganizationUsers key={row.id} organization={row} onClose={close} />
            ) : null}
            {shown?.what === 'new' ? (
              <OrganizationForm plans={plans} onClose={close} onDone={() => organizations.reload()} />
            ) : null}
            {shown?.what === 'change' && row !== undefined ? (
              <OrganizationForm
                key={row.id}
                plans={plans}
                row={row}
                onClose={close}
                onDone={() => organizations.reload()}
              />
            ) : null}
          </>
        )
      }}
    </Loaded>
  )
}

const Table = ({
  rows,
  openId,
  onOpen,
}: {
  readonly rows: readonly OrganizationRow[]
  readonly openId: string | undefined
  readonly onOpen: (what: 'change' | 'users', id: string) => void
}) => (
  <Scroll label="Organizations">
    <table class="stack">
      <thead>
        <tr>
          <th scope="col">Organization</th>
          <th scope="col">Plan</th>
          <th scope="col" class="number">
            Bookmakers
          </th>
          <th scope="col">Look at its</th>
          <th scope="col">
            <span class="hidden">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ id, name, plan, bookmakers }) => (
          <tr key={id}>
            <th scope="row">
              <Name text={name} />
              <br />
              <code class="soft">{id}</code>
            </th>
            <td data-label="Plan">{plan}</td>
            <td class="number" data-label="Bookmakers">
              {bookmakersText(bookmakers)}
            </td>
            <td class="nowrap" data-label="Look at its">
              <a href={urlOf(`keys?organization=${id}`)}>keys</a> ·{' '}
              <a href={urlOf(`usage?organization=${id}`)}>usage</a>
            </td>
            <td>
              <div class="row-actions">
                <button
                  type="button"
                  class="small"
                  aria-label={`Users of ${name}`}
                  aria-expanded={openId === id}
                  onClick={() => onOpen('users', id)}
                >
                  Users
                </button>
                <button type="button" class="small" aria-label={`Change ${name}`} onClick={() => onOpen('change', id)}>
                  Change
                </button>
              </div>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </Scroll>
)

/** @param row undefined: a new one */
const OrganizationForm = ({
  row,
  plans,
  onClose,
  onDone,
}: {
  readonly row?: OrganizationRow
  readonly plans: readonly PlanRow[]
  readonly onClose: () => void
  readonly onDone: () => Promise<void>
}) => {
  const send = async (form: FormData): Promise<ApiFault | undefined> => {
    const terms = { plan: formText(form, 'plan'), bookmakers: chosenBookmakers(form) }
    const { fault } =
      row === undefined
        ? await call('POST', 'operator/organizations', { name: formText(form, 'name').trim(), ...terms })
        : await call('POST', `operator/organizations/${row.id}`, terms)
    if (fault === undefined) await onDone()
    return fault
  }
  return (
    <Asking
      title={row === undefined ? 'New organization' : `Change ${row.name}`}
      action={row === undefined ? 'Create it' : 'Change it'}
      onClose={onClose}
      send={send}
    >
      {row === undefined ? (
        <label>
          Name
          <input name="name" required maxLength={100} autocomplete="off" />
        </label>
      ) : (
        <p class="soft">It holds for all its keys and live sessions at once.</p>
      )}
      <label>
        Plan
        <select name="plan">
          <Options values={plans.map(({ name }) => name)} chosen={row?.plan ?? 'pro'} />
        </select>
      </label>
      <BookmakerChoice chosen={row?.bookmakers ?? '*'} />
    </Asking>
  )
}
