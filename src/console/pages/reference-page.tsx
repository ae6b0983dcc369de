// The reference, from the two contracts that the service publishes of itself: REST with a console that sends real requests,
// and the live channel.

import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { keepKey, typedKey } from '../board/board-key.ts'
import { urlOf } from '../place.ts'
import { user } from '../portal-api.ts'
import { ChannelCard, channelAnchor } from '../reference/channel-card.tsx'
import type { AsyncApi, OpenApi } from '../reference/contract.ts'
import { anchorOf, OperationCard } from '../reference/operation-card.tsx'
import { Inline, Prose } from '../reference/prose.tsx'
import { Card, Loading, PageHead } from '../widgets.tsx'

const read = async <T,>(path: string, into: Signal<T | undefined>, fault: Signal<string>): Promise<void> => {
  try {
    const answer = await fetch(urlOf(path))
    if (!answer.ok) throw new Error(`the service answered ${answer.status}`)
    into.value = (await answer.json()) as T
  } catch (error) {
    fault.value = (error as Error).message
  }
}

export const ReferencePage = () => {
  const rest = useSignal<OpenApi | undefined>(undefined)
  const live = useSignal<AsyncApi | undefined>(undefined)
  const fault = useSignal('')
  useEffect(() => {
    void read('api/v1/spec', rest, fault)
    void read('asyncapi.json', live, fault)
  }, [])
  const [ofRest, ofLive] = [rest.value, live.value]
  // An anchor of the address is there only now.
  useEffect(() => {
    if (ofRest !== undefined && ofLive !== undefined && location.hash !== '')
      document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView()
  }, [ofRest, ofLive])
  return (
    <>
      <PageHead
        title="Reference"
        lead="REST and the live channel, from the documents that the service checks requests against."
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
      {ofRest === undefined || ofLive === undefined ? (
        fault.value === '' ? (
          <Loading what="the documents" />
        ) : null
      ) : (
        <>
          <Contents rest={ofRest} live={ofLive} />
          <Rest document={ofRest} />
          <Live document={ofLive} />
        </>
      )}
    </>
  )
}

const Contents = ({ rest, live }: { readonly rest: OpenApi; readonly live: AsyncApi }) => (
  <div class="contents" role="navigation" aria-label="On this page">
    <div>
      <p>
        <a href="#rest">REST</a>
      </p>
      <ul>
        {Object.entries(rest.paths).map(([path, { get }]) =>
          get === undefined ? null : (
            <li>
              <a href={`#${anchorOf(path, get)}`}>
                <code>{path}</code>
              </a>
            </li>
          ),
        )}
      </ul>
    </div>
    <div>
      <p>
        <a href="#live">Live channel</a>
      </p>
      <ul>
        {Object.keys(live.channels).map((name) => (
          <li>
            <a href={`#${channelAnchor(name)}`}>
              <code>{name}</code>
            </a>
          </li>
        ))}
        <li>
          <a href="#live-codes">Codes</a>
        </li>
      </ul>
    </div>
  </div>
)

const Rest = ({ document }: { readonly document: OpenApi }) => (
  <>
    <h2 class="part-title" id="rest">
      REST
    </h2>
    <Prose text={document.info.description} kind="soft" />
    <KeyField />
    {Object.entries(document.paths).map(([path, { get }]) =>
      get === undefined ? null : <OperationCard path={path} operation={get} document={document} />,
    )}
  </>
)

const Live = ({ document }: { readonly document: AsyncApi }) => (
  <>
    <h2 class="part-title" id="live">
      Live channel
    </h2>
    <Prose text={document.info.description} kind="soft" />
    <Card title="Where">
      <dl class="schema">
        {Object.values(document.servers).map(({ host, pathname = '', protocol, description }) => (
          <div>
            <dt>
              <code>
                {protocol}://{host}
                {pathname}
              </code>
            </dt>
            <dd>
              <Prose text={description} />
            </dd>
          </div>
        ))}
      </dl>
    </Card>
    {Object.entries(document.channels).map(([name, channel]) => (
      <ChannelCard name={name} channel={channel} document={document} />
    ))}
    <section class="card" id="live-codes">
      <h2>Codes of an ERROR</h2>
      <dl class="schema">
        {Object.entries(document['x-error-codes'] ?? {}).map(([code, meaning]) => (
          <div>
            <dt>
              <code>{code}</code>
            </dt>
            <dd>
              <Inline text={meaning} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  </>
)

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
