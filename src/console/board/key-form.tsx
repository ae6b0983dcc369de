// Asks for a key where nobody is logged in.

import { useSignal } from '@preact/signals'
import { urlOf } from '../place.ts'
import { Card, PageHead } from '../widgets.tsx'
import { keepKey } from './board-key.ts'

export const KeyForm = ({ onKey, fault = '' }: { readonly onKey: () => void; readonly fault?: string }) => {
  const key = useSignal('')
  return (
    <>
      <PageHead title="Live board" lead="Every price of an event at every bookmaker, the moment it changes." />
      <Card kind="narrow">
        <form
          onSubmit={(event) => {
            event.preventDefault()
            if (key.value.trim() === '') return
            keepKey(key.value)
            onKey()
          }}
        >
          <p>
            <a class="button primary" href={urlOf('login?next=board')}>
              Log in
            </a>
          </p>
          <p class="soft">or use an API key with the live channel. It stays in this tab.</p>
          {fault === '' ? null : (
            <p class="notice bad" role="alert">
              {fault}
            </p>
          )}
          <label>
            API key
            <input
              type="password"
              name="key"
              autocomplete="off"
              spellcheck={false}
              value={key.value}
              onInput={(event) => {
                key.value = event.currentTarget.value
              }}
            />
          </label>
          <button type="submit">Open the board</button>
        </form>
      </Card>
    </>
  )
}
