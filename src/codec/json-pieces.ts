/**
 * Parses large JSON text in pieces, between which other work can run: JSON.parse takes half a second for 3 MB of nested
 * lists. Small objects and lists that follow each other are one piece; those that are larger than a piece are made of
 * several. One pass finds the pieces, and JSON.parse checks their syntax.
 */
import { setOwn, type Json, type JsonObject } from '../api/json.ts'
import { closingQuote, countKeys } from './json-scan.ts'

/** Characters of a piece: a millisecond or two. */
const pieceLength = 16_384

const blankText = /^[ \t\n\r]*$/

interface Pieces {
  readonly text: string
  /** Characters of a piece. */
  readonly length: number
  /** The keys in the text. */
  readonly most: number
  /** The keys in the values so far. A duplicate key is not counted. */
  keys: number
}

/** `most`: the number of keys in the text. `keys` of the result is lower if some are duplicate. Throws SyntaxError. */
export function* parsePieces(
  text: string,
  most: number,
  length = pieceLength,
): Generator<void, { value: Json; keys: number }> {
  const pieces: Pieces = { text, length, most, keys: 0 }
  const open: Container[] = []
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 34) {
      i = closingQuote(text, i + 1)
      if (i < 0) throw new SyntaxError()
    } else if (code === 123 || code === 91) {
      const container = (open[depth++] ??= new Container(pieces))
      container.begin(i, code === 91)
    } else if (code === 44) {
      if (containerAt(open, depth - 1).separate(i)) yield
    } else if (code === 125 || code === 93) {
      const container = containerAt(open, --depth)
      if (container.isList !== (code === 93)) throw new SyntaxError()
      // A small one is a part of a piece.
      if (i - container.start < length) continue
      const value = container.end(i)
      yield
      if (depth > 0) containerAt(open, depth - 1).add(container.start, i + 1, value)
      else if (blankText.test(text.slice(0, container.start)) && blankText.test(text.slice(i + 1)))
        return { value, keys: pieces.keys }
      else throw new SyntaxError()
    }
  }
  const value = JSON.parse(text) as Json
  return { value, keys: countKeys(value, most) }
}

function containerAt(open: readonly Container[], depth: number): Container {
  const container = open[depth]
  if (depth < 0 || container === undefined) throw new SyntaxError()
  return container
}

/** An open object or list, with those of its members that are parsed. */
class Container {
  readonly #pieces: Pieces
  start = 0
  isList = false
  #list: Json[] = []
  #object: JsonObject = {}
  /** Where the next piece begins. */
  #from = 0
  #lastComma = -1
  /** What the text at `#from` is. */
  #after: 'opening' | 'comma' | 'member' = 'opening'

  constructor(pieces: Pieces) {
    this.#pieces = pieces
  }

  /** Containers of the same depth are one after the other in one of these. */
  begin(start: number, isList: boolean): void {
    this.start = start
    this.isList = isList
    this.#from = start + 1
    this.#lastComma = -1
    this.#after = 'opening'
  }

  /** A comma between members. Returns whether it ends a piece. */
  separate(at: number): boolean {
    this.#lastComma = at
    if (this.#after !== 'member' && at - this.#from < this.#pieces.length) return false
    this.#parseUntil(at)
    this.#from = at + 1
    this.#after = 'comma'
    return true
  }

  /** Adds a member that is not a part of a piece: the container from `start` to `end`. */
  add(start: number, end: number, value: Json): void {
    if (this.#lastComma >= this.#from) {
      this.#parseUntil(this.#lastComma)
      this.#from = this.#lastComma + 1
      this.#after = 'comma'
    }
    if (this.#after === 'member') throw new SyntaxError()
    this.#makeRoom()
    const before = this.#pieces.text.slice(this.#from, start)
    if (!this.isList) this.#set(Object.keys(JSON.parse(`{${before}null}`) as JsonObject)[0] as string, value)
    else if (blankText.test(before)) this.#list.push(value)
    else throw new SyntaxError()
    this.#from = end
    this.#after = 'member'
  }

  end(at: number): Json {
    this.#parseUntil(at, this.#after === 'opening')
    return this.isList ? this.#list : this.#object
  }

  #parseUntil(end: number, mayBeEmpty = false): void {
    const text = this.#pieces.text.slice(this.#from, end)
    if (this.#after === 'member') {
      if (!blankText.test(text)) throw new SyntaxError()
      return
    }
    this.#makeRoom()
    const { most, keys } = this.#pieces
    if (this.isList) {
      const members = JSON.parse(`[${text}]`) as Json[]
      if (members.length === 0 && !mayBeEmpty) throw new SyntaxError()
      for (const member of members) this.#list.push(member)
      this.#pieces.keys = keys + countKeys(members, most - keys)
      return
    }
    const members = JSON.parse(`{${text}}`) as JsonObject
    const names = Object.keys(members)
    if (names.length === 0 && !mayBeEmpty) throw new SyntaxError()
    this.#pieces.keys = keys + countKeys(members, most - keys) - names.length
    for (const name of names) this.#set(name, members[name] as Json)
  }

  /** The first member of this container: those of an earlier one of the same depth are not its own. */
  #makeRoom(): void {
    if (this.#after !== 'opening') return
    this.#list = []
    this.#object = {}
  }

  #set(name: string, value: Json): void {
    if (!Object.hasOwn(this.#object, name)) this.#pieces.keys++
    setOwn(this.#object, name, value)
  }
}
