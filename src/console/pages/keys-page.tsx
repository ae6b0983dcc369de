// Keys: what there is, new ones, rotation and revocation.

import { type Signal, useSignal } from '@preact/signals'
import { now } from '../browser-clock.ts'
import { type Loaded, useApi } from '../loading.ts'
import { type ApiFault, call, type User } from '../portal-api.ts'
import type { KeyRow, KeyScope, NewKey, Organization } from '../portal-data.ts'
import { visibleText } from '../../domain/safe-text.ts'
import { ago, count, day, keyName, minute, sportName } from '../wording.ts'
import { Card, Dialog, Empty, Fault, Loading, Name, PageHead, Pill, Scroll, stateKind } from '../widgets.tsx'
import { WithSession } from '../with-session.tsx'
import { NewKeyForm } from './new-key-form.tsx'
import { SecretPanel } from './secret-panel.tsx'

export const KeysPage = () => <WithSession title="Keys">{(user) => <Keys user={user} />}</WithSession>

/** What a dialog is about. */
type Asked = { readonly what: 'revoke' | 'rotate'; readonly key: KeyRow }

const Keys = ({ user }: { readonly user: User }) => {
  const keys = useApi<{ readonly data: readonly KeyRow[] }>('keys')
  const organization = useApi<Organization>('organization').data.value
  const isMaking = useSignal(false)
  const made = useSignal<NewKey | undefined>(undefined)
  const asked = useSignal<Asked | undefined>(undefined)
  const mayManage = user.role !== 'member'
  const rows = keys.data.value?.data
  const take = (key: NewKey): void => {
    made.value = key
    isMaking.value = false
    asked.value = undefined
    void keys.reload()
  }
  return (
    <>
      <PageHead
        title="Keys"
        lead="Programs show a key with each request. A key may do less than your plan allows, never more."
      >
        {mayManage && !isMaking.value ? (
          <button
            type="button"
            class="primary"
            onClick={() => {
              isMaking.value = true
              made.value = undefined
            }}
          >
            New key
          </button>
        ) : null}
      </PageHead>
      {mayManage ? null : (
        <p class="notice">You see the keys. Owners of your organization make, rotate and revoke them.</p>
      )}
      {made.value === undefined ? null : (
        <SecretPanel
          made={made.value}
          onClose={() => {
            made.value = undefined
          }}
        />
      )}
      {isMaking.value && organization !== undefined ? (
        <NewKeyForm
          organization={organization}
          onMade={take}
          onCancel={() => {
            isMaking.value = false
          }}
        />
      ) : null}
      <Fault fault={keys.fault.value} />
      {rows === undefined ? (
        keys.fault.value === undefined ? (
          <Loading what="the keys" />
        ) : null
      ) : (
        <KeyTable rows={rows} names={organization?.names ?? {}} mayManage={mayManage} asked={asked} />
      )}
      {asked.value?.what === 'revoke' ? <Revocation asked={asked} row={asked.value.key} keys={keys} /> : null}
      {asked.value?.what === 'rotate' ? <Rotation asked={asked} row={asked.value.key} onMade={take} /> : null}
    </>
  )
}

const NAMED_MAX = 3

const listText = (names: readonly string[], what: string): string =>
  names.length <= NAMED_MAX ? names.join(', ') : `${count(names.length)} ${what}`

const Scope = ({
  kind,
  scope: { channels, bookmakers, sports },
  names,
}: {
  readonly kind: KeyRow['kind']
  readonly scope: KeyScope
  readonly names: Organization['names']
}) => {
  const bookmakerNames = bookmakers?.map((slug) => names[slug] ?? slug)
  const sportNames = sports?.map(sportName)
  const parts = [
    channels?.join(', '),
    bookmakerNames && listText(bookmakerNames, 'bookmakers'),
    sportNames && listText(sportNames, 'sports'),
  ].filter((part) => part !== undefined)
  const all = [...(bookmakerNames ?? []), ...(sportNames ?? [])].join(', ')
  return (
    <span title={visibleText(all)}>
      {kind === 'feed' ? 'may send: ' : ''}
      <Name text={parts.length === 0 ? 'all that the plan has' : parts.join(' · ')} />
    </span>
  )
}

