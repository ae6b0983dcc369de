// What a service answers over HTTP, apart from the live channel: REST, its documents, and the portal.

import { fileURLToPath } from 'node:url'
import type { Access } from '../access/access.ts'
import * as clock from '../clock.ts'
import type { Settings } from '../config.ts'
import type { Engine } from '../engine/engine.ts'
import { answer, type AnswerParts } from '../explain/answer.ts'
import { LIMITS } from '../limits.ts'
import { NO_CONSOLE, readConsole } from '../pages/console-files.ts'
import { readDocuments } from '../pages/documents.ts'
import { portalPages, portalTexts } from '../pages/page-list.ts'
import { Portal, type PortalOptions } from '../portal/portal.ts'
import { Compressor } from '../rest/compressor.ts'
import { Rest } from '../rest/rest.ts'
import { asyncApiDocument, type LiveDocumentOptions } from '../stomp/asyncapi-document.ts'
import { newStatus } from './portal-parts.ts'

/** The browser side of the portal, where it is built. */
const CONSOLE = fileURLToPath(new URL('../../console/', import.meta.url))
const DOCUMENTS = fileURLToPath(new URL('../../documents.json', import.meta.url))

export interface ServicePagesParts extends Pick<PortalOptions, 'failures' | 'operator' | 'isTls'> {
  readonly settings: Settings
  /** As it is: the configured one, or one of the port in use. */
  readonly publicUrl: string
  readonly stompPort: number
  readonly engine: Engine
  readonly access: Access
  readonly explains: AnswerParts
  /** Of the live channel, for its document. */
  readonly liveLimits: LiveDocumentOptions['limits']
  readonly onFault: (error: unknown) => void
}

/** Needs the ports: addresses of this service are in pages and documents. */
export const newPages = (parts: ServicePagesParts): { readonly rest: Rest; readonly portal: Portal } => {
  const { settings, publicUrl, stompPort, isTls, engine, access, explains, liveLimits, failures, operator, onFault } =
    parts
  const browserSide = readConsole(CONSOLE) ?? NO_CONSOLE
  const documents = readDocuments(DOCUMENTS) ?? []
  const site = { console: browserSide, publicUrl, stompPort }
  const rest = new Rest({
    engine,
    access,
    publicUrl,
    documentUrl: settings.publicUrl,
    targetsMax: LIMITS.parsedTargetsMax,
    limits: LIMITS,
    cacheBytesMax: LIMITS.replyCacheBytesMax,
    compressor: new Compressor({
      bytesMin: LIMITS.gzipBytesMin,
      bytesMax: LIMITS.gzipBytesMax,
      rest: LIMITS.gzipRest,
      elapsedMs: clock.elapsedMs,
    }),
    pages: portalPages(site, {
      plans: () => access.plans().filter(({ isPublic }) => isPublic),
      coverage: () => access.registry,
      documents,
    }),
    texts: portalTexts(site, documents),
    files: browserSide.files,
    documents: {
      '/asyncapi.json': asyncApiDocument({ publicUrl, stompPort, isTls, limits: liveLimits }),
    },
    now: clock.now,
    onFault,
    onRefused: (organization, request) => access.traffic.noteRefused(organization, request),
  })
  const portal = new Portal({
    failures,
    access,
    operator,
    explain: (fields, reading) => answer(explains, fields, reading),
    status: newStatus(engine, access),
    publicUrl,
    hasPublicUrl: settings.publicUrl !== '',
    isTls,
    limits: LIMITS,
    now: clock.now,
    onFault,
  })
  return { rest, portal }
}
