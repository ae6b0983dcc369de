// The plans, and how to get another one, at `/billing`.

import { escape, frame, type Site } from './frame.ts'

/** Terms of a plan on the billing page; 0 is unlimited. */
export interface PlanTerms {
  readonly name: string
  readonly hourlyLimit: number
  readonly monthlyQuota: number
  readonly liveEnabled: boolean
}

const limit = (value: number): string => (value === 0 ? 'unlimited' : value.toLocaleString('en-GB'))

/** Unlimited is the most. */
const size = ({ hourlyLimit }: PlanTerms): number => (hourlyLimit === 0 ? Number.MAX_VALUE : hourlyLimit)

/** The billing page, at `/billing`. */
export const billingPage = (site: Site, plans: readonly PlanTerms[]): string => {
  const rows = plans
    .toSorted((one, other) => size(one) - size(other) || one.name.localeCompare(other.name))
    .map(
      ({ name, hourlyLimit, monthlyQuota, liveEnabled }) => `<tr><th scope="row">${escape(name)}</th>
<td class="number">${limit(hourlyLimit)}</td><td class="number">${limit(monthlyQuota)}</td>
<td>${liveEnabled ? 'yes' : 'no'}</td></tr>`,
    )
    .join('\n')
  return frame(
    'billing',
    site,
    `<h1>Plans and billing</h1>
<p class="lead">What each plan gives, for all keys of an organization together.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Table">
<table>
<thead><tr><th scope="col">Plan</th><th scope="col" class="number">Requests per hour</th>
<th scope="col" class="number">REST requests per month</th><th scope="col">Live channel</th></tr></thead>
<tbody>
${rows}
</tbody>
</table>
</div>
<p class="soft">Hours and months are those of UTC. Requests that are refused with 401, 429 or 503 do not count.</p>
<h2>Getting another plan, or more bookmakers</h2>
<p>Ask the operator of this service. Nothing is paid here: the operator changes the plan or the bookmakers of your
organization, and the change holds for all its keys at once, without a new key.</p>
<p>A restricted key stays restricted: its scope narrows what the plan gives. If the answer is
<a href="./docs/errors#api_key_scope_denied"><code>api_key_scope_denied</code></a>, you need another key, not another
plan.</p>`,
  )
}
