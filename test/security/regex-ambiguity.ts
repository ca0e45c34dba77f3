/**
 * Whether a regular expression can take more than linear time in a backtracking engine. The expression becomes an
 * automaton without empty steps (Glushkov: one state for each character class). If two different ways through it read
 * the same text and come back to the same state, the time is exponential; if one loop leads into another one by a text
 * that both can read, it is a polynomial. An expression without `^` begins with a loop over any characters, because the
 * engine tries every position. A loop after which the expression may end, without an assertion, cannot fail.
 *
 * Approximations: look-arounds read nothing, repeats with a count beyond 4 are loops, characters beyond ASCII are one.
 * They lead to more reports, not to fewer, except for backreferences, which are not understood at all.
 */

export type Ambiguity = 'linear' | 'polynomial' | 'exponential' | 'not understood'

/** ASCII, and one for all others. */
const alphabetSize = 129

type Class = Uint8Array

interface Part {
  readonly nullable: boolean
  readonly first: readonly number[]
  readonly last: readonly number[]
}

class Automaton {
  readonly classes: Class[] = []
  readonly follow: Set<number>[] = []
  /** States after which the expression has matched, whatever follows. */
  readonly safe = new Set<number>()
  /** Steps that a loop within a loop can take in two ways. */
  readonly doubled: (readonly [from: number, to: number])[] = []

  state(characters: Class): Part {
    const id = this.classes.length
    this.classes.push(characters)
    this.follow.push(new Set())
    return { nullable: false, first: [id], last: [id] }
  }

  sequence(a: Part, b: Part): Part {
    for (const from of a.last) for (const to of b.first) this.follow[from]?.add(to)
    return {
      nullable: a.nullable && b.nullable,
      first: a.nullable ? [...a.first, ...b.first] : a.first,
      last: b.nullable ? [...a.last, ...b.last] : b.last,
    }
  }

  loop(a: Part): Part {
    for (const from of a.last)
      for (const to of a.first) {
        if (this.follow[from]?.has(to) === true) this.doubled.push([from, to])
        this.follow[from]?.add(to)
      }
    return a
  }
}

const empty: Part = { nullable: true, first: [], last: [] }
const optional = (part: Part): Part => ({ ...part, nullable: true })

class NotUnderstood extends Error {}

/** Reads the syntax of JavaScript's expressions, without the flag `v`. */
class Reader {
  readonly #source: string
  readonly #automaton: Automaton
  readonly #isCaseless: boolean
  readonly #dotAll: boolean
  #at = 0

  constructor(source: string, flags: string, automaton: Automaton) {
    this.#source = source
    this.#automaton = automaton
    this.#isCaseless = flags.includes('i')
    this.#dotAll = flags.includes('s')
  }

  read(): Part {
    const part = this.#alternatives()
    if (this.#at < this.#source.length) throw new NotUnderstood(`at ${this.#at}`)
    return part
  }

  #alternatives(): Part {
    let part = this.#terms()
    while (this.#take('|')) {
      const other = this.#terms()
      part = {
        nullable: part.nullable || other.nullable,
        first: [...part.first, ...other.first],
        last: [...part.last, ...other.last],
      }
    }
    return part
  }

  #terms(): Part {
    let part = empty
    while (this.#at < this.#source.length && !')|'.includes(this.#source[this.#at] as string))
      part = this.#automaton.sequence(part, this.#term())
    return part
  }

  /** A counted repeat reads its atom several times. */
  #term(): Part {
    const start = this.#at
    const part = this.#atom()
    const end = this.#at
    const [least, most] = this.#repeat()
    if (least === 1 && most === 1) return part
    if (most > 4) {
      const loop = this.#automaton.loop(part)
      return least === 0 ? optional(loop) : loop
    }
    let all = least === 0 ? optional(part) : part
    const after = this.#at
    for (let i = 1; i < most; i++) {
      this.#at = start
      const again = this.#atom()
      if (this.#at !== end) throw new NotUnderstood('repeat')
      all = this.#automaton.sequence(all, i < least ? again : optional(again))
    }
    this.#at = after
    return most === 0 ? empty : all
  }

