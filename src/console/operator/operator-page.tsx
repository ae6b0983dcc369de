// The operator's view: a section at a time, named behind the number sign of the address.

import './operator.css'
import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { PageHead } from '../widgets.tsx'
import { WithSession } from '../with-session.tsx'
import { AuditSection } from './audit-section.tsx'
import { ConflictsSection } from './conflicts-section.tsx'
import { CoverageSection } from './coverage-section.tsx'
import { HealthSection } from './health-section.tsx'
import { OrganizationsSection } from './organizations-section.tsx'
import { PlansSection } from './plans-section.tsx'
import { SessionsSection } from './sessions-section.tsx'
import { SourcesSection } from './sources-section.tsx'
import { VerificationsSection } from './verifications-section.tsx'

/** By the name in the address. */
const SECTIONS: Readonly<Record<string, readonly [text: string, section: ComponentType]>> = {
  health: ['Health', HealthSection],
  sources: ['Sources', SourcesSection],
  conflicts: ['Event conflicts', ConflictsSection],
  sessions: ['Live sessions', SessionsSection],
  organizations: ['Organizations', OrganizationsSection],
  plans: ['Plans', PlansSection],
  coverage: ['Coverage', CoverageSection],
  verifications: ['Verification', VerificationsSection],
  audit: ['Audit', AuditSection],
}

const named = (): string => {
  const name = location.hash.slice(1)
  return Object.hasOwn(SECTIONS, name) ? name : 'health'
}

const chosen = signal(named())
addEventListener('hashchange', () => {
  chosen.value = named()
})

const Sections = () => {
  const list = useRef<HTMLUListElement>(null)
  const current = chosen.value
  useEffect(() => {
    // On a narrow page the sections are a line, wider than the page.
    const [line, link] = [list.current, list.current?.querySelector<HTMLElement>('[aria-current]')]
    if (line && link) line.scrollLeft = link.offsetLeft - line.offsetLeft - (line.clientWidth - link.clientWidth) / 2
  }, [current])
  return (
    <ul class="subnav" aria-label="Sections" ref={list}>
      {Object.entries(SECTIONS).map(([name, [text]]) => (
        <li key={name}>
          <a href={`#${name}`} aria-current={name === current ? 'page' : undefined}>
            {text}
          </a>
        </li>
      ))}
    </ul>
  )
}

export const OperatorPage = () => (
  <WithSession title="Operator" role="operator">
    {() => {
      const [, Section] = SECTIONS[chosen.value]!
      return (
        <>
          <PageHead title="Operator" lead="What runs, who uses it, and what they may see." />
          <Sections />
          <Section key={chosen.value} />
        </>
      )
    }}
  </WithSession>
)
