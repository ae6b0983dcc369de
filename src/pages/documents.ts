// Documents for people as `npm run build` has made them of Markdown (documents.build.js), read once at the start.

import { readFileSync } from 'node:fs'
import { escape, type Site } from './frame.ts'

export interface Document {
  /** Of its page, from the root. */
  readonly path: string
  readonly title: string
  /** What it is for, without marks. */
  readonly summary: string
  readonly markdown: string
  /** With `%ROOT%` where links begin. */
  readonly html: string
}

/** @param file dist/documents.json  @returns undefined where it is not built */
export const readDocuments = (file: string): readonly Document[] | undefined => {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as readonly Document[]
  } catch {
    return undefined
  }
}

/** In programs host and port are apart, and in pages quotes are escaped. */
const TCP_ADDRESS = /localhost((?:["']|&quot;|&#39;)?)(:|,? (?:port: )?)61613/g

/** Puts the addresses of this service in place of those that documents are written with. */
export const withAddresses = (
  text: string,
  { publicUrl, stompPort }: Pick<Site, 'publicUrl' | 'stompPort'>,
): string => {
  const base = publicUrl.replace(/\/+$/, '')
  const host = /^https?:\/\/([^/:]+|\[[^\]]+\])/.exec(base)?.[1] ?? 'localhost'
  return text
    .replaceAll('http://localhost:8080', () => base)
    .replaceAll('ws://localhost:8080', () => base.replace(/^http/, 'ws'))
    .replace(TCP_ADDRESS, (_, quote: string, between: string) => `${host}${quote}${between}${stompPort}`)
}

/** The content of the page of a document. */
export const documentContent = ({ html }: Document, root: string, site: Site): string => {
  const { publicUrl, stompPort } = site
  return withAddresses(html, { publicUrl: escape(publicUrl), stompPort }).replaceAll('%ROOT%', root)
}
