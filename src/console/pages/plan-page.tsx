// What the organization has.

import { useApi } from '../loading.ts'
import { urlOf } from '../place.ts'
import type { Organization, Usage } from '../portal-data.ts'
import { limitText, sportName } from '../wording.ts'
import { Card, Fault, Loading, Name, PageHead, Pill } from '../widgets.tsx'
import { WithSession } from '../with-session.tsx'
import { QuotaBar } from './quota-bar.tsx'

export const PlanPage = () => <WithSession title="Plan">{() => <Plan />}</WithSession>

const CHANNEL_NAMES: Readonly<Record<string, string>> = {
  rest: 'REST',
  live: 'live: STOMP, WebSocket, SSE',
  history: 'history',
}

const Plan = () => {
  const { data, fault } = useApi<Organization>('organization')
  const usage = useApi<Usage>('usage').data.value
  const organization = data.value
  if (organization === undefined)
    return fault.value === undefined ? <Loading what="your plan" /> : <Fault fault={fault.value} />
  const { plan, bookmakers, sports, channels, names } = organization
  return (
    <>
      <PageHead title="Plan" lead={<Name text={organization.name} />} />
      <div class="cards">
        <Card title="Terms">
          <p class="figure">{plan.name}</p>
          <dl class="facts">
            <dt>Requests per hour</dt>
            <dd>{limitText(plan.hourlyLimit)}</dd>
            <dt>REST requests per month</dt>
            <dd>{limitText(plan.monthlyQuota)}</dd>
            <dt>Live channel</dt>
            <dd>{plan.liveEnabled ? 'yes' : 'no'}</dd>
          </dl>
          <p>
            <a href={urlOf('billing')}>All plans, and how to get another one</a>
          </p>
        </Card>
        <Card title="Used">
          {usage === undefined ? (
            <Loading what="your usage" />
          ) : (
            <>
              <QuotaBar name="This hour" quota={usage.quota.hour} />
              <QuotaBar name="This month" quota={usage.quota.month} />
            </>
          )}
        </Card>
      </div>
      <Card title="What you may see">
        <h3>Channels</h3>
        <p class="pills">
          {channels.map((channel) => (
            <Pill kind="">{CHANNEL_NAMES[channel] ?? channel}</Pill>
          ))}
        </p>
        <h3>Sports</h3>
        <p class="pills">
          {sports.map((sport) => (
            <Pill kind="">{sportName(sport)}</Pill>
          ))}
        </p>
        <h3>Bookmakers</h3>
        {bookmakers === '*' ? <p>Every bookmaker of this service, new ones included.</p> : null}
        <p class="pills">
          {Object.values(names).map((name) => (
            <Pill kind="">
              <Name text={name} />
            </Pill>
          ))}
        </p>
      </Card>
    </>
  )
}
