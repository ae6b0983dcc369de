// The error reference, at `/docs/errors`: one anchor per code.

import { REFUSAL_STATUS, type RefusalCode } from '../domain/refusal.ts'
import { frame, type Site } from './frame.ts'

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
export const errorsPage = (site: Site): string => {
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
  return frame(
    'errors',
    site,
    `<h1>Errors</h1>
<p>An answer that is not 200 or 304 has a JSON body. Decide by <code>code</code>, which does not change; the
<code>message</code> is for people, and may.</p>
<pre tabindex="0"><code>{"error":{"code":"validation_failed","message":"…"}}</code></pre>
<ul>
${contents}
</ul>
${sections}`,
  )
}
