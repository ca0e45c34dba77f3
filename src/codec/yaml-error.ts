/** YAML errors with the messages and line numbers of upstream's parser. */
import type { YAMLParseError } from 'yaml'

/** Scanner errors count lines from one, parser errors from zero; the first line is omitted. */
type Phase = 'scanner' | 'parser'

/** Why `text` is not valid YAML; undefined for errors that upstream ignores. */
export function describeYamlError(
  error: YAMLParseError,
  text: string,
  root: 'flow' | 'list' | 'map' | 'other',
): string | undefined {
  const [at] = error.pos
  switch (error.code) {
    case 'MISSING_CHAR':
      return missing(error.message, text)
    case 'BLOCK_AS_IMPLICIT_KEY':
    case 'MULTILINE_IMPLICIT_KEY':
      return yamlProblem('mapping values are not allowed in this context', 'scanner', text, colonAfter(text, at))
    case 'TAB_AS_INDENT':
    case 'BAD_SCALAR_START':
      return yamlProblem('found character that cannot start any token', 'scanner', text, at)
    case 'BAD_DQ_ESCAPE':
      return yamlProblem('found unknown escape character', 'scanner', text, at)
    case 'BAD_INDENT':
      if (error.message.startsWith('Flow')) return missing(error.message, text)
      return yamlProblem('did not find expected key', 'parser', text, at)
    case 'UNEXPECTED_TOKEN':
      // After a complete value in braces the document ends, and upstream reads only the first document.
      if (root === 'flow') return undefined
      return yamlProblem(`did not find expected ${root === 'list' ? "'-' indicator" : 'key'}`, 'parser', text, at)
    default:
      return `yaml: ${error.message}${at < 0 ? '' : placeOf(text, at)}`
  }
}

/** Errors that upstream reports and our parser accepts. */
export function overlookedError(text: string): string | undefined {
  if (/^%YAML +\d+(?![.\d])/.test(text)) return "yaml: did not find expected digit or '.' character"
  const first = /^[ \n]*\t/.exec(text)
  return first === null
    ? undefined
    : yamlProblem('found character that cannot start any token', 'scanner', text, first[0].length - 1)
}

/** A construct is still open at the end of the text. */
function missing(message: string, text: string): string {
  if (message.includes('quote')) return yamlProblem('found unexpected end of stream', 'scanner', text, text.length)
  const open = message.includes('}') ? '}' : ']'
  const last = text.trimEnd().at(-1) ?? ''
  const what = '{[,:'.includes(last) ? 'node content' : `',' or '${open}'`
  // The end of the text counts as a separate line.
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
  return `yaml: line ${lines}: did not find expected ${what}`
}

function yamlProblem(what: string, phase: Phase, text: string, at: number): string {
  const line = text.slice(0, at).split('\n').length - 1
  return line === 0 ? `yaml: ${what}` : `yaml: line ${phase === 'scanner' ? line + 1 : line}: ${what}`
}

function placeOf(text: string, at: number): string {
  const before = text.slice(0, at)
  return ` at line ${before.split('\n').length}, column ${at - before.lastIndexOf('\n')}`
}

function colonAfter(text: string, from: number): number {
  const found = /:(?=\s|$)/.exec(text.slice(from))
  return found === null ? from : from + found.index
}
