// The overview: what the organization has, what to do next, and a quick start for each kind of reader.

import { now } from '../browser-clock.ts'
import { useApi } from '../loading.ts'
import { endpoints, urlOf } from '../place.ts'
import type { KeyRow, Organization, Usage } from '../portal-data.ts'
import { ago, count, limitText } from '../wording.ts'
import { Card, Fault, Loading, Name, PageHead, Tabs } from '../widgets.tsx'
import { WithSession } from '../with-session.tsx'
import { SnippetTabs } from './secret-panel.tsx'

export const OverviewPage = () => <WithSession title="Overview">{() => <Overview />}</WithSession>

const Overview = () => {
  const organization = useApi<Organization>('organization')
  const keys = useApi<{ readonly data: readonly KeyRow[] }>('keys').data.value?.data
  const usage = useApi<Usage>('usage').data.value
  const known = organization.data.value
  if (known === undefined)
    return organization.fault.value === undefined ? (
      <Loading what="your organization" />
    ) : (
      <Fault fault={organization.fault.value} />
    )
  const active = keys?.filter(({ status }) => status === 'active') ?? []
  const used = active.map(({ lastUsedAt }) => lastUsedAt).filter((at) => at !== null)
  const { plan, bookmakers, sports } = known
  return (
    <>
      <PageHead title="Overview" lead={<Name text={known.name} />}>
        <a class="button primary" href={urlOf('board')}>
          Open the live board
        </a>
      </PageHead>
      <div class="cards three">
        <Card title="Plan">
          <p class="figure">{plan.name}</p>
          <p class="soft">
            {limitText(plan.hourlyLimit)} requests per hour · live {plan.liveEnabled ? 'included' : 'not included'}
          </p>
          <a href={urlOf('plan')}>What it gives</a>
        </Card>
        <Card title="Keys">
          <p class="figure">{keys === undefined ? '–' : count(active.length)}</p>
          <p class="soft">{used.length === 0 ? 'none used yet' : `last used ${ago(used.sort().at(-1)!, now())}`}</p>
          <a href={urlOf('keys')}>Manage keys</a>
        </Card>
        <Card title="This hour">
          <p class="figure">{usage === undefined ? '–' : count(usage.quota.hour.used)}</p>
          <p class="soft">requests{plan.hourlyLimit === 0 ? ', unlimited' : ` of ${limitText(plan.hourlyLimit)}`}</p>
          <a href={urlOf('usage')}>Usage and refusals</a>
        </Card>
      </div>
      <Card title="Next steps">
        <ol class="todo">
          <Step
            done={active.length > 0}
            href="keys"
            text="Make a key"
            why="with no more rights than the program needs"
          />
          <Step done={used.length > 0} href="#quick-start" text="Send the first request" why="with a line from below" />
          <Step href="board" text="Watch a market live" why="every change, the moment it comes" />
          <Step href="explain" text="Miss a price?" why="find out which rule hides it" />
        </ol>
        <p class="soft">
          You may see {bookmakers === '*' ? 'every bookmaker' : `${count(bookmakers.length)} bookmakers`} in{' '}
          {count(sports.length)} sports.
        </p>
      </Card>
      <QuickStart />
    </>
  )
}

const Step = ({
  done,
  href,
  text,
  why,
}: {
  /** Left out: it is no step that is done once. */
  readonly done?: boolean
  readonly href: string
  readonly text: string
  readonly why: string
}) => (
  <li class={done === undefined ? 'more' : done ? 'done' : ''}>
    <a href={href.startsWith('#') ? href : urlOf(href)}>{text}</a> <span class="soft">{why}</span>
    {done ? <span class="hidden"> (done)</span> : null}
  </li>
)

const PLACEHOLDER = '<API_KEY>'

const QuickStart = () => {
  const { api, live } = endpoints()
  return (
    <Card title="Quick start">
      <div id="quick-start">
        <Tabs
          label="Readers"
          tabs={[
            {
              name: 'I poll odds (REST)',
              content: () => (
                <>
                  <ol>
                    <li>
                      <a href={urlOf('keys')}>Make a key</a> with channel <code>rest</code>.
                    </li>
                    <li>Ask for events, then for the odds of one of them by its id.</li>
                    <li>
                      Send the <code>ETag</code> back as <code>If-None-Match</code>: while nothing changed you get 304.
                    </li>
                    <li>
                      Watch <code>X-RateLimit-Remaining</code>. A refusal has a <code>code</code>;{' '}
                      <a href={urlOf('docs/errors')}>each is explained</a>.
                    </li>
                  </ol>
                  <p class="soft">
                    Everything is below <code>{api}</code>.
                  </p>
                </>
              ),
            },
            {
              name: 'I trade (live)',
              content: () => (
                <>
                  <ol>
                    <li>
                      Open <a href={urlOf('board')}>the live board</a>: what you see there is what your desk gets.
                    </li>
                    <li>
                      Subscribe to <code>/topic/odds.football.#</code> with <code>snapshot:true</code>: first the state,
                      then every change, none twice, none missing.
                    </li>
                    <li>
                      Keep the last <code>message-id</code> without a dot. After a break subscribe with it as{' '}
                      <code>from-seq</code>.
                    </li>
                    <li>
                      <code>kind:reset</code> means: throw away what you have; a snapshot follows.
                    </li>
                  </ol>
                  <p class="soft">
                    WebSocket: <code>{live}</code>
                  </p>
                </>
              ),
            },
            {
              name: 'I build on it (engineer)',
              content: () => (
                <>
                  <ol>
                    <li>
                      Generate a client from <a href={urlOf('api/v1/spec')}>OpenAPI</a>, types of the messages from{' '}
                      <a href={urlOf('asyncapi.json')}>AsyncAPI</a>; both are what runs.
                    </li>
                    <li>
                      Compare <code>X-Odds-Seq</code> of REST with the <code>seq</code> of messages: one log, one order.
                    </li>
                    <li>
                      Decide by <code>code</code>, never by the text of a message.
                    </li>
                    <li>Rotate keys with a grace period: the old one ends when you say.</li>
                  </ol>
                  <p class="soft">
                    <a href={urlOf('reference')}>Try each operation in the reference.</a>
                  </p>
                </>
              ),
            },
          ]}
        />
        <p>
          <a href={urlOf('docs/guides')}>The guides</a> go on from here: a board, resuming, slow consumers, each STOMP
          client.
        </p>
        <h3>Lines to paste</h3>
        <SnippetTabs secret={PLACEHOLDER} />
      </div>
    </Card>
  )
}
