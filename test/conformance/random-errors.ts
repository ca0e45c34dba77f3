/**
 * Messages of which upstream reports a random part: it iterates over maps in random order, and stops at the first field
 * that a schema does not declare, the first item without its merge key, the first invalid base64, or the first embedded
 * object whose type or metadata cannot be decoded.
 */

const undeclared = /: field not declared in schema$/
const withoutKey = /^map: map\[.*\] does not contain declared merge key: \w+$/s
const badBytes = /: error decoding from json: illegal base64 data at input byte \d+$/

const badEmbedded =
  /: [\w.[\]-]+: Invalid value: .*: (?:must be a string|json: cannot unmarshal .* of type [\w.[\]]+|parsing time .*)$/s

/** Whether both report the same kind of error. */
export function sameRandomErrors(expected: string, got: string): boolean {
  if (withoutKey.test(expected)) return withoutKey.test(got)
  if (badBytes.test(expected)) return badBytes.test(got) && expected.replace(badBytes, '') === got.replace(badBytes, '')
  if (badEmbedded.test(expected))
    return badEmbedded.test(got) && expected.replace(badEmbedded, '') === got.replace(badEmbedded, '')
  const theirs = errorsOf(expected)
  const ours = errorsOf(got)
  if (theirs === undefined || ours === undefined || theirs.head !== ours.head) return false
  if (!theirs.lines.some((line) => undeclared.test(line)) || !ours.lines.some((line) => undeclared.test(line)))
    return false
  return theirs.lines.some((line) => ours.lines.includes(line) || ours.lines.some((other) => siblings(line, other)))
}

/** Whether both fields are undeclared in the same object. */
function siblings(a: string, b: string): boolean {
  const parent = (line: string): string | undefined => {
    return undeclared.test(line) ? line.replace(undeclared, '').replace(/\.example\.com\/\w+$|\.[^.]+$/, '') : undefined
  }
  return parent(a) !== undefined && parent(a) === parent(b)
}

const patchHead = /failed to create typed patch object \(.*?\): /.source
const convertHead = /failed to convert \w+ object(?: at version \S+)?: /.source
const typedErrors = new RegExp(`^(${patchHead}|${convertHead}|)(?:errors:\\n)?(\\s*\\..*)$`, 's')

function errorsOf(message: string): { readonly head: string; readonly lines: readonly string[] } | undefined {
  const found = typedErrors.exec(message)
  if (found === null) return undefined
  const [, head = '', rest = ''] = found
  return { head, lines: rest.split('\n').map((line) => line.trim()) }
}
