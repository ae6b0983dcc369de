// Does in the store what the portal asks for: see portal-tasks.ts.

import type { Asker, Denied } from './asker.ts'
import type { MintedKey } from './account-records.ts'
import type { KeyRecord } from './key.ts'
import type { OperatorTask } from './operator-tasks.ts'
import { performOperator } from './operator-work.ts'
import type { PortalResults, PortalTask } from './portal-tasks.ts'
import type { Store } from './store.ts'
import type { SessionRecord } from './user-records.ts'

type Right = 'read' | 'write' | 'operate'

/** Does a task. Throws as the store does; then nothing was written. */
export const performPortal = (store: Store, task: PortalTask): PortalResults[PortalTask['kind']] => {
  switch (task.kind) {
    case 'session':
      return store.users.sessionOf(task.session, task.terms, task.at)
    case 'end':
      store.users.logOut(task.session, task.at)
      return undefined
    case 'password':
      return store.users.userOf(task.email)?.password ?? undefined
    case 'login':
      return store.users.begin(task.email, task.password, task.next, task.at)
    case 'link':
      return store.users.linkOf(task.hash, task.at)
    case 'use-link':
      return store.users.useLink(task.hash, task.password, task.next, task.at)
    case 'demo-link':
      return makeDemoLink(store, task)
    case 'keys':
      return withRight(store, task, 'read', () => store.accounts.keysShown(task.organization, task.at, task.rowsMax))
    case 'create-key':
      return withRight(store, task, 'write', () => {
        if (isFull(store, task)) return { denied: 'full' }
        const { organization, scope, expiresAt, name, at } = task
        return shown(store, store.accounts.createKey({ kind: 'customer', organization, scope, expiresAt, name }, at))
      })
    case 'rotate-key':
      return withRight(store, task, 'write', () => {
        const key = keyOf(store, task)
        if (key === undefined) return { denied: 'missing' }
        if (!isValid(key, task.at)) return { denied: 'ended' }
        if (store.accounts.isRotated(key.id)) return { denied: 'rotated' }
        // Without a grace period the key that is replaced is valid no more.
        if (task.graceMs > 0 && isFull(store, task)) return { denied: 'full' }
        return shown(store, store.accounts.rotateKey(key, task.at + task.graceMs, task.at))
      })
    case 'revoke-key':
      return withRight(store, task, 'write', () => {
        if (keyOf(store, task) === undefined) return { denied: 'missing' }
        store.accounts.revokeKey(task.id, task.at)
        return true
      })
    case 'audit':
      return withRight(store, task, task.organization === null ? 'operate' : 'read', () =>
        store.newestAudit(task.organization, task.rowsMax),
      )
    case 'usage':
      return withRight(store, task, 'read', () => ({
        traffic: store.traffic.of(task.organization, task.hoursFrom),
        reserved: {
          hour: store.usage.reservedOf(task.organization, 'hour', task.hour),
          month: store.usage.reservedOf(task.organization, 'month', task.month),
        },
      }))
    case 'verifications':
      return withRight(store, task, 'operate', () => store.verification.newest(task.rowsMax))
    case 'decide':
      return withRight(store, task, 'operate', () => {
        store.decisions.add(task.decisions, task.at)
        return true
      })
    case 'note-use':
      if (task.keys.length > 0) store.accounts.noteUses(task.keys)
      if (task.traffic.length > 0) store.traffic.add(task.traffic, task.at)
      return undefined
    default:
      return withRight(store, task satisfies OperatorTask, 'operate', (user) => performOperator(store, task, user))
  }
}

/** Does something as the user of a session, in one transaction with the check that the user may. */
const withRight = <T>(
  store: Store,
  { session, terms, at, organization }: Asker & { readonly organization?: string | null },
  right: Right,
  work: (user: SessionRecord) => T | Denied,
): T | Denied =>
  store.inOne(() => {
    const user = store.users.sessionOf(session, terms, at)
    if (user === undefined) return { denied: 'session' }
    const isOwn = organization === undefined || organization === user.organization.id
    // As if the other organization were not there.
    if (!isOwn && user.role !== 'operator') return { denied: organization === null ? 'role' : 'missing' }
    if (!isOwn && organization !== null && !store.accounts.hasOrganization(organization)) return { denied: 'missing' }
    if (right !== 'read' && user.role === 'member') return { denied: 'role' }
    if (right === 'operate' && user.role !== 'operator') return { denied: 'role' }
    return store.as(user.email, () => work(user))
  })

const keyOf = (store: Store, { id, organization }: { readonly id: string; readonly organization: string }) => {
  const key = store.accounts.keyWithId(id)
  return key?.organization === organization ? key : undefined
}

const isValid = ({ revokedAt, expiresAt }: KeyRecord, at: number): boolean =>
  revokedAt === null && (expiresAt === null || expiresAt > at)

const isFull = (
  store: Store,
  { organization, keysMax, at }: { readonly organization: string; readonly keysMax: number; readonly at: number },
): boolean => store.accounts.validKeyCount(organization, at) >= keysMax

const shown = (store: Store, { id, secret }: MintedKey) => ({ key: store.accounts.keyWithId(id)!, secret })

/** A link of a user of the organization `demo`, which needs no password. */
const makeDemoLink = (
  store: Store,
  { email, role, hash, expiresAt, at }: PortalTask & { readonly kind: 'demo-link' },
): undefined => {
  store.inOne(() => {
    const organization = store.accounts.demoOrganization(at).id
    const user = store.users.userOf(email)
    if (user === undefined) store.users.create({ email, role, organization }, at)
    // Somebody has made another user of this name: the demo gives no right that this one has.
    else if (user.organization !== organization || user.role !== role) {
      store.users.set(email, { role, organization }, at)
    }
    store.users.putLink(email, { hash, needsPassword: false, expiresAt }, at)
  })
  return undefined
}
