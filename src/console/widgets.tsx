// Parts that several pages use.

import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { ApiFault } from './portal-api.ts'
import { textPieces } from '../domain/safe-text.ts'

/** A name from outside: isolated from the direction of what is around it, hidden characters as marks. */
export const Name = ({ text }: { readonly text: string }) => (
  <bdi>{textPieces(text).map((piece) => (piece.isMark ? <span class="mark">{piece.text}</span> : piece.text))}</bdi>
)

/** What went wrong, and what to do. Read aloud when it appears. */
export const Fault = ({ fault }: { readonly fault: ApiFault | undefined }) =>
  fault === undefined ? null : (
    <p class="notice bad" role="alert">
      {fault.message} <code>{fault.code}</code>
    </p>
  )

export const Loading = ({ what }: { readonly what: string }) => (
  <p class="soft" role="status">
    Loading {what}…
  </p>
)

export const Empty = ({ children }: { readonly children: ComponentChildren }) => <p class="empty">{children}</p>

export const PageHead = ({
  title,
  children,
  lead,
}: {
  readonly title: string
  readonly lead?: ComponentChildren
  readonly children?: ComponentChildren
}) => (
  <header class="page-head">
    <div>
      <h1>{title}</h1>
      {lead === undefined ? null : <p class="lead">{lead}</p>}
    </div>
    {children === undefined ? null : <div class="actions">{children}</div>}
  </header>
)

export const Card = ({
  title,
  children,
  kind = '',
}: {
  readonly title?: string
  readonly children: ComponentChildren
  readonly kind?: string
}) => (
  <section class={`card ${kind}`}>
    {title === undefined ? null : <h2>{title}</h2>}
    {children}
  </section>
)

export const Pill = ({ kind, children }: { readonly kind: string; readonly children: ComponentChildren }) => (
  <span class={`pill ${kind}`}>{children}</span>
)

/** How well a state is. */
export const stateKind = (state: string): string =>
  state === 'live' || state === 'active' || state === 'passed' || state === 'ok'
    ? 'good'
    : state === 'late' || state === 'starting' || state === 'expired' || state === 'skipped' || state === 'unknown'
      ? 'warn'
      : state === 'down' || state === 'revoked' || state === 'failed'
        ? 'bad'
        : ''

const COPIED_MS = 2_000

export const CopyButton = ({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) => {
  const said = useSignal('')
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text)
      said.value = 'Copied'
    } catch {
      said.value = 'Select and copy it by hand'
    }
    setTimeout(() => {
      said.value = ''
    }, COPIED_MS)
  }
  return (
    <button type="button" class="small" onClick={() => void copy()}>
      <span aria-live="polite">{said.value === '' ? label : said.value}</span>
    </button>
  )
}

export const CodeBlock = ({ text, label }: { readonly text: string; readonly label: string }) => (
  <div class="code">
    <CopyButton text={text} />
    <pre tabIndex={0} role="region" aria-label={label}>
      <code>{text}</code>
    </pre>
  </div>
)

export interface Tab {
  readonly name: string
  readonly content: () => ComponentChildren
}

/** Tabs by arrow keys, as the ARIA practices have them. */
export const Tabs = ({ tabs, label }: { readonly tabs: readonly Tab[]; readonly label: string }) => {
  const chosen = useSignal(0)
  const list = useRef<HTMLDivElement>(null)
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (step === 0) return
    chosen.value = (chosen.value + step + tabs.length) % tabs.length
    list.current?.querySelectorAll('button')[chosen.value]?.focus()
  }
  return (
    <div class="tabs">
      <div role="tablist" aria-label={label} ref={list} onKeyDown={onKeyDown}>
        {tabs.map(({ name }, place) => (
          <button
            type="button"
            role="tab"
            aria-selected={place === chosen.value}
            tabIndex={place === chosen.value ? 0 : -1}
            onClick={() => {
              chosen.value = place
            }}
          >
            {name}
          </button>
        ))}
      </div>
      <div role="tabpanel" aria-label={tabs[chosen.value]!.name}>
        {tabs[chosen.value]!.content()}
      </div>
    </div>
  )
}

/** A dialog over the page; Escape closes it, and the focus returns to where it was. */
export const Dialog = ({
  title,
  onClose,
  children,
}: {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
}) => {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const before = document.activeElement
    dialog.current?.showModal()
    // When the page is no longer behind the dialog.
    return () =>
      void setTimeout(() => {
        if (before instanceof HTMLElement && before.isConnected) before.focus()
      })
  }, [])
  return (
    <dialog ref={dialog} onClose={onClose} aria-labelledby="dialog-title">
      <h2 id="dialog-title">
        <Name text={title} />
      </h2>
      {children}
    </dialog>
  )
}

/** A table that scrolls by itself where it is wider than the page. */
export const Scroll = ({ label, children }: { readonly label: string; readonly children: ComponentChildren }) => (
  <div class="scroll" tabIndex={0} role="region" aria-label={label}>
    {children}
  </div>
)
