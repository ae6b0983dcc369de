// An operation of REST: what it takes and answers, and a form that sends it.

import { useSignal } from '@preact/signals'
import { credentialOf } from '../board/board-key.ts'
import { elapsedMs, now } from '../browser-clock.ts'
import { formText } from '../form-text.ts'
import { endpoints } from '../place.ts'
import { CodeBlock, Empty } from '../widgets.tsx'
import { type Answer, AnswerView, shownHeaders } from './answer-view.tsx'
import { type Answered, type OpenApi, type Operation, type Parameter, resolved } from './contract.ts'
import { FieldList, Fields } from './fields.tsx'
import { Prose } from './prose.tsx'

const credential = credentialOf(now)

/** An answer that has no end cannot be shown here. */
const isStream = (path: string): boolean => path.endsWith('/stream')

export const anchorOf = (path: string, { operationId }: Operation): string => operationId ?? path

const parametersOf = (document: OpenApi, { parameters = [] }: Operation): readonly Parameter[] =>
  parameters.map((parameter) => resolved<Parameter>(document, parameter as Parameter))

interface Shown {
  readonly path: string
  readonly operation: Operation
  readonly document: OpenApi
}

export const OperationCard = ({ path, operation, document }: Shown) => {
  const parameters = parametersOf(document, operation)
  return (
    <section class="card operation" id={anchorOf(path, operation)}>
      <h2>
        <span class="method">GET</span> <code>{path}</code>
      </h2>
      <p>
        <strong>{operation.summary}</strong>
      </p>
      <Prose text={operation.description} kind="soft" />
      {parameters.length === 0 ? null : (
        <details class="part">
          <summary>
            Parameters <span class="soft">({parameters.length})</span>
          </summary>
          <FieldList
            fields={parameters.map(({ name, in: place, required, description = '', schema = {} }) => ({
              path: name,
              type: [schema.type ?? 'string', place === 'query' ? '' : `in the ${place}`, defaultOf(schema.default)]
                .filter((part) => part !== '')
                .join(', '),
              isRequired: required === true,
              description,
              values: schema.enum ?? [],
            }))}
          />
        </details>
      )}
      <Answers document={document} operation={operation} />
      {isStream(path) ? (
        <Empty>This answer has no end: open it with curl, or see it on the live board.</Empty>
      ) : (
        <Console path={path} parameters={parameters.filter((parameter) => parameter.in !== 'header')} />
      )}
    </section>
  )
}

const defaultOf = (value: string | number | boolean | undefined): string =>
  value === undefined ? '' : `default ${String(value)}`

const Answers = ({ document, operation }: Pick<Shown, 'document' | 'operation'>) => {
  const answers = Object.entries(operation.responses ?? {})
  const content = Object.values(resolved<Answered>(document, answers[0]?.[1] ?? {}).content ?? {})[0]
  const example = Object.values(content?.examples ?? {})[0]?.value
  return (
    <>
      <Fields title="Fields of the answer" document={document} schema={content?.schema} />
      {example === undefined ? null : (
        <details class="part">
          <summary>Example</summary>
          <CodeBlock text={typeof example === 'string' ? example : JSON.stringify(example, null, 2)} label="Example" />
        </details>
      )}
      <details class="part">
        <summary>
          Statuses <span class="soft">({answers.length})</span>
        </summary>
        <dl class="schema">
          {answers.map(([status, answer]) => (
            <div>
              <dt>
                <code>{status}</code>
              </dt>
              <dd>
                <Prose text={resolved<Answered>(document, answer).description} />
              </dd>
            </div>
          ))}
        </dl>
      </details>
    </>
  )
}

const Console = ({ path, parameters }: { readonly path: string; readonly parameters: readonly Parameter[] }) => {
  const answer = useSignal<Answer | undefined>(undefined)
  const line = useSignal('')
  const sent = useSignal('')
  const send = async (url: string, etag: string): Promise<void> => {
    const condition = etag === '' ? '' : ` -H 'If-None-Match: ${etag}'`
    line.value = `curl -i -H 'Authorization: Bearer <API_KEY>'${condition} '${url}'`
    sent.value = url
    const key = await credential().catch(() => '')
    const headers: Record<string, string> = key === '' ? {} : { Authorization: `Bearer ${key}` }
    if (etag !== '') headers['If-None-Match'] = etag
    const startedMs = elapsedMs()
    try {
      const reply = await fetch(url, { cache: 'no-store', headers })
      const body = await reply.text()
      answer.value = {
        status: reply.status,
        tookMs: Math.round(elapsedMs() - startedMs),
        octets: new TextEncoder().encode(body).length,
        headers: shownHeaders(reply.headers),
        body,
      }
    } catch (error) {
      answer.value = { status: 0, tookMs: 0, octets: 0, headers: [], body: (error as Error).message }
    }
  }
  const sendForm = (form: HTMLFormElement): void => {
    const data = new FormData(form)
    let target = path
    const query = new URLSearchParams()
    for (const { name, in: place } of parameters) {
      const value = formText(data, name).trim()
      if (place === 'path') target = target.replace(`{${name}}`, encodeURIComponent(value))
      else if (value !== '') query.set(name, value)
    }
    void send(`${endpoints().api}${target}${query.size === 0 ? '' : `?${query.toString()}`}`, '')
  }
  const known = answer.value
  const etag = known?.headers.find(([name]) => name === 'etag')?.[1]
  return (
    <>
      <form
        class="wide"
        onSubmit={(event) => {
          event.preventDefault()
          sendForm(event.currentTarget)
        }}
      >
        {parameters.length === 0 ? null : (
          <div class="fields">
            {parameters.map((parameter) => (
              <ParameterField parameter={parameter} />
            ))}
          </div>
        )}
        <div class="actions">
          <button type="submit">Send</button>
          {etag === undefined ? null : (
            <button type="button" onClick={() => void send(sent.value, etag)}>
              Send again with this ETag
            </button>
          )}
        </div>
      </form>
      {known === undefined ? null : (
        <div class="answer" aria-live="polite">
          <CodeBlock text={line.value} label="The request" />
          <AnswerView answer={known} />
        </div>
      )}
    </>
  )
}

const ParameterField = ({ parameter }: { readonly parameter: Parameter }) => {
  const { name, required, schema } = parameter
  const isRequired = required === true
  return (
    <label>
      <span>
        <code>{name}</code> {isRequired ? <span class="soft">required</span> : null}
      </span>
      {schema?.enum === undefined ? (
        <input
          name={name}
          required={isRequired}
          placeholder={schema?.default === undefined ? '' : String(schema.default)}
          autocomplete="off"
        />
      ) : (
        <select name={name}>
          {isRequired ? null : (
            <option value="">{schema.default === undefined ? 'any' : `default: ${String(schema.default)}`}</option>
          )}
          {schema.enum.map((value) => (
            <option value={value}>{value}</option>
          ))}
        </select>
      )}
    </label>
  )
}
