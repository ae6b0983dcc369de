// A new key: its secret, shown once, and programs that use it.

import { useEffect, useRef } from 'preact/hooks'
import { endpoints, urlOf } from '../place.ts'
import type { NewKey } from '../portal-data.ts'
import { snippets } from '../snippets.ts'
import { CodeBlock, CopyButton, Name, Tabs } from '../widgets.tsx'

export const SecretPanel = ({ made, onClose }: { readonly made: NewKey; readonly onClose: () => void }) => {
  const panel = useRef<HTMLElement>(null)
  useEffect(() => panel.current?.focus(), [])
  return (
    <section class="card secret" ref={panel} tabIndex={-1} aria-label="The new key">
      <h2>
        <Name text={made.key.name} /> is ready
      </h2>
      <p>
        Copy the key now: <strong>it is shown this once</strong>, and the service keeps no copy of it.
      </p>
      <p class="secret-line">
        <code>{made.secret}</code>
        <CopyButton text={made.secret} label="Copy the key" />
      </p>
      <h3>Use it</h3>
      <SnippetTabs secret={made.secret} />
      <p>
        In the browser: <a href={urlOf(`board#key=${encodeURIComponent(made.secret)}`)}>the live board with this key</a>
      </p>
      <div class="actions">
        <button type="button" onClick={onClose}>
          I have copied it
        </button>
      </div>
    </section>
  )
}

export const SnippetTabs = ({ secret }: { readonly secret: string }) => (
  <Tabs
    label="Languages"
    tabs={snippets(secret, endpoints()).map(({ language, rest, live, run }) => ({
      name: language,
      content: () => (
        <div class="snippets">
          <div>
            <h4>REST {run[0] === '' ? null : <code>{run[0]}</code>}</h4>
            <CodeBlock text={rest} label={`${language}, REST`} />
          </div>
          <div>
            <h4>Live {run[1] === '' ? null : <code>{run[1]}</code>}</h4>
            <CodeBlock text={live} label={`${language}, live`} />
          </div>
        </div>
      ),
    }))}
  />
)
