// The bookmakers that an organization may see: all, or some.

import { useSignal } from '@preact/signals'
import { formText } from '../form-text.ts'
import { useApi } from '../loading.ts'
import { Name } from '../widgets.tsx'
import type { Coverage } from './operator-data.ts'

/** What was chosen. */
export const chosenBookmakers = (form: FormData): '*' | readonly string[] => {
  if (formText(form, 'which') === 'all') return '*'
  const typed = formText(form, 'more')
    .split(/[\s,]+/)
    .filter((slug) => slug !== '')
  return [...form.getAll('bookmakers').map(String), ...typed]
}

export const BookmakerChoice = ({ chosen }: { readonly chosen: '*' | readonly string[] }) => {
  const isSome = useSignal(chosen !== '*')
  const known = useApi<Coverage>('operator/coverage').data.value?.data ?? []
  const slugs = known.map(({ bookmaker }) => bookmaker)
  const others = chosen === '*' ? [] : chosen.filter((slug) => !slugs.includes(slug))
  return (
    <fieldset>
      <legend>Bookmakers</legend>
      <div class="choices">
        {(['all', 'some'] as const).map((which) => (
          <label key={which} class="choice">
            <input
              type="radio"
              name="which"
              value={which}
              checked={(which === 'some') === isSome.value}
              onChange={() => {
                isSome.value = which === 'some'
              }}
            />
            {which === 'all' ? 'all, also future ones' : 'these'}
          </label>
        ))}
      </div>
      {isSome.value ? (
        <>
          <div class="choices long" role="group" aria-label="These bookmakers">
            {known.map(({ bookmaker, displayName }) => (
              <label key={bookmaker} class="choice">
                <input
                  type="checkbox"
                  name="bookmakers"
                  value={bookmaker}
                  defaultChecked={chosen !== '*' && chosen.includes(bookmaker)}
                />
                <Name text={displayName} />
              </label>
            ))}
          </div>
          <label>
            Others, by slug <span class="soft">not in coverage yet: shown once they are</span>
            <input name="more" key={others.join()} defaultValue={others.join(', ')} autocomplete="off" />
          </label>
        </>
      ) : null}
    </fieldset>
  )
}
