// The disk is full under load: nothing is confirmed that is not written, and what is confirmed is there afterwards.

import { Agent } from 'node:http'
import { join } from 'node:path'
import * as clock from '../../src/clock.ts'
import { shownFrame } from '../stomp/strict-frames.ts'
import { type Fault, spreadMs } from './fault.ts'
import { request } from './reader.ts'
import { Rig } from './rig.ts'
import { SmallDisk } from './small-disk.ts'

const SHORT = 2
const LONG = 20

const MEGABYTES = 24
const AWAY_S = 2

/** A run. @param isKilled while the disk is full; if not, after it */
const fillOnce = async (
  rig: Rig,
  disk: SmallDisk,
  run: number,
  isKilled: boolean,
  times: { readonly servedMs: number[]; readonly backMs: number[] },
): Promise<void> => {
  const { violations, record, subscriber, publishers, random } = rig
  await rig.receipts(random.int(100, 1_500))
  const agent = new Agent({ keepAlive: true })
  // The store may be on the full disk: who has an unlimited plan goes on.
  const path = `/events/${record.eventIds[0]}/odds`
  const statusOf = async (): Promise<number> =>
    (await request(rig.server.ports.http, path, rig.keys.desk, agent)).status
  const until = async (what: string, look: () => Promise<boolean>): Promise<void> => {
    let isSo = false
    let isLooking = false
    await rig.until(what, () => {
      if (!isLooking && !isSo) {
        isLooking = true
        void look()
          .then((is) => (isSo = is))
          .catch(() => false)
          .finally(() => (isLooking = false))
      }
      return isSo
    })
  }
  disk.fill()
  await until('/readyz reports the full disk', async () => {
    const { status, text } = await rig.server.admin('/readyz')
    return status === 503 && text.includes('the disk is full')
  })
  const troubledMs = clock.elapsedMs()
  // Those that were sent before may not be read yet, on a busy machine.
  let receiptsThen = -1
  await until('no more RECEIPTs come', async () => {
    const before = receiptsThen
    receiptsThen = record.receipts
    await rig.server.admin('/readyz')
    return record.receipts === before
  })
  violations.check(
    (await statusOf()) === 200,
    () => `run ${run}: REST did not go on while the log could not be written`,
  )
  await until('REST answers 503', async () => (await statusOf()) === 503)
  times.servedMs.push(clock.elapsedMs() - troubledMs)
  await rig.until('the desk is disconnected', () => subscriber.link!.hasEnded)
  const error = subscriber.end?.error
  // With thousands that wait, the desk may be slow beside the feeds in this process: then it has its point as well.
  const isTold =
    ['service_unavailable', 'slow_consumer'].includes(error?.headers.get('message') ?? '') &&
    error!.headers.has('resume-from')
  violations.check(
    isTold,
    () => `run ${run}: the desk ended with ${error === undefined ? 'no ERROR' : shownFrame(error)}`,
  )
  violations.check(record.receipts === receiptsThen, () => `run ${run}: RECEIPTs while the disk was full`)
  if (isKilled) await rig.server.end('SIGKILL')
  disk.free()
  const freedMs = clock.elapsedMs()
  if (!isKilled) {
    await until('/readyz is well again', async () => (await rig.server.admin('/readyz')).status === 200)
    times.backMs.push(clock.elapsedMs() - freedMs)
    violations.check((await statusOf()) === 200, () => `run ${run}: REST is not back`)
    for (const publisher of publishers) if (publisher.link?.hasEnded === false) publisher.link.destroy()
    await rig.until('publishers are disconnected', () => publishers.every(({ link }) => link!.hasEnded))
    await rig.connectDesk()
    await rig.connectPublishers()
    await rig.receipts(random.int(1, 500))
    await rig.server.end('SIGKILL')
  }
  agent.destroy()
  await rig.gone()
  await rig.start()
  await rig.reader.audit(rig.server.ports.http)
  await rig.connectDesk()
  await rig.connectPublishers()
  await rig.receipts(1)
  await rig.quiet()
  await rig.settled()
  violations.check(subscriber.desk.resets.length === 0, () => `run ${run}: reset ${subscriber.desk.resets}`)
  rig.flow()
}

export const fullDisk: Fault = {
  name: 'full-disk',
  promise: `no RECEIPT for what is not written; /readyz says so; 503 and resume-from after ${AWAY_S} s; works again without a restart; nothing is lost`,
  async run({ isLong, runs = isLong ? LONG : SHORT, seed, folder, store }) {
    const times = { servedMs: [] as number[], backMs: [] as number[] }
    const lines: string[] = []
    let receipts = 0
    for (const [half, place] of ['data', 'data/log'].entries()) {
      const disk = SmallDisk.mount(join(folder, String(half), place), MEGABYTES)
      if (typeof disk === 'string') return { skipped: disk }
      try {
        const rig = new Rig({
          folder: join(folder, String(half)),
          store,
          seed: seed + half,
          // Once few wait for the disk, once thousands.
          window: half === 0 ? 16 : 1_000,
          args: ['--log-away', String(AWAY_S), '--log-bytes-max', '8m'],
        })
        await rig.begin()
        await rig.reader.stop()
        for (let run = 1; run <= runs / 2 && rig.violations.count === 0; run++) {
          await fillOnce(rig, disk, run, (half + run) % 2 === 0, times)
        }
        await rig.end()
        lines.push(...rig.violations.lines.map((line) => `${place}: ${line}`))
        receipts += rig.record.receipts
      } finally {
        disk.unmount()
      }
    }
    return {
      runs,
      seen: `${receipts} receipts; REST went on for ${spreadMs(times.servedMs)}; ready after the space is back ${spreadMs(times.backMs)}`,
      violations: lines,
    }
  },
}
