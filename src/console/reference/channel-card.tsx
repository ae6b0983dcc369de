// A channel of the live channel: its address, who sends what there, and the frames with their headers, bodies and examples.

import { CodeBlock } from '../widgets.tsx'
import { type AsyncApi, type AsyncOperation, type Channel, type Example, fieldsOf, type Message } from './contract.ts'
import { FieldList, Fields } from './fields.tsx'
import { Inline, Prose } from './prose.tsx'

export const channelAnchor = (name: string): string => `live-${name}`

const operationsOf = ({ operations }: AsyncApi, name: string): readonly AsyncOperation[] =>
  Object.values(operations).filter(({ channel }) => channel.$ref === `#/channels/${name}`)

export const ChannelCard = ({
  name,
  channel,
  document,
}: {
  readonly name: string
  readonly channel: Channel
  readonly document: AsyncApi
}) => {
  const { address, summary, description, parameters, messages = {} } = channel
  return (
    <section class="card operation" id={channelAnchor(name)}>
      <h2>
        <span class="method">{name === 'stream' ? 'GET' : 'STOMP'}</span> <code>{address ?? name}</code>
      </h2>
      <p>
        <strong>
          <Inline text={summary ?? ''} />
        </strong>
      </p>
      <Prose text={description} kind="soft" />
      <p class="soft">
        {/* The document is the view of the service: what it receives, a client sends. */}
        {[...new Set(operationsOf(document, name).map(({ action }) => action))]
          .map((action) => (action === 'receive' ? 'You send.' : 'You receive.'))
          .join(' ')}
      </p>
      {parameters === undefined ? null : (
        <Fields
          title="Segments"
          document={document}
          schema={{ properties: parameters, required: Object.keys(parameters) }}
        />
      )}
      {Object.entries(messages).map(([kind, message]) => (
        <MessagePart kind={kind} message={message} document={document} />
      ))}
    </section>
  )
}

const MessagePart = ({
  kind,
  message,
  document,
}: {
  readonly kind: string
  readonly message: Message
  readonly document: AsyncApi
}) => {
  const { summary, description, headers, payload, examples = [] } = message
  const command = message['x-stomp-command']
  const ofHeaders = headers === undefined ? [] : fieldsOf(document, headers)
  const ofBody = payload === undefined ? [] : fieldsOf(document, payload)
  return (
    <details class="part">
      <summary>
        <code>{command === undefined || command === kind.toUpperCase() ? kind : `${command} ${kind}`}</code>{' '}
        <span class="soft">
          <Inline text={summary ?? ''} />
        </span>
      </summary>
      <Prose text={description} />
      {ofHeaders.length === 0 ? null : (
        <>
          <h3>Headers</h3>
          <FieldList fields={ofHeaders} />
        </>
      )}
      {ofBody.length === 0 ? null : (
        <>
          <h3>Body</h3>
          <FieldList fields={ofBody} />
        </>
      )}
      {examples.map((example) => (
        <>
          <h3>
            Example: <Inline text={example.summary ?? kind} />
          </h3>
          <CodeBlock text={frameText(command, example)} label={`Example of ${kind}`} />
        </>
      ))}
    </details>
  )
}

/** As it is on the wire, with the body indented. */
const frameText = (command: string | undefined, { headers = {}, payload }: Example): string => {
  const body = payload === undefined ? '' : typeof payload === 'string' ? payload : JSON.stringify(payload, null, 2)
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}`)
  return [...(command === undefined ? [] : [command]), ...lines, '', body].join('\n').trimEnd()
}
