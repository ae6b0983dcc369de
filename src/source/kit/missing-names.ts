// Events and runners that a source gives by id only and that have no name: they cannot be published until the operator
// supplies the names.

/** Ids kept of each kind: enough to count most recordings, and bounded for any source. */
const IDS_MAX = 1_000
const IDS_SHOWN = 3

const KINDS = ['event', 'runner'] as const

export type NamedKind = (typeof KINDS)[number]

export class MissingNames {
  private readonly ids: Readonly<Record<NamedKind, Set<string>>> = { event: new Set(), runner: new Set() }

  get isNone(): boolean {
    return KINDS.every((kind) => this.ids[kind].size === 0)
  }

  miss(kind: NamedKind, id: string): void {
    const ids = this.ids[kind]
    if (ids.size < IDS_MAX) ids.add(id)
  }

  /** It has a name now. */
  find(kind: NamedKind, id: string): void {
    this.ids[kind].delete(id)
  }

  /** `2 events (501, 502) and 1 runner (11)`; undefined: none are missing. */
  text(): string | undefined {
    const parts = KINDS.filter((kind) => this.ids[kind].size > 0).map((kind) => {
      const ids = this.ids[kind]
      const first = [...ids].slice(0, IDS_SHOWN).join(', ')
      const count = ids.size < IDS_MAX ? String(ids.size) : `${IDS_MAX} or more`
      return `${count} ${kind}${ids.size === 1 ? '' : 's'} (${first}${ids.size > IDS_SHOWN ? ', …' : ''})`
    })
    return parts.length === 0 ? undefined : parts.join(' and ')
  }
}
