// British local time: GMT, an hour ahead from the last Sunday of March to the last Sunday of October, both at 01:00 UTC
// (the Summer Time Order 2002; the same days since 1998). Needs no time zone data, which a small ICU may lack.

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const MARCH = 2
const OCTOBER = 9

/** When the clocks change: 01:00 UTC on the last Sunday of a month of 31 days. */
const lastSundayAt = (year: number, month: number): number => {
  const lastDayAt = Date.UTC(year, month, 31, 1)
  return lastDayAt - new Date(lastDayAt).getUTCDay() * DAY_MS
}

// Files until 2017 write the year with two digits; the oldest season began in 1993.
const DATE = /^(\d{2})\/(\d{2})\/(\d{4}|\d{2})$/
const FIRST_YEAR = 1993
const TIME = /^([01]\d|2[0-3]):([0-5]\d)$/

/** 00:00 UTC of a date (`16/08/2024`, `16/08/24`); undefined where it is invalid. */
const dayOf = (date: string): number | undefined => {
  const [, day, month, year] = DATE.exec(date) ?? []
  if (year === undefined) return undefined
  const century = year.length === 4 ? 0 : Number(year) < FIRST_YEAR % 100 ? 2000 : 1900
  const fullYear = century + Number(year)
  if (fullYear < FIRST_YEAR) return undefined
  const at = Date.UTC(fullYear, Number(month) - 1, Number(day))
  const there = new Date(at)
  // 31 June has become 1 July.
  return there.getUTCDate() === Number(day) && there.getUTCMonth() === Number(month) - 1 ? at : undefined
}

/** Epoch ms of 12:00 UTC of a date without a time; undefined where it is invalid. */
export const parseDateOnly = (date: string): number | undefined => {
  const day = dayOf(date)
  return day === undefined ? undefined : day + 12 * HOUR_MS
}

/**
 * Epoch ms of a date and time (`20:00`) in British local time; undefined where they are invalid. An hour that occurs
 * twice in October is the first one; one that is skipped in March is read as GMT.
 */
export const parseBritishTime = (date: string, time: string): number | undefined => {
  const day = dayOf(date)
  const [, hour, minute] = TIME.exec(time) ?? []
  if (day === undefined || hour === undefined || day < Date.UTC(1998, 0)) return undefined
  const asGmt = day + Number(hour) * HOUR_MS + Number(minute) * MINUTE_MS
  const year = new Date(day).getUTCFullYear()
  const asSummer = asGmt - HOUR_MS
  const isSummer = asSummer >= lastSundayAt(year, MARCH) && asSummer < lastSundayAt(year, OCTOBER)
  return isSummer ? asSummer : asGmt
}
