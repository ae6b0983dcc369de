// Logging in: by e-mail address and password, or by a one-time link, which sets the password.

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { hashMembers, setHash, urlOf } from '../place.ts'
import { formText } from '../form-text.ts'
import { type ApiFault, logIn, redeemLink, user } from '../portal-api.ts'
import { Card, Fault, Loading, PageHead } from '../widgets.tsx'

const PASSWORD_CHARACTERS_MIN = 12

/** Where to go then: a page of ours, never an address that somebody has put into the link. */
const goOn = (): void => {
  const next = new URLSearchParams(location.search).get('next') ?? ''
  location.replace(urlOf(/^[a-z]{1,20}(\?|$)/.test(next) && !next.startsWith('login') ? next : ''))
}

const takeToken = (): string => {
  const token = hashMembers().get('link') ?? ''
  // A link is good once; it need not stay in the history.
  if (token !== '') setHash({})
  return token
}

let token = ''

export const LoginPage = () => {
  if (token === '') token = takeToken()
  return token === '' ? <PasswordForm /> : <LinkForm token={token} />
}

const PasswordForm = () => {
  const fault = useSignal<ApiFault | undefined>(undefined)
  const isBusy = useSignal(false)
  const submit = async (form: HTMLFormElement): Promise<void> => {
    const data = new FormData(form)
    isBusy.value = true
    fault.value = await logIn(formText(data, 'email'), formText(data, 'password'))
    isBusy.value = false
    if (fault.value === undefined) goOn()
  }
  return (
    <div class="login">
      <PageHead title="Log in" />
      {user.value ? (
        <p class="notice">
          You are logged in as <strong>{user.value.email}</strong>. <a href={urlOf('')}>Go on</a>, or log in as somebody
          else.
        </p>
      ) : null}
      <Card kind="narrow">
        <form
          onSubmit={(event) => {
            event.preventDefault()
            void submit(event.currentTarget)
          }}
        >
          <label>
            Email
            <input type="email" name="email" required autocomplete="username" />
          </label>
          <label>
            Password
            <input type="password" name="password" required autocomplete="current-password" />
          </label>
          <Fault fault={fault.value?.status === 404 ? undefined : fault.value} />
          {fault.value?.status === 404 ? (
            <p class="notice bad" role="alert">
              This service has no accounts for the portal. Use a key: its operator makes one by{' '}
              <code>oddswire key create</code>.
            </p>
          ) : null}
          <button type="submit" class="primary" disabled={isBusy.value}>
            {isBusy.value ? 'Logging in…' : 'Log in'}
          </button>
        </form>
      </Card>
      <p class="soft">
        No account yet, or forgotten the password? The operator of this service gives you a one-time link:{' '}
        <code>oddswire user create</code> makes an account, <code>oddswire user link</code> sets a new password.
      </p>
    </div>
  )
}

const LinkForm = ({ token }: { readonly token: string }) => {
  const fault = useSignal<ApiFault | undefined>(undefined)
  /** A link of the demo logs in at once; of others the password is asked for. */
  const isTried = useSignal(false)
  const needsPassword = useSignal(false)
  const use = async (password?: string): Promise<void> => {
    const answer = await redeemLink(token, password)
    if (answer === undefined) {
      goOn()
      return
    }
    isTried.value = true
    needsPassword.value =
      answer === 'needs-password' ||
      answer.field === 'password' ||
      // The link is not used up: the same form, to try again.
      (needsPassword.value && (answer.status === 0 || answer.status === 429 || answer.status >= 500))
    fault.value = answer === 'needs-password' ? undefined : answer
  }
  useEffect(() => {
    void use()
  }, [])
  if (!isTried.value) return <Loading what="your account" />
  return (
    <div class="login">
      <PageHead title={needsPassword.value ? 'Choose a password' : 'This link cannot be used'} />
      <Card kind="narrow">
        {needsPassword.value ? (
          <form
            onSubmit={(event) => {
              event.preventDefault()
              void use(formText(new FormData(event.currentTarget), 'password'))
            }}
          >
            <label>
              New password
              <input
                type="password"
                name="password"
                required
                minLength={PASSWORD_CHARACTERS_MIN}
                autocomplete="new-password"
                aria-describedby="password-rule"
              />
            </label>
            <p id="password-rule" class="soft">
              At least {PASSWORD_CHARACTERS_MIN} characters. A sentence that only you know is a good one.
            </p>
            <Fault fault={fault.value} />
            <button type="submit" class="primary">
              Set the password and log in
            </button>
          </form>
        ) : (
          <>
            <Fault fault={fault.value} />
            <p>
              A link is good once. Ask the operator of this service for another one, or{' '}
              <a href={urlOf('login')}>log in</a>.
            </p>
          </>
        )}
      </Card>
    </div>
  )
}
