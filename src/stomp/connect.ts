// CONNECT: negotiates the version and reads the client's heart-beats.

import type { FrameHeaders, Version } from './frame-headers.ts'
import { type AskedHeartBeat, readHeartBeat } from './heart-beat.ts'
import { type Fault, protocolError } from './session-fault.ts'

/** The highest first. */
export const VERSIONS: readonly Version[] = ['1.2', '1.1', '1.0']

export interface ConnectFrame {
  readonly version: Version
  readonly heartBeat: AskedHeartBeat
}

export const readConnect = (headers: FrameHeaders): ConnectFrame | Fault => {
  // 1.0 trims values; in other versions none begins or ends with a space.
  const accepted = (headers.get('accept-version') ?? '1.0').split(',').map((text) => text.trim())
  const version = VERSIONS.find((each) => accepted.includes(each))
  if (version === undefined) {
    const supported = VERSIONS.toReversed()
    const fault = protocolError(`Supported versions are ${supported.join(', ')}`)
    return { ...fault, headers: [['version', supported.join(',')]] }
  }
  const heartBeat = readHeartBeat(headers.get('heart-beat'))
  if (heartBeat === undefined) return protocolError('heart-beat must be two whole numbers of ms with a comma between')
  return { version, heartBeat }
}