  #repeat(): readonly [least: number, most: number] {
    const [text, least = '', comma, most = ''] = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})/.exec(this.#source.slice(this.#at)) ?? [
      '',
    ]
    if (text === '') return [1, 1]
    this.#at += text.length
    this.#take('?')
    if (text === '*') return [0, Infinity]
    if (text === '+') return [1, Infinity]
    if (text === '?') return [0, 1]
    return [Number(least), comma === '' ? Number(least) : most === '' ? Infinity : Number(most)]
  }

  #atom(): Part {
    const char = this.#source[this.#at++] as string
    switch (char) {
      case '(':
        return this.#group()
      case '[':
        return this.#automaton.state(this.#set())
      case '.':
        return this.#automaton.state(classOf((code) => this.#dotAll || (code !== 10 && code !== 13)))
      case '^':
      case '$':
        return empty
      case '\\': {
        if (/^[bB]/.test(this.#source.slice(this.#at))) {
          this.#at++
          return empty
        }
        return this.#automaton.state(this.#escape())
      }
      default:
        return this.#automaton.state(this.#character(char.codePointAt(0) as number))
    }
  }

  #group(): Part {
    const [kind = ''] = /^\?(?::|<?[=!]|<\w+>|[ims-]+:)/.exec(this.#source.slice(this.#at)) ?? []
    this.#at += kind.length
    const part = this.#alternatives()
    if (!this.#take(')')) throw new NotUnderstood('group')
    return /[=!]$/.test(kind) ? empty : part
  }

  #set(): Class {
    const isNegated = this.#take('^')
    const found = new Uint8Array(alphabetSize)
    while (this.#source[this.#at] !== ']') {
      if (this.#at >= this.#source.length) throw new NotUnderstood('set')
      const low = this.#member()
      if (typeof low !== 'number') {
        low.forEach((isIn, code) => isIn === 1 && (found[code] = 1))
        continue
      }
      let high = low
      if (this.#source[this.#at] === '-' && this.#source[this.#at + 1] !== ']') {
        this.#at++
        const other = this.#member()
        if (typeof other !== 'number') throw new NotUnderstood('range')
        high = other
      }
      for (let code = Math.min(low, 128); code <= Math.min(high, 128); code++)
        this.#character(code).forEach((isIn, each) => isIn === 1 && (found[each] = 1))
    }
    this.#at++
    return isNegated ? classOf((code) => found[code] === 0 || code === 128) : found
  }

  #member(): number | Class {
    const char = this.#source[this.#at++] as string
    if (char !== '\\') return char.codePointAt(0) as number
    const single = this.#singleEscape()
    return single ?? this.#escape()
  }

  /** The code of an escaped character; undefined for a class. */
  #singleEscape(): number | undefined {
    const [text = '', hex, unicode] =
      /^(?:[tnrfv0b]|x([0-9a-fA-F]{2})|u\{?([0-9a-fA-F]{1,6})\}?|c[A-Z]|[^dDwWsSpP0-9kxu])/.exec(
        this.#source.slice(this.#at),
      ) ?? []
    if (text === '') return undefined
    this.#at += text.length
    const code = hex ?? unicode
    if (code !== undefined) return Number.parseInt(code, 16)
    const known: Readonly<Record<string, number>> = { t: 9, n: 10, r: 13, f: 12, v: 11, 0: 0, b: 8 }
    return known[text] ?? text.codePointAt(text.length - 1)
  }

  #escape(): Class {
    const single = this.#singleEscape()
    if (single !== undefined) return this.#character(single)
    const char = this.#source[this.#at++] as string
    const word = (code: number): boolean => code < 128 && /\w/.test(String.fromCharCode(code))
    const space = (code: number): boolean => code === 128 || /\s/.test(String.fromCharCode(code))
    const digit = (code: number): boolean => code >= 48 && code <= 57
    switch (char) {
      case 'd':
        return classOf(digit)
      case 'D':
        return classOf((code) => !digit(code))
      case 'w':
        return classOf(word)
      case 'W':
        return classOf((code) => !word(code))
      case 's':
        return classOf(space)
      case 'S':
        return classOf((code) => code === 128 || !space(code))
      case 'p':
      case 'P': {
        const [text = ''] = /^\{[^}]*\}/.exec(this.#source.slice(this.#at)) ?? []
        this.#at += text.length
        return classOf(() => true)
      }
      default:
        throw new NotUnderstood(`\\${char}`)
    }
  }

  #character(code: number): Class {
    const lower = this.#isCaseless && code < 128 ? String.fromCharCode(code).toLowerCase().charCodeAt(0) : code
    const upper = this.#isCaseless && code < 128 ? String.fromCharCode(code).toUpperCase().charCodeAt(0) : code
    return classOf((each) => each === Math.min(code, 128) || each === lower || each === upper)
  }

  #take(char: string): boolean {
    if (this.#source[this.#at] !== char) return false
    this.#at++
    return true
  }
}

