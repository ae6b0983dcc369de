// Where this page is: the server says how to get from it to the root, so that everything works under any public address.

import type { Endpoints } from './snippets.ts'

const { root = './', stompPort = '' } = document.documentElement.dataset

/** The address of a path below the root, such as `portal/api/keys`. */
export const urlOf = (path: string): string => new URL(root + path, document.baseURI).href

/** WebSocket address of the live channel. */
export const liveUrl = (): string => urlOf('stomp').replace(/^http/, 'ws')

/** Where programs reach the service: the host as this page has reached it. */
export const endpoints = (): Endpoints => ({
  api: urlOf('api/v1'),
  live: liveUrl(),
  host: location.hostname,
  stompPort: Number(stompPort),
  isTls: location.protocol === 'https:',
})

/** Members of the part of the address behind `#`, such as `key=…&event=…`. */
export const hashMembers = (): URLSearchParams => new URLSearchParams(location.hash.slice(1))

/** Replaces them without a new entry in the history. */
export const setHash = (members: Readonly<Record<string, string>>): void => {
  const text = new URLSearchParams(members).toString()
  history.replaceState(null, '', text === '' ? location.pathname + location.search : `#${text}`)
}
