/**
 * Parses times as Go does. Go accepts some texts that are not RFC 3339 (an hour of one digit), and its errors name the
 * part of the layout that did not match.
 */

export type TimeLayout = '2006-01-02T15:04:05Z07:00' | '2006-01-02T15:04:05.000000Z07:00'

export interface GoTime {
  /** Start of the second, since the epoch. */
  readonly milliseconds: number
  /** The fraction of the second, without the point; '' if there is none. */
  readonly fraction: string
}

interface Part {
  /** The part as written in the layout. */
  readonly layout: string
  readonly name: string
  readonly least: number
  readonly most: number
}

/** The separator before each part, and the part, a number of two digits. */
const parts: readonly (Part & { readonly before: string })[] = [
  { before: '-', layout: '01', name: 'month', least: 1, most: 12 },
  { before: '-', layout: '02', name: 'day', least: 0, most: 99 },
  { before: 'T', layout: '15', name: 'hour', least: 0, most: 23 },
  { before: ':', layout: '04', name: 'minute', least: 0, most: 59 },
  { before: ':', layout: '05', name: 'second', least: 0, most: 59 },
]

/** The time, or Go's error message. */
export function parseGoTime(text: string, layout: TimeLayout): GoTime | string {
  const micro = layout.includes('.')
  const quoted = quote(text)
  const cannot = (rest: string, part: string): string =>
    `parsing time ${quoted} as "${layout}": cannot parse ${quote(rest)} as "${part}"`
  const year = /^\d{4}/.exec(text)?.[0]
  if (year === undefined) return cannot(text, '2006')
  let rest = text.slice(4)
  const numbers = [Number(year)]
  for (const { before, layout: part, name, least, most } of parts) {
    if (!rest.startsWith(before)) return cannot(rest, before)
    rest = rest.slice(1)
    const digits = (part === '15' ? /^\d{1,2}/ : /^\d{2}/).exec(rest)?.[0]
    if (digits === undefined) return cannot(rest, part)
    rest = rest.slice(digits.length)
    const number = Number(digits)
    if (number < least || number > most) return `parsing time ${quoted}: ${name} out of range`
    numbers.push(number)
  }
  let fraction = ''
  if (micro) {
    const given = /^[.,]\d{6}/.exec(rest)?.[0]
    if (given === undefined) return cannot(rest, '.000000')
    fraction = given.slice(1)
    rest = rest.slice(given.length)
  } else {
    const given = /^[.,]\d+/.exec(rest)?.[0] ?? ''
    fraction = given.slice(1)
    rest = rest.slice(given.length)
  }
  let offset = 0
  if (rest.startsWith('Z')) rest = rest.slice(1)
  else {
    const zone = /^([+-])(\d{2}):(\d{2})/.exec(rest)
    if (zone === null) return cannot(rest, 'Z07:00')
    const [whole, sign, hours, minutes] = zone
    if (Number(minutes) > 60) return `parsing time ${quoted}: time zone offset minute out of range`
    if (Number(hours) > 24) return `parsing time ${quoted}: time zone offset hour out of range`
    offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -60_000 : 60_000)
    rest = rest.slice(whole.length)
  }
  if (rest !== '') return `parsing time ${quoted}: extra text: ${quote(rest)}`
  const [y = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = numbers
  const date = new Date(0)
  date.setUTCFullYear(y, month - 1, day)
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return `parsing time ${quoted}: day out of range`
  date.setUTCHours(hour, minute, second)
  return { milliseconds: date.getTime() - offset, fraction }
}

/** Non-ASCII bytes and control characters are written as `\x00`. */
function quote(text: string): string {
  if (/^[ !#-[\]-~]*$/.test(text)) return `"${text}"`
  let quoted = ''
  for (const char of text) {
    if (char === '"' || char === '\\') quoted += `\\${char}`
    else if (char >= ' ' && char <= '~') quoted += char
    else for (const byte of Buffer.from(char)) quoted += `\\x${byte.toString(16).padStart(2, '0')}`
  }
  return `"${quoted}"`
}
