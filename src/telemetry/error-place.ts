/** Where in a user's code an error comes from, and the code there. */
import { readFileSync, statSync } from 'node:fs'
import { codeFrame } from './code-frame.ts'
import { placeText, userPlaceOf, type Place } from './user-frame.ts'

/** Only sources are read: a stack may quote others. */
const source = /\.[cm]?[jt]sx?$/
const maxBytes = 4 * 1024 * 1024

/** `at src/operator.ts:12:5`, and the lines around it. No lines if the stack leads to no code of the user. */
export function placeLines(error: unknown): readonly string[] {
  const place = userPlaceOf(error)
  return place === undefined ? [] : [`at ${placeText(place)}`, ...codeAt(place)]
}

/** The lines around a place; none if they cannot be read. */
export function codeAt({ file, line, column }: Place): readonly string[] {
  if (!source.test(file)) return []
  try {
    return statSync(file).size > maxBytes ? [] : codeFrame(readFileSync(file, 'utf8'), line, column)
  } catch {
    return []
  }
}
