// Times of payloads: RFC 3339 date-times, into epoch ms.

const RFC_3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:([Zz])|([+-])(\d{2}):(\d{2}))$/

const DAYS_BEFORE_MONTH = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365]
const DAY_MS = 86_400_000
const DAYS_TO_1970 = 719_528

const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)

const daysInMonth = (year: number, month: number): number =>
  DAYS_BEFORE_MONTH[month]! - DAYS_BEFORE_MONTH[month - 1]! + (month === 2 && isLeap(year) ? 1 : 0)

// By hand, because `Date.UTC` takes the years 0 to 99 for 1900 to 1999.
const daysSince1970 = (year: number, month: number, day: number): number => {
  const before = year - 1
  const leaps = Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400)
  const leapDay = month > 2 && isLeap(year) ? 1 : 0
  // The year 0 is a leap year itself, hence the 1.
  return year * 365 + leaps + 1 + DAYS_BEFORE_MONTH[month - 1]! + leapDay + day - 1 - DAYS_TO_1970
}

/**
 * Epoch ms of an RFC 3339 date-time with an offset (`2026-11-20T19:03:11.482Z`, `…+01:00`), or undefined when it is none.
 * Digits past the milliseconds are cut, not rounded (FEEDS 1). A leap second (`:60`) is none.
 */
export const parseTimestamp = (text: string): number | undefined => {
  const match = RFC_3339.exec(text)
  if (match === null) return undefined
  const [, years, months, days, hours, minutes, seconds, fraction, , sign, offsetHours, offsetMinutes] = match
  const year = Number(years)
  const month = Number(months)
  const day = Number(days)
  const hour = Number(hours)
  const minute = Number(minutes)
  const second = Number(seconds)
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined
  if (hour > 23 || minute > 59 || second > 59) return undefined
  let offset = 0
  if (sign !== undefined) {
    const offsetHour = Number(offsetHours)
    const offsetMinute = Number(offsetMinutes)
    if (offsetHour > 23 || offsetMinute > 59) return undefined
    offset = (sign === '-' ? -1 : 1) * (offsetHour * 60 + offsetMinute)
  }
  const milliseconds = fraction === undefined ? 0 : Number(fraction.slice(0, 3).padEnd(3, '0'))
  return daysSince1970(year, month, day) * DAY_MS + ((hour * 60 + minute - offset) * 60 + second) * 1000 + milliseconds
}
