/** Describes JSON syntax errors with the messages of Go's decoder, by reading up to the first invalid character. */

interface Cursor {
  readonly text: string
  at: number
}

class Found extends Error {}

/** Only for text that JSON.parse rejected. */
export function describeJsonError(text: string): string {
  const cursor: Cursor = { text, at: 0 }
  try {
    value(cursor, 'looking for beginning of value')
    space(cursor)
    if (cursor.at < text.length) fail(cursor, 'after top-level value')
  } catch (error) {
    if (error instanceof Found) return error.message
    throw error
  }
  return 'invalid JSON'
}

function fail(cursor: Cursor, where: string): never {
  const point = cursor.text.codePointAt(cursor.at)
  if (point === undefined) throw new Found('unexpected end of JSON input')
  throw new Found(`invalid character ${quoteChar(point)} ${where}`)
}

/** Go quotes a byte, not a code point: for non-ASCII characters, the first byte of the UTF-8 form. */
function quoteChar(point: number): string {
  if (point === 39) return "'\\''"
  if (point === 34) return "'\"'"
  const byte = point < 128 ? point : (Buffer.from(String.fromCodePoint(point))[0] as number)
  const escapes: Record<number, string> = {
    7: '\\a',
    8: '\\b',
    9: '\\t',
    10: '\\n',
    11: '\\v',
    12: '\\f',
    13: '\\r',
    92: '\\\\',
  }
  const escape = escapes[byte]
  if (escape !== undefined) return `'${escape}'`
  if (byte < 32 || byte === 127) return `'\\x${byte.toString(16).padStart(2, '0')}'`
  return `'${String.fromCharCode(byte)}'`
}

function space(cursor: Cursor): void {
  while (' \t\r\n'.includes(cursor.text[cursor.at] ?? '-')) cursor.at++
}

function value(cursor: Cursor, where: string): void {
  space(cursor)
  const char = cursor.text[cursor.at]
  if (char === '{') return object(cursor)
  if (char === '[') return array(cursor)
  if (char === '"') return string(cursor)
  if (char === 't') return literal(cursor, 'true')
  if (char === 'f') return literal(cursor, 'false')
  if (char === 'n') return literal(cursor, 'null')
  if (char !== undefined && (char === '-' || isDigit(char))) return number(cursor)
  fail(cursor, where)
}

function object(cursor: Cursor): void {
  cursor.at++
  space(cursor)
  if (cursor.text[cursor.at] === '}') {
    cursor.at++
    return
  }
  for (;;) {
    space(cursor)
    if (cursor.text[cursor.at] !== '"') fail(cursor, 'looking for beginning of object key string')
    string(cursor)
    space(cursor)
    if (cursor.text[cursor.at] !== ':') fail(cursor, 'after object key')
    cursor.at++
    value(cursor, 'looking for beginning of value')
    space(cursor)
    if (cursor.text[cursor.at] === '}') break
    if (cursor.text[cursor.at] !== ',') fail(cursor, 'after object key:value pair')
    cursor.at++
  }
  cursor.at++
}

function array(cursor: Cursor): void {
  cursor.at++
  space(cursor)
  if (cursor.text[cursor.at] === ']') {
    cursor.at++
    return
  }
  for (;;) {
    value(cursor, 'looking for beginning of value')
    space(cursor)
    if (cursor.text[cursor.at] === ']') break
    if (cursor.text[cursor.at] !== ',') fail(cursor, 'after array element')
    cursor.at++
  }
  cursor.at++
}

function string(cursor: Cursor): void {
  for (cursor.at++; ; cursor.at++) {
    const char = cursor.text[cursor.at]
    if (char === '"') break
    if (char === undefined || char < ' ') fail(cursor, 'in string literal')
    if (char !== '\\') continue
    cursor.at++
    const escaped = cursor.text[cursor.at]
    if (escaped === 'u') {
      for (let i = 0; i < 4; i++) {
        cursor.at++
        if (!/[0-9a-fA-F]/.test(cursor.text[cursor.at] ?? '')) fail(cursor, 'in \\u hexadecimal character escape')
      }
    } else if (escaped === undefined || !'bfnrt\\/"'.includes(escaped)) {
      fail(cursor, 'in string escape code')
    }
  }
  cursor.at++
}

function literal(cursor: Cursor, word: string): void {
  for (const char of word) {
    if (cursor.text[cursor.at] !== char) fail(cursor, `in literal ${word} (expecting ${quoteChar(char.charCodeAt(0))})`)
    cursor.at++
  }
}

function number(cursor: Cursor): void {
  if (cursor.text[cursor.at] === '-') {
    cursor.at++
    if (!isDigit(cursor.text[cursor.at] ?? '')) fail(cursor, 'in numeric literal')
  }
  if (cursor.text[cursor.at] === '0') cursor.at++
  else digits(cursor)
  if (cursor.text[cursor.at] === '.') {
    cursor.at++
    if (!isDigit(cursor.text[cursor.at] ?? '')) fail(cursor, 'after decimal point in numeric literal')
    digits(cursor)
  }
  if (cursor.text[cursor.at] === 'e' || cursor.text[cursor.at] === 'E') {
    cursor.at++
    if (cursor.text[cursor.at] === '+' || cursor.text[cursor.at] === '-') cursor.at++
    if (!isDigit(cursor.text[cursor.at] ?? '')) fail(cursor, 'in exponent of numeric literal')
    digits(cursor)
  }
}

function digits(cursor: Cursor): void {
  while (isDigit(cursor.text[cursor.at] ?? '')) cursor.at++
}

function isDigit(char: string): boolean {
  return char >= '0' && char <= '9'
}
