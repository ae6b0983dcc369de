// What of the navigation depends on who is there: the account in the head of the page, and links for operators.

import { effect, useSignal } from '@preact/signals'
import { render } from 'preact'
import { urlOf } from './place.ts'
import { logOut, user } from './portal-api.ts'
import { Name } from './widgets.tsx'

const Account = () => {
  const isLeft = useSignal(false)
  const known = user.value
  if (known === undefined) return null
  if (known === null) {
    return document.documentElement.dataset['page'] === 'login' ? null : (
      <a class="button small" href={urlOf('login')}>
        Log in
      </a>
    )
  }
  return (
    <>
      <span class="who">
        <Name text={known.organization.name} />
        <span class="soft"> {known.email}</span>
      </span>
      <button
        type="button"
        class="small"
        onClick={() => {
          void logOut().then((fault) => {
            isLeft.value = fault !== undefined
            if (fault === undefined) location.assign(urlOf('login'))
          })
        }}
      >
        <span aria-live="polite">{isLeft.value ? 'Not logged out: try again' : 'Log out'}</span>
      </button>
    </>
  )
}

export const drawNavigation = (): void => {
  const place = document.getElementById('account')
  if (place !== null) render(<Account />, place)
  effect(() => {
    document.documentElement.classList.toggle('is-operator', user.value?.role === 'operator')
    document.documentElement.classList.toggle('is-logged-in', user.value != null)
  })
}
