// Outcome labels: interned, and released with the last quote that uses them, so that years of players cost nothing.

import { outcomeSortKey } from '../domain/market.ts'
import { Interner } from './interning.ts'
import { Holding } from './room.ts'

export class OutcomeLabels extends Interner {
  private readonly sortKeys: string[] = ['']
  private readonly uses: number[] = [0]
  private readonly owners: number[] = [0]
  private readonly free: number[] = []
  private readonly room: Holding

  constructor(room: Holding = new Holding('labels', Number.POSITIVE_INFINITY)) {
    super()
    this.room = room
  }

  /** @param bookmaker that holds the label if it is new */
  override intern(label: string, bookmaker = 0): number {
    const known = this.find(label)
    if (known !== 0) return known
    const number = super.intern(label)
    this.owners[number] = bookmaker
    this.room.add()
    this.room.addOf(bookmaker)
    this.sortKeys[number] = outcomeSortKey(label)
    this.uses[number] = 0
    return number
  }

  /** Labels of one market sort by this (`<`). */
  sortKeyOf(number: number): string {
    return this.sortKeys[number]!
  }

  usesOf(number: number): number {
    return this.uses[number]!
  }

  retain(number: number): void {
    this.uses[number]!++
  }

  /** Releases one use; with the last one the number is free for another label. */
  release(number: number): void {
    if (--this.uses[number]! > 0) return
    this.forget(number)
    this.sortKeys[number] = ''
    this.room.remove()
    this.room.removeOf(this.owners[number]!)
    this.free.push(number)
  }

  protected override freeNumber(): number {
    return this.free.pop() ?? super.freeNumber()
  }
}
