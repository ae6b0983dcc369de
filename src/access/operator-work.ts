// Does in the store what operators ask for in the portal: see operator-tasks.ts. The caller has checked the session, and holds
// the transaction.

import type { Denied } from './asker.ts'
import { type Fault, isFault } from './fault.ts'
import type { OperatorResults, OperatorTask, RuleDenied, UserRow } from './operator-tasks.ts'
import type { Store } from './store.ts'
import type { SessionRecord, UserRecord } from './user-records.ts'

const MISSING: Denied = { denied: 'missing' }

/** What the store refuses; a fault of the store itself has no rule, and is thrown: then nothing was written. */
const deniedBy = ({ fault, breaks }: Fault): RuleDenied => {
  if (breaks === undefined) throw new Error(fault)
  return { denied: 'rule', broken: breaks }
}

const noMore = (what: string): RuleDenied => ({ denied: 'rule', broken: { rule: 'no more', detail: what } })

const OWN_ACCOUNT: RuleDenied = { denied: 'rule', broken: { rule: 'own account', detail: '' } }

/** Does a task as a user who is an operator. */
export const performOperator = (
  store: Store,
  task: OperatorTask,
  by: SessionRecord,
): OperatorResults[OperatorTask['kind']] => {
  const { accounts, users } = store
  const { at } = task
  switch (task.kind) {
    case 'create-organization': {
      if (accounts.organizations().length >= task.organizationsMax) return noMore('organizations')
      const { name, plan, entitlement } = task
      const created = accounts.createOrganization({ name, plan, entitlement }, at)
      return isFault(created) ? deniedBy(created) : { id: created.id }
    }
    case 'set-organization': {
      // Its name would be found, too.
      if (!accounts.hasOrganization(task.id)) return MISSING
      const { plan, entitlement } = task
      return doneOr(accounts.setOrganization(task.id, { plan, entitlement }, at))
    }
    case 'create-plan':
      if (accounts.plans().length >= task.plansMax) return noMore('plans')
      return doneOr(accounts.createPlan(task.name, task.fields, at))
    case 'set-plan':
      if (!accounts.hasPlan(task.name)) return MISSING
      accounts.setPlan(task.name, task.fields, at)
      return true
    case 'remove-plan':
      return accounts.hasPlan(task.name) ? doneOr(accounts.removePlan(task.name, at)) : MISSING
    case 'users':
      return users.of(task.organization).map(rowOf)
    case 'create-user': {
      const { email, role, organization, link } = task
      if (users.of(organization).length >= task.usersMax) return noMore('users')
      const created = users.create({ email, role, organization }, at)
      if (isFault(created)) return deniedBy(created)
      users.putLink(email, { ...link, needsPassword: true }, at)
      return rowOf(users.userOf(email)!)
    }
    case 'set-user':
      return ofUser(store, task, (user) => {
        if (user.email === by.email) return OWN_ACCOUNT
        return doneOr(users.set(user.email, { role: task.role }, at))
      })
    case 'link-user':
      return ofUser(store, task, (user) => {
        users.putLink(user.email, { ...task.link, needsPassword: true }, at)
        return rowOf(user)
      })
    case 'remove-user':
      return ofUser(store, task, (user) => {
        if (user.email === by.email) return OWN_ACCOUNT
        return doneOr(users.remove(user.email, at))
      })
    case 'set-coverage': {
      const set = store.coverage.set(task.bookmaker, task.sport, task.fields, task.haste, at)
      return isFault(set) ? deniedBy(set) : { withdrawn: set.withdrawn, immediate: set.immediate }
    }
    case 'remove-coverage': {
      const { haste, effectiveAt } = task
      const removed = store.coverage.remove(task.bookmaker, task.sport, { ...haste, effectiveAt }, at)
      return isFault(removed) ? deniedBy(removed) : { removal: removed.removal }
    }
    case 'verify': {
      const { bookmaker, sport } = task
      const known = bookmaker === null ? undefined : store.coverage.bookmakerOf(bookmaker)
      if (isFault(known)) return deniedBy(known)
      return { id: store.verification.request({ bookmaker, sport }, at).id }
    }
    case 'verification':
      return store.verification.requestOf(task.id) ?? MISSING
  }
}

const doneOr = (written: object): true | RuleDenied => (isFault(written) ? deniedBy(written) : true)

const rowOf = ({ id, email, role, password, createdAt }: UserRecord): UserRow => ({
  ...{ id, email, role, createdAt },
  hasPassword: password !== null,
})

/** Does something with a user of the organization. */
const ofUser = <T>(
  store: Store,
  { user: id, organization }: { readonly user: string; readonly organization: string },
  work: (user: UserRecord) => T,
): T | Denied => {
  const user = store.users.userWithId(id)
  return user?.organization === organization ? work(user) : MISSING
}
