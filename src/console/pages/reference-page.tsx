// The reference of the REST interface, from its own document, with a console that sends real requests.

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { now } from '../browser-clock.ts'
import { credentialOf, keepKey, typedKey } from '../board/board-key.ts'
import { formText } from '../form-text.ts'
import { endpoints, urlOf } from '../place.ts'
import { user } from '../portal-api.ts'
import { Card, CodeBlock, Empty, Loading, PageHead } from '../widgets.tsx'

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description?: string
  readonly schema?: {
    readonly enum?: readonly string[]
    readonly default?: string | number | boolean
    readonly type?: string
  }
}

interface Operation {
  readonly summary?: string
  readonly description?: string
  readonly operationId?: string
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[]
  readonly security?: readonly unknown[]
}

interface Document {
  readonly info: { readonly version: string }
  readonly paths: Readonly<Record<string, { readonly get?: Operation }>>
  readonly components?: { readonly parameters?: Readonly<Record<string, Parameter>> }
}

const ANSWER_CHARACTERS_MAX = 20_000

/** An answer that has no end cannot be shown here. */
const isStream = (path: string): boolean => path.endsWith('/stream')

export const ReferencePage = () => {
  const document = useSignal<Document | undefined>(undefined)
  const fault = useSignal('')
  useEffect(() => {
    fetch(urlOf('api/v1/spec'))
      .then(async (answer) => {
        if (!answer.ok) throw new Error(`the service answered ${answer.status}`)
        document.value = (await answer.json()) as Document
      })
      .catch((error: unknown) => {
        fault.value = (error as Error).message
      })
  }, [])
  const known = document.value
  return (
    <>
      <PageHead
        title="Reference"
        lead="All operations, made from the document that the service checks requests against."
      >
        <a class="button" href={urlOf('api/v1/spec')}>
          OpenAPI
        </a>
        <a class="button" href={urlOf('asyncapi.json')}>
          AsyncAPI
        </a>
      </PageHead>
      {fault.value === '' ? null : (
        <p class="notice bad" role="alert">
          The document cannot be read: {fault.value}.
        </p>
      )}
      <KeyField />
      {known === undefined ? (
        fault.value === '' ? (
          <Loading what="the document" />
        ) : null
      ) : (
        Object.entries(known.paths).map(([path, { get }]) =>
          get === undefined ? null : (
            <OperationCard path={path} operation={get} parameters={parametersOf(known, get)} />
          ),
        )
      )}
    </>
  )
}

const parametersOf = (document: Document, { parameters = [] }: Operation): readonly Parameter[] =>
  parameters.flatMap((parameter) => {
    if (!('$ref' in parameter)) return [parameter]
    const found = document.components?.parameters?.[parameter.$ref.split('/').at(-1)!]
    return found === undefined ? [] : [found]
  })

const KeyField = () => {
  const key = useSignal(typedKey())
  if (user.value) return <p class="soft">Requests from this page use a key for this browser, for an hour.</p>
  return (
    <Card>
      <label>
        API key for the requests of this page. It stays in this tab.
        <input
          type="password"
          autocomplete="off"
          value={key.value}
          onInput={(event) => {
            key.value = event.currentTarget.value
            keepKey(key.value)
          }}
        />
      </label>
    </Card>
  )
}

interface Answer {
  readonly status: number
  readonly headers: string
  readonly body: string
}

const credential = credentialOf(now)

const OperationCard = ({
  path,
  operation,
  parameters,
}: {
  readonly path: string
  readonly operation: Operation
  readonly parameters: readonly Parameter[]
}) => {
  const answer = useSignal<Answer | undefined>(undefined)
  const line = useSignal('')
  const queried = parameters.filter((parameter) => parameter.in !== 'header')
  const send = async (form: HTMLFormElement): Promise<void> => {
    const data = new FormData(form)
    let target = path
    const query = new URLSearchParams()
    for (const { name, in: place } of queried) {
      const value = formText(data, name).trim()
      if (place === 'path') target = target.replace(`{${name}}`, encodeURIComponent(value))
      else if (value !== '') query.set(name, value)
    }
    const url = `${endpoints().api}${target}${query.size === 0 ? '' : `?${query.toString()}`}`
    line.value = `curl -H 'Authorization: Bearer <API_KEY>' '${url}'`
    try {
      const key = await credential().catch(() => '')
      const reply = await fetch(url, {
        cache: 'no-store',
        headers: key === '' ? {} : { Authorization: `Bearer ${key}` },
      })
      const text = await reply.text()
      answer.value = {
        status: reply.status,
        headers: [...reply.headers]
          .filter(([name]) => /^(x-|etag|retry-after|content-type|allow)/.test(name))
          .map(([name, value]) => `${name}: ${value}`)
          .join('\n'),
        body: indented(text),
      }
    } catch (error) {
      answer.value = { status: 0, headers: '', body: (error as Error).message }
    }
  }
  return (
    <section class="card operation" id={operation.operationId ?? path}>
      <h2>
        <span class="method">GET</span> <code>{path}</code>
      </h2>
      <p>
        <strong>{operation.summary}</strong>
      </p>
      {operation.description === undefined ? null : <p class="soft">{operation.description}</p>}
      {isStream(path) ? (
        <Empty>This answer has no end: open it with curl, or see it on the live board.</Empty>
      ) : (
        <form
          class="wide"
          onSubmit={(event) => {
            event.preventDefault()
            void send(event.currentTarget)
          }}
        >
          {queried.length === 0 ? null : (
            <div class="fields">
              {queried.map(({ name, required, description, schema }) => (
                <label title={description ?? ''}>
                  <span>
                    <code>{name}</code> {required === true ? <span class="soft">required</span> : null}
                  </span>
                  {schema?.enum === undefined ? (
                    <input
                      name={name}
                      required={required === true}
                      placeholder={schema?.default === undefined ? '' : String(schema.default)}
                      autocomplete="off"
                    />
                  ) : (
                    <select name={name}>
                      {required === true ? null : (
                        <option value="">{`default${schema.default === undefined ? '' : `: ${String(schema.default)}`}`}</option>
                      )}
                      {schema.enum.map((value) => (
                        <option value={value}>{value}</option>
                      ))}
                    </select>
                  )}
                </label>
              ))}
            </div>
          )}
          <button type="submit">Send</button>
        </form>
      )}
      {answer.value === undefined ? null : (
        <div class="answer" aria-live="polite">
          <CodeBlock text={line.value} label="The request" />
          <p>
            Status <strong>{answer.value.status}</strong>
          </p>
          <CodeBlock text={`${answer.value.headers}\n\n${answer.value.body}`} label="The answer" />
        </div>
      )}
    </section>
  )
}

const indented = (text: string): string => {
  try {
    const shown = JSON.stringify(JSON.parse(text), null, 2)
    return shown.length > ANSWER_CHARACTERS_MAX ? `${shown.slice(0, ANSWER_CHARACTERS_MAX)}\n… and more` : shown
  } catch {
    return text.slice(0, ANSWER_CHARACTERS_MAX)
  }
}
