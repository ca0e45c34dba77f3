/**
 * Derives plural names of kinds, but only where English is unambiguous. A wrong guess would be in every URL for ever.
 */
import { SchemaError } from './node.ts'

/** Kinds with these endings have several plurals, none, or are plural already: the author must set it. */
const doubtful = [
  /[sxzhofaiu]$/, // status, index, quiz, mesh, hero, leaf, data, wiki, menu
  /(fe|um|non|rion)$/, // knife, medium, phenomenon, criterion
  /(man|child|person|mouse|louse|goose|foot|tooth|die|dice|sheep|fish|deer|cattle|people|software|hardware|equipment)$/,
  /[^a-z]$/, // a digit
]

/**
 * `WebApp` is `webapps`, `Policy` is `policies`, `Gateway` is `gateways`: an s, or ies for a y after a consonant.
 * Throws a {@link SchemaError} for a kind whose plural is ambiguous.
 */
export function pluralOf(kind: string): string {
  const singular = kind.toLowerCase()
  if (doubtful.some((ending) => ending.test(singular))) {
    throw new SchemaError(`cannot derive the plural of ${kind}: give one, as in { plural: '${singular}s' }`)
  }
  return /[^aeiou]y$/.test(singular) ? `${singular.slice(0, -1)}ies` : `${singular}s`
}
