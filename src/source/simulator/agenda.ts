// The agenda of the simulator: tasks with their times, a binary heap, earliest first.

interface Entry<Task> {
  readonly at: number
  readonly ticket: number
  readonly task: Task
}

/** A task holds the ticket of its valid entry, so that rescheduling it costs no search in the heap. */
export interface Ticketed {
  ticket: number
}

/** Each task is in the agenda at most once: entering it again replaces its time. */
export class Agenda<Task extends Ticketed> {
  private readonly heap: Entry<Task>[] = []
  private tickets = 0

  /** Schedules a task for `at`. Of equal times the one entered first is first: the order never depends on chance. */
  enter(task: Task, at: number): void {
    const { heap } = this
    const entry: Entry<Task> = { at, ticket: ++this.tickets, task }
    task.ticket = entry.ticket
    let place = heap.length
    while (place > 0) {
      const parent = (place - 1) >> 1
      if (!isBefore(entry, heap[parent]!)) break
      heap[place] = heap[parent]!
      place = parent
    }
    heap[place] = entry
  }

  /** Removes the earliest task that is due at `now`; undefined when none is. */
  next(now: number): { readonly at: number; readonly task: Task } | undefined {
    const { heap } = this
    while (heap.length > 0 && heap[0]!.at <= now) {
      const first = heap[0]!
      const last = heap.pop()!
      if (heap.length > 0) this.sink(last)
      if (first.task.ticket === first.ticket) return first
    }
    return undefined
  }

  private sink(entry: Entry<Task>): void {
    const { heap } = this
    let place = 0
    for (;;) {
      let child = 2 * place + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++
      if (!isBefore(heap[child]!, entry)) break
      heap[place] = heap[child]!
      place = child
    }
    heap[place] = entry
  }
}

const isBefore = (a: Entry<unknown>, b: Entry<unknown>): boolean =>
  a.at < b.at || (a.at === b.at && a.ticket < b.ticket)