const KeyTable = ({
  rows,
  names,
  mayManage,
  asked,
}: {
  readonly rows: readonly KeyRow[]
  readonly names: Organization['names']
  readonly mayManage: boolean
  readonly asked: Signal<Asked | undefined>
}) =>
  rows.length === 0 ? (
    <Card>
      <Empty>
        {mayManage
          ? 'No keys yet. Make the first one: it takes a name, and works at once.'
          : 'Your organization has no keys yet.'}
      </Empty>
    </Card>
  ) : (
    <Scroll label="Keys">
      <table class="stack">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Status</th>
            <th scope="col">May use</th>
            <th scope="col">Last used</th>
            <th scope="col">Expires</th>
            <th scope="col">Made</th>
            {mayManage ? (
              <th scope="col">
                <span class="hidden">Actions</span>
              </th>
            ) : null}
          </tr>
        </thead>
        <tbody>
          {rows.map((key) => (
            <tr key={key.id} class={key.status === 'active' ? '' : 'past'}>
              <th scope="row">
                {key.name === '' ? null : (
                  <>
                    <Name text={key.name} />
                    <br />
                  </>
                )}
                <code class="soft">{key.id}</code>
              </th>
              <td data-label="Status">
                <Pill kind={stateKind(key.status)}>{key.status}</Pill>
              </td>
              <td data-label="May use">
                <Scope kind={key.kind} scope={key.scope} names={names} />
              </td>
              <td data-label="Last used" title={key.lastUsedAt ?? ''}>
                {ago(key.lastUsedAt, now())}
              </td>
              <td data-label="Expires" title={key.expiresAt ?? ''}>
                {key.expiresAt === null ? 'never' : `${day(key.expiresAt)}, ${minute(key.expiresAt)}`}
              </td>
              <td data-label="Made" title={key.createdAt}>
                <span>{day(key.createdAt)}</span>{' '}
                <span class="soft by">
                  {key.createdBy === 'command' || key.createdBy === 'server' ? (
                    'by the operator'
                  ) : (
                    <Name text={key.createdBy} />
                  )}
                </span>
              </td>
              {mayManage ? (
                <td>
                  {key.status === 'active' ? (
                    <div class="row-actions">
                      <button
                        type="button"
                        class="small"
                        aria-label={visibleText(`Rotate ${keyName(key)}`)}
                        onClick={() => {
                          asked.value = { what: 'rotate', key }
                        }}
                      >
                        Rotate
                      </button>
                      <button
                        type="button"
                        class="small danger"
                        aria-label={visibleText(`Revoke ${keyName(key)}`)}
                        onClick={() => {
                          asked.value = { what: 'revoke', key }
                        }}
                      >
                        Revoke
                      </button>
                    </div>
                  ) : null}
                </td>
              ) : null}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )

interface AskedProps {
  readonly asked: Signal<Asked | undefined>
  readonly row: KeyRow
}

const Revocation = ({
  asked,
  row,
  keys,
}: AskedProps & { readonly keys: Loaded<{ readonly data: readonly KeyRow[] }> }) => {
  const fault = useSignal<ApiFault | undefined>(undefined)
  const close = (): void => {
    asked.value = undefined
  }
  const revoke = async (): Promise<void> => {
    const result = await call('DELETE', `keys/${encodeURIComponent(row.id)}`)
    fault.value = result.fault
    if (result.fault !== undefined) return
    close()
    await keys.reload()
  }
  return (
    <Dialog title={`Revoke “${keyName(row)}”?`} onClose={close}>
      <p>
        From then on every request and live session with this key is refused. That cannot be undone.{' '}
        {row.lastUsedAt === null ? (
          'It was never used.'
        ) : (
          <>
            It was last used <strong>{ago(row.lastUsedAt, now())}</strong>.
          </>
        )}
      </p>
      <Fault fault={fault.value} />
      <div class="actions">
        <button type="button" onClick={close}>
          Keep it
        </button>
        <button type="button" class="danger filled" onClick={() => void revoke()}>
          Revoke the key
        </button>
      </div>
    </Dialog>
  )
}

const GRACES = [
  [0, 'at once'],
  [3_600, 'in an hour'],
  [86_400, 'in a day'],
  [604_800, 'in a week'],
] as const

const Rotation = ({ asked, row, onMade }: AskedProps & { readonly onMade: (key: NewKey) => void }) => {
  const fault = useSignal<ApiFault | undefined>(undefined)
  const grace = useSignal<number>(86_400)
  const isBusy = useSignal(false)
  const close = (): void => {
    asked.value = undefined
  }
  const rotate = async (): Promise<void> => {
    isBusy.value = true
    const result = await call<NewKey>('POST', `keys/${encodeURIComponent(row.id)}/rotate`, {
      graceSeconds: grace.value,
    })
    isBusy.value = false
    fault.value = result.fault
    if (result.fault === undefined) onMade(result.data)
  }
  return (
    <Dialog title={`Rotate “${keyName(row)}”`} onClose={close}>
      <p>You get a new key with the same rights. The old one still works for a while, so that nothing stops.</p>
      <label>
        The old key ends
        <select
          value={grace.value}
          onChange={(event) => {
            grace.value = Number(event.currentTarget.value)
          }}
        >
          {GRACES.map(([seconds, text]) => (
            <option value={seconds}>{text}</option>
          ))}
        </select>
      </label>
      <Fault fault={fault.value} />
      <div class="actions">
        <button type="button" onClick={close}>
          Cancel
        </button>
        <button type="button" class="primary" disabled={isBusy.value} onClick={() => void rotate()}>
          Make the new key
        </button>
      </div>
    </Dialog>
  )
}
