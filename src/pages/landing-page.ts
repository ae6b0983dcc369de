// The page at `/` for those who are not logged in: the first steps.

import { escape, frame, type Site } from './frame.ts'

const NOT_BUILT = `<p class="notice">The browser side of the portal is not built: log in, keys and the live board are not
there. Run <code>npm run build</code>, and start the service again.</p>
`

/** The portal, at `/`. Where somebody is logged in the browser draws the overview in its place. */
export const landingPage = (site: Site): string => {
  const base = escape(`${site.publicUrl.replace(/\/+$/, '')}/api/v1`)
  const missing = site.console.of('home').scripts.length === 0 ? NOT_BUILT : ''
  return frame(
    'home',
    site,
    `<div id="app" data-waits>
<header class="hero">
<h1>Every price, the moment it changes</h1>
<p>Current odds of European bookmakers for many sports, compared: normalised to decimal odds, grouped by event, market
and outcome, each with the time at which it was observed.</p>
<p class="actions"><a class="button primary" href="./board">Open the live board</a> <a class="button" href="./login">Log
in</a></p>
</header>
${missing}<h2>First request</h2>
<p>All operations are GET and answer JSON. Put your API key in place of <code>&lt;API_KEY&gt;</code>:</p>
<pre tabindex="0"><code>curl -H 'Authorization: Bearer &lt;API_KEY&gt;' '${base}/events?sport=football&amp;limit=5'</code></pre>
<p>Use the <code>id</code> of an event from the answer to get its odds:</p>
<pre tabindex="0"><code>curl -H 'Authorization: Bearer &lt;API_KEY&gt;' '${base}/events/&lt;EVENT_ID&gt;/odds'</code></pre>
<p>The operator of this service gives you an API key. A key is shown once, when it is created.</p>
<h2>Operations</h2>
<div class="scroll" tabindex="0" role="region" aria-label="Table">
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
<li><a href="./docs/guides">Guides</a>: five minutes for <a href="./docs/guides/quick-start-rest">REST</a>, for <a
href="./docs/guides/quick-start-desk">a trading desk</a> and for <a href="./docs/guides/quick-start-engineer">engineers</a>;
a board, resuming, slow consumers, and a page for each of six STOMP clients.</li>
<li><a href="./reference">Reference</a>: REST with a console, and the live channel.</li>
<li><a href="./docs/coverage">Coverage</a>: bookmakers and sports, and when they were verified.</li>
<li><a href="./api/v1/spec">The OpenAPI document</a>: every parameter, field and answer.</li>
<li><a href="./docs/errors">Errors</a>: every code, what it means and what to do about it.</li>
<li><a href="./billing">Plans and billing</a>: limits, and how to get another plan.</li>
<li><a href="./docs/changelog">Changelog</a>, and <a href="./llms.txt">llms.txt</a>: all documents as plain text.</li>
</ul>
</div>`,
  )
}
