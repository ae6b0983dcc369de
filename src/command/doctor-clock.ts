// What oddswire doctor says of the clock of the host.

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import * as clock from '../clock.ts'
import { fine, type Finding, note, warning, wrong } from './findings.ts'
import { markOf } from './clock-file.ts'

/** Beyond it what sources say is from the future, or too old (`skewMsMax`). */
const APART_MS_MAX = 5_000

const ASK_MS = 3_000

/** Made by systemd-timesyncd once it has set the clock. */
const SYNCHRONIZED = '/run/systemd/timesync/synchronized'

/** What the kernel says of its synchronisation, by whichever program; undefined: not known here. */
const isSynchronized = (): boolean | undefined => {
  if (existsSync(SYNCHRONIZED)) return true
  const { status, stdout } = spawnSync('timedatectl', ['show', '--property=NTPSynchronized', '--value'], {
    encoding: 'utf8',
    timeout: ASK_MS,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const answer = status === 0 ? stdout.trim() : ''
  return answer === '' ? undefined : answer === 'yes'
}

const NTP = 'keep the clock by NTP: systemctl enable --now systemd-timesyncd, or chrony'

/** @param askSystem whether the clock of the host is synchronised; undefined: not known */
export const clockFindings = (dataDir: string, askSystem: () => boolean | undefined = isSynchronized): Finding[] => {
  const synchronized = askSystem()
  const id = 'clock'
  const sync =
    synchronized === undefined
      ? note(id, 'the system does not say whether it is synchronised: see to it that NTP runs on the host')
      : synchronized
        ? fine(id, 'synchronised')
        : warning(id, 'it is not synchronised', NTP)
  return [sync, sinceFinding(dataDir)]
}

/** The clock beside the time that the last process has left. */
const sinceFinding = (dataDir: string): Finding => {
  const id = 'clock file'
  const left = markOf(dataDir)
  if (left === undefined)
    return note(id, 'there is none, or it cannot be read: the time begins at the clock of the host')
  const now = clock.ours.mark()
  const elapsedMs = now.uptimeMs - left.uptimeMs
  // After another start of the host only that time does not go back is known.
  const isExact = left.bootId !== '' && left.bootId === now.bootId && elapsedMs >= 0
  const apartMs = isExact ? now.at - (left.at + elapsedMs) : Math.min(0, now.at - left.at)
  const seconds = Math.round(Math.abs(apartMs) / 1_000)
  const advice = 'compare it with another host, and set the one that is wrong (docs/operations.md 10)'
  if (apartMs < -APART_MS_MAX) return wrong(id, `the clock is ${seconds} s behind the time of the service`, advice)
  if (apartMs > APART_MS_MAX) return warning(id, `the clock is ${seconds} s ahead of the time of the service`, advice)
  return fine(
    id,
    isExact ? 'the time of the service goes on where it was' : 'the clock has gone on since the last process',
  )
}
