// Who did what: the audit trail of the organization; for operators, that of the service.

import { useApi } from '../loading.ts'
import { organizationShown } from '../portal-api.ts'
import type { AuditEntry } from '../portal-data.ts'
import { second, shortDay } from '../wording.ts'
import { Empty, Fault, Loading, Name, PageHead, Scroll } from '../widgets.tsx'
import { WithSession } from '../with-session.tsx'

export const AuditPage = () => (
  <WithSession title="Who did what">
    {({ role }) => <Audit isOfAll={role === 'operator' && organizationShown() === null} />}
  </WithSession>
)

/** As the past tells it; what is not here is shown as it is. */
const DONE: Readonly<Record<string, string>> = {
  'plan set': 'changed the plan',
  'organization create': 'created the organization',
  'organization set': 'changed the organization',
  'key create': 'made the key',
  'key rotate': 'rotated the key',
  'key revoke': 'revoked the key',
  'key delete': 'deleted the expired key',
  'coverage import': 'imported coverage',
  'coverage set': 'changed coverage of',
  'coverage remove': 'removed coverage of',
  'coverage verify': 'verified coverage of',
  'user create': 'created the user',
  'user set': 'changed the user',
  'user remove': 'removed the user',
  'user link': 'made a login link for',
  'user login': 'logged in as',
  'user logout': 'logged out as',
  'user password': 'set the password of',
}

/** Of what somebody does to the own account. */
const OWN: Readonly<Record<string, string>> = {
  'user login': 'logged in',
  'user logout': 'logged out',
  'user password': 'set a new password',
}

const BY: Readonly<Record<string, string>> = { command: 'the command line', server: 'the service' }

/** Of members that people know by another name; empty: these say nothing to people. */
const LABELS: Readonly<Record<string, string>> = {
  expiresAt: 'until',
  entitlement: 'bookmakers',
  kind: '',
  organization: '',
  scope: '',
  to: 'new key',
  hourlyLimit: 'requests per hour',
  monthlyQuota: 'requests per month',
  liveEnabled: 'live',
  historyEnabled: 'history',
  liveReplayWindowSeconds: 'replay window, s',
  liveConnectionsMax: 'live sessions at most',
}

/** Epoch ms are times to the program alone. */
const shownValue = (name: string, value: unknown): string => {
  if (typeof value === 'number' && name.endsWith('At')) {
    return new Date(value).toISOString().slice(0, 16).replace('T', ' ')
  }
  if (name === 'entitlement' && value === '*') return 'all'
  if (Array.isArray(value)) return value.map((each) => shownValue('', each)).join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Such as `name: Desk · until: 2027-01-01 00:00`; what says nothing is left out. */
const detailText = (detail: AuditEntry['detail']): string => {
  const { scope } = detail
  const members = { ...detail, ...(typeof scope === 'object' ? scope : {}) }
  return Object.entries(members)
    .filter(([name, value]) => value !== null && value !== '' && LABELS[name] !== '')
    .map(([name, value]) => `${LABELS[name] ?? name}: ${shownValue(name, value)}`)
    .join(' · ')
}

const Audit = ({ isOfAll }: { readonly isOfAll: boolean }) => {
  const { data, fault } = useApi<{ readonly data: readonly AuditEntry[] }>('audit')
  const rows = data.value?.data
  return (
    <>
      <PageHead
        title="Who did what"
        lead={`Every change ${isOfAll ? 'of this service' : 'that concerns your organization'}, and every login; the newest first. Times are UTC.`}
      />
      <Fault fault={fault.value} />
      {rows === undefined ? (
        fault.value === undefined ? (
          <Loading what="the audit trail" />
        ) : null
      ) : rows.length === 0 ? (
        <Empty>Nothing was done yet.</Empty>
      ) : (
        <Scroll label="Who did what">
          <table class="stack">
            <thead>
              <tr>
                <th scope="col">At</th>
                <th scope="col">Who</th>
                <th scope="col">What</th>
                <th scope="col">Details</th>
              </tr>
            </thead>
            <tbody>
              {rows.map(({ at, by, what, subject, detail }) => (
                <tr>
                  <td data-label="At" class="nowrap" title={at}>
                    {shortDay(at)} {second(at)}
                  </td>
                  <td data-label="Who" class="who-did">
                    {BY[by] ?? <Name text={by} />}
                  </td>
                  <td data-label="What">
                    {subject === by ? (OWN[what] ?? DONE[what] ?? what) : (DONE[what] ?? what)}
                    {subject === by || subject === '*' ? null : (
                      <>
                        {' '}
                        <code>
                          <Name text={subject} />
                        </code>
                      </>
                    )}
                  </td>
                  <td data-label="Details" class="soft">
                    <Name text={detailText(detail)} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
      )}
    </>
  )
}