function classOf(isIn: (code: number) => boolean): Class {
  return Uint8Array.from({ length: alphabetSize }, (_, code) => (isIn(code) ? 1 : 0))
}

function overlap(...classes: readonly Class[]): boolean {
  for (let code = 0; code < alphabetSize; code++) if (classes.every((each) => each[code] === 1)) return true
  return false
}

export function ambiguityOf(source: string, flags = ''): Ambiguity {
  const automaton = new Automaton()
  try {
    const isAnchored = source.startsWith('^') || flags.includes('y')
    const start = isAnchored ? empty : optional(automaton.loop(automaton.state(classOf(() => true))))
    const { last } = automaton.sequence(start, new Reader(source, flags, automaton).read())
    if (!/\$|\\b|\(\?<?[=!]/.test(source)) for (const state of last) automaton.safe.add(state)
  } catch (error) {
    if (error instanceof NotUnderstood) return 'not understood'
    throw error
  }
  if (isExponential(automaton)) return 'exponential'
  return isPolynomial(automaton) ? 'polynomial' : 'linear'
}

/** Which tuples of states are reached from `start`, in steps by which all of them read the same character. */
function reached(automaton: Automaton, start: readonly number[], goal: (tuple: readonly number[]) => boolean): boolean {
  const seen = new Set<string>()
  const waiting: (readonly number[])[] = [start]
  for (let tuple = waiting.pop(); tuple !== undefined; tuple = waiting.pop()) {
    for (const next of steps(automaton, tuple)) {
      if (goal(next)) return true
      const key = next.join()
      if (seen.has(key)) continue
      seen.add(key)
      waiting.push(next)
    }
  }
  return false
}

function steps({ classes, follow }: Automaton, tuple: readonly number[]): readonly (readonly number[])[] {
  let found: number[][] = [[]]
  for (const state of tuple) {
    const longer: number[][] = []
    for (const prefix of found)
      for (const next of follow[state] ?? []) {
        if (overlap(...[...prefix, next].map((each) => classes[each] as Class))) longer.push([...prefix, next])
      }
    found = longer
  }
  return found
}

/** A state that is reached from itself by two different ways which read the same. */
function isExponential(automaton: Automaton): boolean {
  if (automaton.doubled.some(([from, to]) => !automaton.safe.has(from) || !automaton.safe.has(to))) return true
  return automaton.classes.some((_, state) => {
    if (automaton.safe.has(state)) return false
    const apart: (readonly number[])[] = []
    reached(automaton, [state, state], (tuple) => {
      if (tuple[0] !== tuple[1]) apart.push(tuple)
      return false
    })
    return apart.some((pair) => reached(automaton, pair, ([a, b]) => a === state && b === state))
  })
}

/** A loop that leads to another one: p to p, p to q and q to q by the same text. */
function isPolynomial(automaton: Automaton): boolean {
  const states = automaton.classes.map((_, state) => state)
  const loops = states.filter((state) => reached(automaton, [state], ([next]) => next === state))
  for (const p of loops)
    for (const q of loops) {
      if (automaton.safe.has(q) || p === q || !reached(automaton, [p], ([next]) => next === q)) continue
      if (reached(automaton, [p, p, q], ([a, b, c]) => a === p && b === q && c === q)) return true
    }
  return false
}
