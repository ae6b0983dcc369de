// Outcome labels: interned, and given back when no quote uses them any more, so that years of players cost nothing.

import { outcomeSortKey } from '../domain/market.ts'
import { Interner } from './interning.ts'

export class OutcomeLabels extends Interner {
  private readonly sortKeys: string[] = ['']
  private readonly uses: number[] = [0]
  private readonly free: number[] = []

  override intern(label: string): number {
    const known = this.find(label)
    if (known !== 0) return known
    const number = super.intern(label)
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

  /** Gives one use back; with the last one the number is free for another label. */
  release(number: number): void {
    if (--this.uses[number]! > 0) return
    this.forget(number)
    this.free.push(number)
  }

  protected override freeNumber(): number {
    return this.free.pop() ?? super.freeNumber()
  }
}
