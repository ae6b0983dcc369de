// The users of an organization: new ones with a one-time link, roles, removal.

import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { formText } from '../form-text.ts'
import { useApi } from '../loading.ts'
import { type ApiFault, call, user as visitor } from '../portal-api.ts'
import { day } from '../wording.ts'
import { Card, Empty, Fault, Name, Pill, Scroll } from '../widgets.tsx'
import type { NewLink, OrganizationRow, UserRow } from './operator-data.ts'
import { Asking, LinkPanel, Loaded, Options } from './parts.tsx'

const ROLES = ['member', 'owner', 'operator'] as const

const ROLE_TEXTS: Readonly<Record<string, string>> = {
  member: 'member: sees all of the organization',
  owner: 'owner: manages its keys, too',
  operator: 'operator: everything of all organizations',
}

const roleText = (role: string): string => ROLE_TEXTS[role] ?? role

interface Asked {
  readonly what: 'role' | 'link' | 'remove'
  readonly user: UserRow
}

export const OrganizationUsers = ({
  organization: { id, name },
  onClose,
}: {
  readonly organization: OrganizationRow
  readonly onClose: () => void
}) => {
  const pathOf = (rest: string): string => `operator/users${rest}?organization=${encodeURIComponent(id)}`
  const users = useApi<{ readonly data: readonly UserRow[] }>(pathOf(''))
  const made = useSignal<NewLink | undefined>(undefined)
  const asked = useSignal<Asked | undefined>(undefined)
  const fault = useSignal<ApiFault | undefined>(undefined)
  const card = useRef<HTMLDivElement>(null)
  useEffect(() => card.current?.focus(), [])
  const create = async (form: HTMLFormElement): Promise<void> => {
    const data = new FormData(form)
    const body = { email: formText(data, 'email').trim(), role: formText(data, 'role') }
    const result = await call<NewLink>('POST', pathOf(''), body)
    fault.value = result.fault
    if (result.fault !== undefined) return
    made.value = result.data
    form.reset()
    await users.reload()
  }
  return (
    <Card>
      <div class="card-head" ref={card} tabIndex={-1}>
        <h2>
          Users of <Name text={name} />
        </h2>
        <button type="button" class="small" onClick={onClose}>
          Close
        </button>
      </div>
      {made.value === undefined ? null : (
        <LinkPanel
          made={made.value}
          onClose={() => {
            made.value = undefined
          }}
        />
      )}
      <Loaded from={users} what="the users">
        {({ data }) =>
          data.length === 0 ? (
            <Empty>Nobody yet.</Empty>
          ) : (
            <Table
              rows={data}
              ask={(what, user) => {
                asked.value = { what, user }
              }}
            />
          )
        }
      </Loaded>
      <form
        class="wide new-user"
        onSubmit={(event) => {
          event.preventDefault()
          void create(event.currentTarget)
        }}
      >
        <h3>New user</h3>
        <div class="fields">
          <label>
            E-mail address
            <input type="email" name="email" required maxLength={254} autocomplete="off" />
          </label>
          <label>
            Role
            <select name="role">
              <Options values={ROLES} chosen="member" text={roleText} />
            </select>
          </label>
        </div>
        <Fault fault={fault.value} />
        <button type="submit" class="primary">
          Create the user, and a link
        </button>
      </form>
      {asked.value === undefined ? null : (
        <UserDialog
          {...asked.value}
          pathOf={pathOf}
          onClose={() => {
            asked.value = undefined
          }}
          onLink={(link) => {
            made.value = link
          }}
          onDone={() => users.reload()}
        />
      )}
    </Card>
  )
}

const Table = ({
  rows,
  ask,
}: {
  readonly rows: readonly UserRow[]
  readonly ask: (what: Asked['what'], user: UserRow) => void
}) => (
  <Scroll label="Users">
    <table class="stack">
      <thead>
        <tr>
          <th scope="col">User</th>
          <th scope="col">Role</th>
          <th scope="col">Password</th>
          <th scope="col">Created</th>
          <th scope="col">
            <span class="hidden">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.id}>
            <th scope="row">
              <Name text={row.email} />
            </th>
            <td>
              <Pill kind={row.role === 'operator' ? 'warn' : ''}>{row.role}</Pill>
            </td>
            <td data-label="Password">{row.hasPassword ? 'set' : 'not yet'}</td>
            <td data-label="Created">{day(row.createdAt)}</td>
            <td>
              <div class="row-actions">
                <button
                  type="button"
                  class="small"
                  aria-label={`New link for ${row.email}`}
                  onClick={() => ask('link', row)}
                >
                  New link
                </button>
                {row.email === visitor.value?.email ? (
                  <span class="soft">you</span>
                ) : (
                  <>
                    <button
                      type="button"
                      class="small"
                      aria-label={`Role of ${row.email}`}
                      onClick={() => ask('role', row)}
                    >
                      Role
                    </button>
                    <button
                      type="button"
                      class="small danger"
                      aria-label={`Remove ${row.email}`}
                      onClick={() => ask('remove', row)}
                    >
                      Remove
                    </button>
                  </>
                )}
              </div>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </Scroll>
)

const UserDialog = ({
  what,
  user,
  pathOf,
  onClose,
  onLink,
  onDone,
}: Asked & {
  readonly pathOf: (rest: string) => string
  readonly onClose: () => void
  readonly onLink: (link: NewLink) => void
  readonly onDone: () => Promise<void>
}) => {
  const { id, email, role } = user
  const send = async (form: FormData): Promise<ApiFault | undefined> => {
    if (what === 'link') {
      const result = await call<NewLink>('POST', pathOf(`/${id}/link`))
      if (result.fault === undefined) onLink(result.data)
      return result.fault
    }
    const { fault } =
      what === 'role'
        ? await call('POST', pathOf(`/${id}`), { role: formText(form, 'role') })
        : await call('DELETE', pathOf(`/${id}`))
    if (fault === undefined) await onDone()
    return fault
  }
  const common = { onClose, send }
  if (what === 'link') {
    return (
      <Asking title={`A new link for ${email}?`} action="Make the link" {...common}>
        <p>An earlier link ends. Its use sets a new password, and ends all sessions of the user.</p>
      </Asking>
    )
  }
  if (what === 'role') {
    return (
      <Asking title={`Role of ${email}`} action="Change the role" {...common}>
        <label>
          Role
          <select name="role">
            <Options values={ROLES} chosen={role} text={roleText} />
          </select>
        </label>
        <p class="soft">All sessions of the user end; they log in again.</p>
      </Asking>
    )
  }
  return (
    <Asking title={`Remove ${email}?`} action="Remove the user" isDangerous {...common}>
      <p>All sessions of the user end at once. Keys that they have made stay.</p>
    </Asking>
  )
}
