/**
 * `'%s is %d'.format([a, b])`: parses the format. Also used to check a literal format when only the types of the
 * arguments are known.
 */
import { goQuote } from '../../../api/go-format.ts'
import type { CelList, CelValue } from '../../library.ts'
import { atoiProblem } from '../standard/go-numbers.ts'
import {
  binaryClause,
  decimalClause,
  fixedClause,
  FormatError,
  hexClause,
  octalClause,
  scientificClause,
  stringClause,
} from './format-clauses.ts'

export type ClauseLetter = 's' | 'd' | 'f' | 'e' | 'b' | 'x' | 'X' | 'o'

/** Throws {@link FormatError}. */
export function formatText(format: string, args: CelList): string {
  return readFormat(format, args.size, (letter, precision, index) => show(letter, precision, args.at(index)))
}

/**
 * Copies the format and replaces each clause by the result of `fill`. If `fill` throws a {@link FormatError}, the
 * position is added to its message. Throws {@link FormatError}.
 */
export function readFormat(
  format: string,
  size: number,
  fill: (letter: ClauseLetter, precision: number | undefined, index: number) => string,
): string {
  let built = ''
  let at = 0
  let index = 0
  while (at < format.length) {
    const percent = format.indexOf('%', at)
    if (percent === -1) break
    built += format.slice(at, percent)
    if (format.charAt(percent + 1) === '%') {
      built += '%'
      at = percent + 2
      continue
    }
    if (index >= size) throw new FormatError(`index ${index} out of range`)
    if (percent + 1 >= format.length) throw new FormatError('unexpected end of string')
    const clause = readClause(format, percent + 1)
    built += filled(() => fill(clause.letter, clause.precision, index))
    at = clause.end
    index++
  }
  return built + format.slice(at)
}

function filled(fill: () => string): string {
  try {
    return fill()
  } catch (error) {
    if (error instanceof FormatError) throw new FormatError(`error during formatting: ${error.message}`)
    throw error
  }
}

interface ReadClause {
  readonly letter: ClauseLetter
  readonly precision: number | undefined
  readonly end: number
}

const letters: ReadonlySet<string> = new Set(['s', 'd', 'f', 'e', 'b', 'x', 'X', 'o'])

function readClause(format: string, start: number): ReadClause {
  let at = start
  let precision: number | undefined
  if (format.charAt(at) === '.') {
    do at++
    while (isDigit(format.charCodeAt(at)))
    if (at >= format.length) throw clauseError(precisionError('could not find end of precision specifier'))
    precision = readPrecision(format.slice(start + 1, at))
  }
  const letter = format.charAt(at)
  if (letters.has(letter)) return { letter: letter as ClauseLetter, precision, end: at + 1 }
  // Upstream reads bytes: of a multi-byte character, it names the first byte.
  const byte = Buffer.from(String.fromCodePoint(format.codePointAt(at) as number))[0] as number
  throw clauseError(`unrecognized formatting clause "${String.fromCharCode(byte)}"`)
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

function readPrecision(digits: string): number {
  const problem = atoiProblem(digits)
  if (problem === undefined) return Number(digits)
  const parsing = `strconv.Atoi: parsing ${goQuote(digits)}: ${problem}`
  throw clauseError(precisionError(`error while converting precision to integer: ${parsing}`))
}

function precisionError(problem: string): string {
  return `error while parsing precision: ${problem}`
}

function clauseError(problem: string): FormatError {
  return new FormatError(`could not parse formatting clause: ${problem}`)
}

function show(letter: ClauseLetter, precision: number | undefined, value: CelValue): string {
  switch (letter) {
    case 's':
      return stringClause(value)
    case 'd':
      return decimalClause(value)
    case 'f':
      return fixedClause(value, precision)
    case 'e':
      return scientificClause(value)
    case 'b':
      return binaryClause(value)
    case 'x':
      return hexClause(value)
    case 'X':
      return hexClause(value).toUpperCase()
    case 'o':
      return octalClause(value)
  }
}
