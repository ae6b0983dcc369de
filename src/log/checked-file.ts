// Small files of the service's own, as JSON with a check sum: a flipped bit is not taken for another value.

import { readFileSync } from 'node:fs'
import { crc32 } from 'node:zlib'

/** @param value of JSON */
export const checkedText = (value: object): string => {
  const text = JSON.stringify(value)
  return `${text} ${crc32(text).toString(16)}\n`
}

/** @returns undefined: there is no such file, or it is damaged */
export const readChecked = (path: string): object | undefined => {
  try {
    const all = readFileSync(path, 'utf8')
    const end = all.lastIndexOf(' ')
    const value = JSON.parse(all.slice(0, end)) as object
    return all === checkedText(value) ? value : undefined
  } catch {
    return undefined
  }
}
