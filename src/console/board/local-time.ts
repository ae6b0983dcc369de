// Kickoffs as the visitor's clock shows them. Elsewhere the pages have UTC, as the interface does.

const DAY_AND_MINUTE = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
})
const WITH_ZONE = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'short',
})
const SECOND = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })

/** Such as `Fri, 20 Nov, 21:00`. */
export const localDayAndMinute = (at: string): string => DAY_AND_MINUTE.format(new Date(at))

/** Such as `Fri, 20 Nov 2026, 21:00 CET`. */
export const localWithZone = (at: string): string => WITH_ZONE.format(new Date(at))

/** Such as `21:03:11`. @param at epoch ms */
export const localSecond = (at: number): string => SECOND.format(at)
