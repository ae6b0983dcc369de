// SIGTERM and start under load, as an upgrade does: nothing that was confirmed is lost, and no desk misses a message.

import * as clock from '../../src/clock.ts'
import { readPoint } from '../stomp/desk.ts'
import { shownFrame } from '../stomp/strict-frames.ts'
import type { Fault } from './fault.ts'
import { spreadMs } from './fault.ts'
import { Rig } from './rig.ts'

const SHORT = 5
const LONG = 100

export const upgrades: Fault = {
  name: 'upgrade',
  promise: 'nothing confirmed is lost, desks resume without a gap, REST fails only by connections that are closed',
  async run({ isLong, runs = isLong ? LONG : SHORT, seed, folder, store, note }) {
    const rig = new Rig({ folder, store, seed })
    const { violations, record, subscriber, reader, random } = rig
    await rig.begin()
    const goneMs: number[] = []
    const downMs: number[] = []
    let run = 0
    while (run < runs && violations.count === 0) {
      run++
      await rig.receipts(random.int(1, 1_500))
      const startedMs = clock.elapsedMs()
      const code = await rig.server.end('SIGTERM')
      goneMs.push(clock.elapsedMs() - startedMs)
      violations.check(code === 0, () => `run ${run}: exit code ${code}`)
      await rig.gone()
      const { stderr } = rig.server
      await rig.start()
      downMs.push(clock.elapsedMs() - startedMs)
      violations.check(rig.server.warnings.length === 0, () => `run ${run}: ${rig.server.warnings.join('; ')}`)
      // What the desk was told as its point is at least what it has.
      const error = subscriber.end?.error
      const point = error?.headers.get('resume-from')
      if (error?.headers.get('message') !== 'server_shutdown' || point === undefined) {
        violations.add(
          `run ${run}: the desk ended with ${error === undefined ? 'no ERROR' : shownFrame(error)} ${stderr}`,
        )
        break
      }
      const { epoch, seq } = readPoint(point)
      record.sawEpoch(epoch, 'resume-from')
      violations.check(seq >= subscriber.seq, () => `run ${run}: resume-from ${seq}, the desk has ${subscriber.seq}`)
      await reader.audit(rig.server.ports.http)
      await rig.connectDesk(random.chance(0.5) ? seq : undefined)
      const compareReplay = await rig.again()
      await rig.connectPublishers()
      rig.readRest()
      await rig.receipts(1)
      await compareReplay()
      record.compare(subscriber.seq)
      violations.check(subscriber.desk.resets.length === 0, () => `run ${run}: reset ${subscriber.desk.resets}`)
      if (run % 20 === 0) note(`${run} upgrades, SIGTERM to ready ${spreadMs(downMs)}`)
    }
    await rig.quiet()
    await rig.settled()
    await reader.stop()
    await reader.audit(rig.server.ports.http)
    const statuses = Array.from(reader.others, ([status, count]) => `${count} times ${status}`)
    violations.check(statuses.length === 0, () => `REST answered ${statuses.join(', ')}`)
    const quota = rig.checkQuota(0)
    await rig.end()
    return {
      runs: run,
      seen: `${record.receipts} receipts, ${subscriber.messages} messages, ${quota}; SIGTERM to exit ${spreadMs(goneMs)}; SIGTERM to ready ${spreadMs(downMs)}`,
      violations: violations.lines,
    }
  },
}
