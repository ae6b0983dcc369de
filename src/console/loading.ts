// Data of the portal's interface, loaded when a part of a page appears, and again on request or at an interval.

import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type ApiFault, call } from './portal-api.ts'

export interface Loaded<Data> {
  readonly data: Signal<Data | undefined>
  readonly fault: Signal<ApiFault | undefined>
  /** Loads again. */
  readonly reload: () => Promise<void>
}

/** @param path below /portal/api/  @param everyMs 0: once */
export const useApi = <Data>(path: string, everyMs = 0): Loaded<Data> => {
  const data = useSignal<Data | undefined>(undefined)
  const fault = useSignal<ApiFault | undefined>(undefined)
  const reload = async (): Promise<void> => {
    const result = await call<Data>('GET', path)
    fault.value = result.fault
    // What was there stays beside the fault.
    if (result.fault === undefined) data.value = result.data
  }
  useEffect(() => {
    void reload()
    if (everyMs === 0) return undefined
    const timer = setInterval(() => {
      if (!document.hidden) void reload()
    }, everyMs)
    return () => clearInterval(timer)
  }, [path])
  return { data, fault, reload }
}
