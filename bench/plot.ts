// Line plots as SVG, written by hand: axes with logarithmic or even steps, a line for each series, its name at its end.

export interface Series {
  readonly name: string
  readonly points: readonly (readonly [x: number, y: number])[]
  /** It is what the one before it is compared with, and has its colour. */
  readonly isDashed?: boolean
}

export interface Plot {
  readonly title: string
  /** Places on the axis, with their names; lines are drawn between the first and the last. */
  readonly xTicks: readonly (readonly [x: number, name: string])[]
  readonly yName: string
  readonly series: readonly Series[]
}

const WIDTH = 720
const HEIGHT = 400
const LEFT = 70
const RIGHT = 210
const TOP = 50
const BOTTOM = 40
const FONT_PX = 12
/** Of equal lightness, told apart also by those who do not see red or green. */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9'] as const

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const fixed = (value: number): string => String(Math.round(value * 10) / 10)

/** 1, 2, 5, 10, … around some values. */
const logTicks = (values: readonly number[]): readonly number[] => {
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const steps: number[] = []
  for (let decade = 10 ** Math.floor(Math.log10(low)); decade <= high * 10; decade *= 10) {
    steps.push(decade, 2 * decade, 5 * decade)
  }
  const first = steps.findLastIndex((step) => step <= low)
  const last = steps.findIndex((step) => step >= high)
  const all = steps.slice(Math.max(0, first), last + 1)
  // More than ten lines are too many to read: whole decades, and the ends.
  return all.length <= 10
    ? all
    : all.filter((step, place) => place === 0 || place === all.length - 1 || /^10*$|^0\.0*1$/.test(String(step)))
}

/** Places of names that stand above each other: none nearer than a line to the one above. */
const spreadOut = (wanted: readonly number[]): readonly number[] => {
  const order = wanted.map((y, place) => ({ y, place })).toSorted((a, b) => a.y - b.y)
  let lowest = Number.NEGATIVE_INFINITY
  const placed = wanted.slice()
  for (const { y, place } of order) {
    lowest = Math.max(y, lowest + FONT_PX + 2)
    placed[place] = lowest
  }
  return placed
}

/** An SVG of its own, with a white ground, so that it is read on a dark page, too. The y axis is logarithmic. */
export const svgOf = ({ title, xTicks, yName, series }: Plot): string => {
  const ys = series.flatMap(({ points }) => points.map(([, y]) => y))
  const yTicks = logTicks(ys)
  const [yLow, yHigh] = [Math.log(yTicks[0]!), Math.log(yTicks.at(-1)!)]
  const [xLow, xHigh] = [xTicks[0]![0], xTicks.at(-1)![0]]
  const xOf = (x: number): number => LEFT + ((x - xLow) / (xHigh - xLow || 1)) * (WIDTH - LEFT - RIGHT)
  const yOf = (y: number): number =>
    HEIGHT - BOTTOM - ((Math.log(y) - yLow) / (yHigh - yLow || 1)) * (HEIGHT - TOP - BOTTOM)
  const line = (x1: number, y1: number, x2: number, y2: number): string =>
    `<path d="M${fixed(x1)} ${fixed(y1)}L${fixed(x2)} ${fixed(y2)}" stroke="#ddd"/>`
  const text = (x: number, y: number, words: string, more = ''): string =>
    `<text x="${fixed(x)}" y="${fixed(y)}"${more}>${escaped(words)}</text>`
  const names = spreadOut(series.map(({ points }) => yOf(points.at(-1)![1])))
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="${FONT_PX}">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    text(LEFT, TOP - 28, title, ' font-weight="bold"'),
    text(LEFT, TOP - 10, yName, ' fill="#555"'),
    ...yTicks.flatMap((y) => [
      line(LEFT, yOf(y), WIDTH - RIGHT, yOf(y)),
      text(LEFT - 6, yOf(y) + 4, y.toLocaleString('en').replaceAll(',', ' '), ' text-anchor="end"'),
    ]),
    ...xTicks.flatMap(([x, name]) => [
      line(xOf(x), TOP, xOf(x), HEIGHT - BOTTOM),
      text(xOf(x), HEIGHT - BOTTOM + 18, name, ' text-anchor="middle"'),
    ]),
    ...series.flatMap(({ name, points, isDashed }, number) => {
      const pair = series.slice(0, number + 1).filter((each) => each.isDashed !== true).length - 1
      const colour = COLOURS[Math.max(0, pair) % COLOURS.length]!
      const way = points.map(([x, y], place) => `${place === 0 ? 'M' : 'L'}${fixed(xOf(x))} ${fixed(yOf(y))}`).join('')
      const dashes = isDashed === true ? ' stroke-dasharray="5 4"' : ''
      return [
        `<path d="${way}" fill="none" stroke="${colour}" stroke-width="2"${dashes}/>`,
        text(xOf(points.at(-1)![0]) + 8, names[number]! + 4, name, ` fill="${colour}"`),
      ]
    }),
    '</svg>',
    '',
  ].join('\n')
}
