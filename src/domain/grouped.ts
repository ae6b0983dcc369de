/** A count with its digits in groups: `12,345`. Not by Intl: its first use is a noticeable part of a start. */
export const grouped = (count: number): string => String(count).replace(/\B(?=(?:\d{3})+$)/g, ',')
