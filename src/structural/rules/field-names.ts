/** Property names in CEL expressions: keywords and names that are not identifiers are escaped. */

const keywords = new Set([
  'true',
  'false',
  'null',
  'in',
  'as',
  'break',
  'const',
  'continue',
  'else',
  'for',
  'function',
  'if',
  'import',
  'let',
  'loop',
  'package',
  'namespace',
  'return',
  'var',
  'void',
  'while',
])

const escapes: ReadonlyMap<string, string> = new Map([
  ['__', '__underscores__'],
  ['.', '__dot__'],
  ['-', '__dash__'],
  ['/', '__slash__'],
])
const unescapes: ReadonlyMap<string, string> = new Map([...escapes].map(([plain, escaped]) => [escaped, plain]))

/** Undefined if the name cannot be escaped. */
export function escapeName(name: string): string | undefined {
  if (!/^[a-zA-Z_./-][\w./-]*$/.test(name)) return undefined
  if (keywords.has(name)) return `__${name}__`
  return name.replace(/__|[-./]/g, (part) => escapes.get(part) as string)
}

/** Undefined if it is not an escaped name. */
export function unescapeName(name: string): string | undefined {
  if (!name.includes('__')) return name
  let valid = true
  const plain = name.replace(/__[^_]+__/g, (part) => {
    const known = unescapes.get(part)
    if (known !== undefined) return known
    const word = part.slice(2, -2)
    if (!keywords.has(word) || part.length !== name.length) valid = false
    return word
  })
  return valid ? plain : undefined
}
