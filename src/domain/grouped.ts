/** A count with its digits in groups: `12,345`. Not by Intl, whose first use costs a start 30 ms. */
export const grouped = (count: number): string => String(count).replace(/\B(?=(?:\d{3})+$)/g, ',')
