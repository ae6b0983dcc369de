// The pages for people: portal, billing, error reference. Plain HTML that loads nothing: no script, font or image.

import { REFUSAL_STATUS, type RefusalCode } from '../domain/refusal.ts'

/** Terms of a plan on the billing page; 0 is unlimited. */
export interface PlanTerms {
  readonly name: string
  readonly hourlyLimit: number
  readonly monthlyQuota: number
  readonly liveEnabled: boolean
}

// Contrast of text and background is 7:1 or better in both schemes, of links and muted text 4.5:1 or better.
const STYLE = `
:root { color-scheme: light dark; --paper: #ffffff; --ink: #1b1f24; --soft: #57606a; --line: #d0d7de; --link: #0550ae;
  --shade: #f3f5f7 }
@media (prefers-color-scheme: dark) {
  :root { --paper: #14171c; --ink: #e8ebef; --soft: #a3adb8; --line: #3a424c; --link: #8ab8ff; --shade: #1f242b }
}
* { box-sizing: border-box }
body { margin: 0 auto; padding: 1.5rem 1.25rem 4rem; max-width: 46rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.6 system-ui, sans-serif; overflow-wrap: break-word }
a { color: var(--link) }
a:focus-visible { outline: 3px solid var(--link); outline-offset: 2px }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; margin: 0; padding: 0 0 1rem; list-style: none;
  border-bottom: 1px solid var(--line) }
nav [aria-current] { font-weight: 600; color: var(--ink); text-decoration: none }
h1 { margin: 1.5rem 0 .5rem; font-size: 1.9rem; line-height: 1.2 }
h2 { margin: 2.25rem 0 .5rem; font-size: 1.25rem; line-height: 1.3; scroll-margin-top: 1rem }
code, pre { font: .92em/1.5 ui-monospace, monospace }
code { padding: .1em .3em; border-radius: .25rem; background: var(--shade) }
pre { overflow-x: auto; padding: .9rem 1rem; border: 1px solid var(--line); border-radius: .4rem; background: var(--shade) }
pre code { padding: 0; background: none }
.scroll { overflow-x: auto }
table { width: 100%; border-collapse: collapse }
th, td { padding: .45rem .9rem .45rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top }
.number { text-align: right; font-variant-numeric: tabular-nums }
.soft { color: var(--soft) }
`

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character]!)

/** Pages and their paths below the root. */
const PATHS = { Overview: '', 'Plans and billing': 'billing', Errors: 'docs/errors' } as const

type PageName = keyof typeof PATHS

