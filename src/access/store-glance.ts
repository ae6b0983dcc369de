// A glance at the files of an open store, which shows each change of them in five calls to the system. Texts and memory of their
// own for each glance took half of its time: it comes 20 times a second, with cold caches.

import { readSync, statSync } from 'node:fs'

/** What the files show. The same object while they show the same. */
export interface Glance {
  /** The size of database and log. */
  readonly bytes: number
}

export interface GlancedPaths {
  readonly store: string
  readonly log: string
  readonly index: string
  readonly lock: string
}

/** Both copies of the header of the index (https://sqlite.org/walformat.html, 2.1): each commit writes it. */
const INDEX_WORDS = 24

const MISSING = -1n

const STAT = { bigint: true, throwIfNoEntry: false } as const

export class StoreGlance {
  private readonly paths: GlancedPaths
  private readonly index: number
  private readonly header = new Uint32Array(INDEX_WORDS)
  private readonly shownHeader = new Uint32Array(INDEX_WORDS)
  private readonly shown: bigint[] = []
  private glance: Glance | undefined

  /** @param index a descriptor of the index, as it was opened */
  constructor(paths: GlancedPaths, index: number) {
    this.paths = paths
    this.index = index
  }

  /**
   * Undefined: there is no database, or no log of it. Database and log have another time of change or size whenever they were
   * written to, and a commit of another process another header of the index. Of writes in one tick of the system's clock,
   * 10 ms at most, only the first has a time of its own: a change that follows another one so soon does not show.
   */
  look(): Glance | undefined {
    const { header, paths } = this
    const store = statSync(paths.store, STAT)
    const log = statSync(paths.log, STAT)
    const index = statSync(paths.index, STAT)
    const lock = statSync(paths.lock, STAT)
    const isWhole = readSync(this.index, header, 0, header.byteLength, 0) === header.byteLength
    if (store === undefined || log === undefined || !isWhole) return undefined
    let isNew = this.glance === undefined
    const show = (place: number, value: bigint): void => {
      if (this.shown[place] === value) return
      this.shown[place] = value
      isNew = true
    }
    show(0, store.dev)
    show(1, store.ino)
    show(2, store.size)
    show(3, store.ctimeNs)
    show(4, log.dev)
    show(5, log.ino)
    show(6, log.size)
    show(7, log.ctimeNs)
    show(8, index?.dev ?? MISSING)
    show(9, index?.ino ?? MISSING)
    show(10, lock?.dev ?? MISSING)
    show(11, lock?.ino ?? MISSING)
    if (header.some((word, place) => word !== this.shownHeader[place])) {
      this.shownHeader.set(header)
      isNew = true
    }
    if (isNew) this.glance = { bytes: Number(store.size + log.size) }
    return this.glance
  }
}
