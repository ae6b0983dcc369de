// British local time: GMT, an hour ahead from the last Sunday of March to the last Sunday of October, both at 01:00 UTC
// (the Summer Time Order 2002; the same days since 1998). Needs no time zone data, which a small ICU may lack.

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const MARCH = 2
const OCTOBER = 9

/** When the clocks change: 01:00 UTC on the last Sunday of a month of 31 days. */
const lastSundayAt = (year: number, month: number): number => {
  const lastDayAt = Date.UTC(year, month, 31, 1)
  return lastDayAt - new Date(lastDayAt).getUTCDay() * DAY_MS
}

const DATE = /^(\d{2})\/(\d{2})\/(\d{4})$/
const TIME = /^([01]\d|2[0-3]):([0-5]\d)$/

/**
 * Epoch ms of a date (`16/08/2024`) and time (`20:00`) in British local time; undefined where they are invalid. An hour
 * that occurs twice in October is the first one; one that is skipped in March is read as GMT.
 */
export const parseBritishTime = (date: string, time: string): number | undefined => {
  const [, day, month, year] = DATE.exec(date) ?? []
  const [, hour, minute] = TIME.exec(time) ?? []
  if (year === undefined || hour === undefined || Number(year) < 1998) return undefined
  const asGmt = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute))
  const there = new Date(asGmt)
  // 31 June has become 1 July.
  if (there.getUTCDate() !== Number(day) || there.getUTCMonth() !== Number(month) - 1) return undefined
  const asSummer = asGmt - HOUR_MS
  const isSummer = asSummer >= lastSundayAt(Number(year), MARCH) && asSummer < lastSundayAt(Number(year), OCTOBER)
  return isSummer ? asSummer : asGmt
}