/** @param root the path from the page to the root: relative, so that the pages work under any public address */
const page = (name: PageName, root: string, title: string, body: string): string => {
  const links = Object.entries(PATHS)
    .map(([other, path]) => {
      const current = other === name ? ' aria-current="page"' : ''
      return `<li><a href="${root}${path}"${current}>${other}</a></li>`
    })
    .join('\n')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<nav aria-label="Pages">
<ul>
${links}
<li><a href="${root}api/v1/spec">OpenAPI document</a></li>
</ul>
</nav>
<main>
${body}
</main>
</body>
</html>
`
}

/** The portal, at `/`. */
export const portalPage = ({ publicUrl }: { readonly publicUrl: string }): string => {
  const base = escape(`${publicUrl.replace(/\/+$/, '')}/api/v1`)
  return page(
    'Overview',
    './',
    'oddswire: odds of European bookmakers in real time',
    `<h1>oddswire</h1>
<p>Current odds of European bookmakers for many sports, compared: normalised to decimal odds, grouped by event, market
and outcome, each with the time at which it was observed.</p>
<h2>First request</h2>
<p>All operations are GET and answer JSON. Put your API key in place of <code>&lt;API_KEY&gt;</code>:</p>
<pre><code>curl -H 'Authorization: Bearer &lt;API_KEY&gt;' '${base}/events?sport=football&amp;limit=5'</code></pre>
<p>Use the <code>id</code> of an event from the answer to get its odds:</p>
<pre><code>curl -H 'Authorization: Bearer &lt;API_KEY&gt;' '${base}/events/&lt;EVENT_ID&gt;/odds'</code></pre>
<p>The operator of this service gives you an API key. A key is shown once, when it is created.</p>
<h2>Operations</h2>
<div class="scroll">
<table>
<thead><tr><th scope="col">Path</th><th scope="col">Answers</th></tr></thead>
<tbody>
<tr><td><code>/sports</code></td><td>sports that bookmakers are verified for</td></tr>
<tr><td><code>/events</code></td><td>events with current odds, in the order of their kickoff</td></tr>
<tr><td><code>/events/{eventId}/odds</code></td><td>all odds of one event</td></tr>
<tr><td><code>/bookmakers</code></td><td>bookmakers and what they are verified for</td></tr>
<tr><td><a href="./api/v1/spec"><code>/spec</code></a></td><td>the OpenAPI 3.1 document; needs no key</td></tr>
</tbody>
</table>
</div>
<p class="soft">Paths are below <code>${base}</code>.</p>
<h2>More</h2>
<ul>
<li><a href="./api/v1/spec">The OpenAPI document</a>: every parameter, field and answer.</li>
<li><a href="./docs/errors">Errors</a>: every code, what it means and what to do about it.</li>
<li><a href="./billing">Plans and billing</a>: limits, and how to get another plan.</li>
</ul>`,
  )
}

const limit = (value: number): string => (value === 0 ? 'unlimited' : value.toLocaleString('en-GB'))

/** The billing page, at `/billing`. */
export const billingPage = (plans: readonly PlanTerms[]): string => {
  const rows = plans
    .map(
      ({ name, hourlyLimit, monthlyQuota, liveEnabled }) => `<tr><th scope="row">${escape(name)}</th>
<td class="number">${limit(hourlyLimit)}</td><td class="number">${limit(monthlyQuota)}</td>
<td>${liveEnabled ? 'yes' : 'no'}</td></tr>`,
    )
    .join('\n')
  return page(
    'Plans and billing',
    './',
    'Plans and billing: oddswire',
    `<h1>Plans and billing</h1>
<div class="scroll">
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

/** Meaning and remedy of each code (HTML). */
const REFUSALS: Readonly<Record<RefusalCode, readonly [meaning: string, remedy: string]>> = {
  validation_failed: [
    'A parameter has an invalid value: one outside its bounds, one that is no member of its list, a blank or repeated entry, a parameter given twice, or an event id that is not a number.',
    'Read the message: it names the parameter and the values that are allowed. Repeating the request as it is will fail again.',
  ],
  missing_api_key: [
    'The request carries no API key.',
    'Send it in one header: <code>Authorization: Bearer &lt;API_KEY&gt;</code> (recommended) or <code>X-Api-Key: &lt;API_KEY&gt;</code>.',
  ],
  invalid_api_key: [
    'The API key is malformed, unknown, expired or revoked, or two headers carry different keys.',
    'Check that the key is whole and unchanged, and that only one header carries it. If it has been replaced, use the new one; if not, ask the operator of this service for a new one.',
  ],
  live_not_enabled: [
    'The request asks for <code>transport=live</code>, and the plan of your organization does not have the live channel.',
    'Use <code>transport=rest</code>, or get a plan with the live channel: see <a href="../billing">plans and billing</a>.',
  ],
  forbidden: [
    'Your organization is entitled to no bookmaker that is verified for the sport of this event on this transport.',
    'Try the other transport, or ask for more bookmakers: see <a href="../billing">plans and billing</a>. The answer links there in <code>upgradeUrl</code>, and here in <code>docsUrl</code>.',
  ],
  api_key_scope_denied: [
    'The API key is restricted, and the request lies outside: another product channel, bookmaker or sport. Defaults count as asked for: <code>transport=rest</code>, and <code>sport=football</code> on <code>/bookmakers</code>.',
    'Name a channel, bookmaker and sport that the key may use, or use a key with a wider scope.',
  ],
  not_found: [
    'There is no such event, or none that your organization can see; or there is nothing at this path.',
    'Use event ids from <code>/events</code>: an event is removed when its last quote has aged out. Check the path: it must not end with a slash.',
  ],
  method_not_allowed: [
    'The path exists, but only GET, HEAD and OPTIONS are answered.',
    'Send GET. The <code>Allow</code> header says what is allowed.',
  ],
  rate_limit_exceeded: [
    'The requests of this hour, or the REST requests of this month, are used up. The message says which.',
    'Wait for the seconds in <code>Retry-After</code>, and spread your requests; <code>X-RateLimit-Remaining</code> says how many are left. For more, see <a href="../billing">plans and billing</a>.',
  ],
  service_unavailable: [
    'Limits cannot be checked or recorded just now, or the service is starting or stopping. Until then every request is refused, because none may be uncounted.',
    'Try again after a few seconds, with longer pauses each time. If it continues, contact the operator of this service.',
  ],
}

/** The error reference, at `/docs/errors`: one anchor per code. */
export const errorsPage = (): string => {
  const codes = Object.keys(REFUSAL_STATUS) as RefusalCode[]
  const sections = codes
    .map((code) => {
      const [meaning, remedy] = REFUSALS[code]
      return `<section>
<h2 id="${code}"><code>${code}</code> <span class="soft">${REFUSAL_STATUS[code]}</span></h2>
<p>${meaning}</p>
<p><strong>What to do:</strong> ${remedy}</p>
</section>`
    })
    .join('\n')
  const contents = codes.map((code) => `<li><a href="#${code}"><code>${code}</code></a></li>`).join('\n')
  return page(
    'Errors',
    '../',
    'Errors: oddswire',
    `<h1>Errors</h1>
<p>An answer that is not 200 or 304 has a JSON body. Decide by <code>code</code>, which does not change; the
<code>message</code> is for people, and may.</p>
<pre><code>{"error":{"code":"validation_failed","message":"…"}}</code></pre>
<ul>
${contents}
</ul>
${sections}`,
  )
}
