// Pages for those who are logged in; the others are told what to do.

import type { ComponentChildren } from 'preact'
import { useApi } from './loading.ts'
import { urlOf } from './place.ts'
import type { Organization } from './portal-data.ts'
import { hasEnded, organizationShown, sessionFault, type User, user } from './portal-api.ts'
import { Card, Loading, Name, PageHead } from './widgets.tsx'

export const WithSession = ({
  title,
  role,
  children,
}: {
  readonly title: string
  readonly role?: 'operator'
  readonly children: (user: User) => ComponentChildren
}) => {
  const known = user.value
  if (known === undefined) return <Loading what="your session" />
  if (known === null) {
    const fault = sessionFault.value
    return (
      <>
        <PageHead title={title} />
        {fault === undefined || fault.status === 404 ? <LogInFirst isOff={fault !== undefined} /> : null}
        {fault !== undefined && fault.status !== 404 ? (
          <p class="notice bad" role="alert">
            {fault.message} <code>{fault.code}</code>
          </p>
        ) : null}
      </>
    )
  }
  if (role === 'operator' && known.role !== 'operator') {
    return (
      <>
        <PageHead title={title} />
        <Card>
          <p>
            This page is for operators of the service. You are logged in as <strong>{known.email}</strong> ({known.role}
            ).
          </p>
        </Card>
      </>
    )
  }
  return (
    <>
      {known.role === 'operator' && organizationShown() !== null && role !== 'operator' ? <OfAnother /> : null}
      {children(known)}
    </>
  )
}

/** What an operator sees, and changes, is not the own organization's. */
const OfAnother = () => {
  const name = useApi<Organization>('organization').data.value?.name
  return (
    <p class="notice">
      You look at the organization <strong>{name === undefined ? organizationShown() : <Name text={name} />}</strong> as
      an operator; what you change here is changed there.{' '}
      <a href={urlOf('operator#organizations')}>Back to all organizations</a>
    </p>
  )
}

const LogInFirst = ({ isOff }: { readonly isOff: boolean }) =>
  isOff ? (
    <Card>
      <p>
        This service has no accounts for the portal. Its operator makes keys by <code>oddswire key create</code>; with a
        key, the <a href={urlOf('board')}>live board</a> and the <a href={urlOf('reference')}>reference</a> work without
        an account.
      </p>
    </Card>
  ) : (
    <Card>
      <p>
        {hasEnded.value
          ? 'Your session has ended. Log in again, and you come back to this page.'
          : 'Log in to see this page.'}
      </p>
      <p>
        <a class="button primary" href={urlOf(`login?next=${encodeURIComponent(here())}`)}>
          Log in
        </a>
      </p>
      {hasEnded.value ? null : <p class="soft">No account? The operator of this service gives you a one-time link.</p>}
    </Card>
  )

/** This page, from the root. */
const here = (): string => location.href.slice(urlOf('').length).replace(/#.*/s, '')
