// The documents for programs that read text, at `/llms.txt` (https://llmstxt.org): what there is, in a line each.

import type { Document } from './documents.ts'

export const llmsText = (publicUrl: string, documents: readonly Document[]): string => {
  const base = publicUrl.replace(/\/+$/, '')
  const line = (path: string, title: string, summary: string): string =>
    `- [${title}](${base}/${path})${summary === '' ? '' : `: ${summary}`}`
  const of = (isWanted: (path: string) => boolean): string =>
    documents
      .filter(({ path }) => isWanted(path))
      .map(({ path, title, summary }) => line(`${path}.md`, title, summary))
      .join('\n')
  return `# oddswire

> Current odds of European bookmakers: REST for those who ask, STOMP and server-sent events for those who must know the
> moment a price changes or is suspended. One process, one board, one log.

Every operation of REST is a GET below ${base}/api/v1 with \`Authorization: Bearer <API_KEY>\`. A quote that is missing
in an answer of REST is not open or not fresh; suspensions are on the live channel. Decide by \`code\`, never by the text
of a message. Clients must tolerate new fields and values.

## Guides

${of((path) => path.startsWith('docs/guides/'))}

## Contracts

${line('api/v1/spec', 'OpenAPI', 'REST: parameters, fields, answers and examples. No key needed')}
${line('asyncapi.json', 'AsyncAPI', 'the live channel: destinations, headers, messages and examples. No key needed')}
${of((path) => path === 'docs/live-protocol')}

## Pages

${line('docs/errors', 'Errors', 'every code, what it means and what to do about it; an anchor per code')}
${line('docs/coverage', 'Coverage', 'bookmakers and sports, with their transports and last verification')}
${line('billing', 'Plans and billing', 'limits of each plan')}

## Optional

${of((path) => path === 'docs/changelog')}
`
}
