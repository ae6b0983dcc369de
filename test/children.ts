// Processes that tests start. A test that fails before it has stopped its own would keep the runner waiting for ever.

import type { ChildProcess } from 'node:child_process'
import { after } from 'node:test'

/** For hooks of the file, which may still have to stop theirs in order. */
const GRACE_MS = 10_000

const running = new Set<ChildProcess>()

after(() => {
  for (const child of running) {
    const timer = setTimeout(() => child.kill('SIGKILL'), GRACE_MS)
    child.once('exit', () => clearTimeout(timer))
  }
})

/** Kills a process a while after the last test of the file, whatever became of the test that has started it. */
export const endedWithTests = <Child extends ChildProcess>(child: Child): Child => {
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}
