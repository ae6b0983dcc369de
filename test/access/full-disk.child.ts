// Admits requests on demand, on a disk that its parent fills or forbids. Arguments: data folder, secret.
// Each message is a number of requests to try; the answer is how often each code came. To the message `problems` the
// answer is what is reported of the store, and how often writing began to fail and worked again.

import { Access } from '../../src/access/access.ts'
import { isFault } from '../../src/access/fault.ts'
import { LIMITS } from '../../src/limits.ts'
import { isRefusal } from '../../src/domain/refusal.ts'

const AT = Date.UTC(2026, 10, 20, 12, 30)

const [dataDir, secret] = process.argv.slice(2)
if (dataDir !== undefined) {
  // A write past the size limit must fail like any other and not end the process.
  process.on('SIGXFSZ', () => {})
  const limits = { ...LIMITS, credentialsMax: 100, ledgerDeadlineMs: 1_000 }
  const told: (string | null)[] = []
  const onUnwritable = (reason: string | undefined): void => {
    told.push(reason ?? null)
  }
  const access = await Access.open({ dataDir, numberOf: () => 1, now: () => AT, limits, onUnwritable })
  if (isFault(access)) throw new Error(access.fault)
  const answer = async (count: number | 'problems'): Promise<void> => {
    if (count === 'problems') {
      process.send!({ problems: access.problems(), told })
      return
    }
    const codes: Record<string, number> = {}
    for (let n = 0; n < count; n++) {
      const caller = access.gate.identify(undefined, secret, AT)
      const admission = isRefusal(caller) ? { refusal: caller } : await access.gate.admit(caller, 'rest', AT)
      const code = admission.refusal?.refused ?? 'admitted'
      codes[code] = (codes[code] ?? 0) + 1
    }
    process.send!(codes)
  }
  process.on('message', (count: number | 'problems') => void answer(count))
  process.once('disconnect', () => void access.close())
  process.send!('ready')
}
