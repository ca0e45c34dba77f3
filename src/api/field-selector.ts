/**
 * Field selectors: `metadata.name=x,status.phase!=Running`. {@link fieldLabelsOf} decides which fields a kind can be
 * selected by; the caller provides the field values.
 */
import { goQuote } from './go-format.ts'
import { apiError } from './status.ts'

export interface FieldRequirement {
  readonly field: string
  readonly equal: boolean
  readonly value: string
}

/** Immutable. */
export interface FieldSelector {
  /** `lookup` returns the text of a field, '' if it is unset. */
  matches(lookup: (field: string) => string): boolean
  readonly isEmpty: boolean
  /** All must hold. */
  readonly requirements: readonly FieldRequirement[]
  /** The value that the selector requires of this field; undefined if it does not require one. */
  exactValue(field: string): string | undefined
  toString(): string
}

/** Parses the query syntax without checking the field names. Throws a 400 with upstream's message. */
export function parseFieldSelector(text: string): FieldSelector {
  const requirements: FieldRequirement[] = []
  for (const term of splitTerms(text).sort(byBytes)) {
    if (term === '') continue
    const requirement = parseTerm(term, text)
    if (requirement.field !== '' || requirement.value !== '') requirements.push(requirement)
  }
  return fieldSelectorOf(requirements)
}

export function fieldSelectorOf(requirements: readonly FieldRequirement[]): FieldSelector {
  return {
    matches(lookup) {
      for (const { field, equal, value } of requirements) {
        if ((lookup(field) === value) !== equal) return false
      }
      return true
    },
    isEmpty: requirements.length === 0,
    requirements,
    exactValue: (field) => requirements.find((r) => r.equal && r.field === field)?.value,
    toString: () => requirements.map(requirementText).join(','),
  }
}

function requirementText({ field, equal, value }: FieldRequirement): string {
  return `${field}${equal ? '=' : '!='}${escapeFieldValue(value)}`
}

function byBytes(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Splits at commas that are not escaped by a backslash. Keeps backslashes. */
function splitTerms(text: string): string[] {
  if (!text.includes('\\')) return text.split(',')
  const terms: string[] = []
  let start = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\\') {
      at++
    } else if (text[at] === ',') {
      terms.push(text.slice(start, at))
      start = at + 1
    }
  }
  terms.push(text.slice(start))
  return terms
}

const operator = /!=|==|=/

function parseTerm(term: string, whole: string): FieldRequirement {
  const found = operator.exec(term)
  if (found === null) throw apiError.badRequest(`invalid selector: '${whole}'; can't understand '${term}'`)
  const [sign] = found
  const value = unescapeFieldValue(term.slice(found.index + sign.length))
  return { field: term.slice(0, found.index), equal: sign !== '!=', value }
}

const special = /[\\,=]/

/** Escapes backslashes, commas and equal signs with a backslash, for use as a value. */
export function escapeFieldValue(value: string): string {
  return value.replace(/[\\,=]/g, '\\$&')
}

function unescapeFieldValue(text: string): string {
  if (!special.test(text)) return text
  const chars = Array.from(text)
  let value = ''
  for (let i = 0; i < chars.length; i++) {
    const char = chars[i] as string
    if (char === '\\') {
      const next = chars[++i] ?? ''
      if (next === '' || !special.test(next)) {
        throw apiError.badRequest(`invalid field selector: invalid escape sequence: \\${next}`)
      }
      value += next
    } else if (special.test(char)) {
      throw apiError.badRequest(`invalid field selector: unescaped character in value: ${char.charCodeAt(0)}`)
    } else {
      value += char
    }
  }
  return value
}

/** The selectable fields of a kind, and upstream's message for other fields. */
export interface FieldLabels {
  readonly supported: ReadonlySet<string>
  /** Legacy names of supported fields. */
  readonly aliases?: ReadonlyMap<string, string>
  rejection(field: string): string
}

const onlyMetadata: FieldLabels = {
  supported: new Set(['metadata.name', 'metadata.namespace']),
  rejection: (field) => `${goQuote(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
}

const rejections: Readonly<Record<string, FieldLabels['rejection']>> = {
  'batch/Job': (field) => `field label ${goQuote(field)} not supported for Job`,
  'resource.k8s.io/ResourceSlice': (field) =>
    `field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: ${field}`,
}

const podAliases: ReadonlyMap<string, string> = new Map([['spec.host', 'spec.nodeName']])

/** The properties of a resource that determine its field selectors. */
export interface SelectableKind {
  readonly group: string
  readonly kind: string
  readonly namespaced: boolean
  /** False for custom resources. */
  readonly builtin: boolean
}

/**
 * `fields` are those in addition to metadata.name and metadata.namespace. Built-in kinds without additional fields
 * accept both, even if cluster-scoped. All other kinds accept metadata.namespace only if namespaced, and have a
 * different error message.
 */
export function fieldLabelsOf(of: SelectableKind, fields: readonly string[]): FieldLabels {
  if (of.builtin && fields.length === 0) return onlyMetadata
  const supported = new Set(['metadata.name', ...fields])
  if (of.namespaced) supported.add('metadata.namespace')
  const named = of.builtin ? `${of.group}/${of.kind}` : ''
  const rejection = rejections[named] ?? ((field: string) => `field label not supported: ${field}`)
  return named === '/Pod' ? { supported, rejection, aliases: podAliases } : { supported, rejection }
}

/**
 * The selector with legacy field names replaced. Throws a 400 for the first field that the kind does not support.
 */
export function checkFieldSelector(selector: FieldSelector, labels: FieldLabels): FieldSelector {
  let replaced: FieldRequirement[] | undefined
  selector.requirements.forEach((requirement, i) => {
    const { field } = requirement
    if (labels.supported.has(field)) return
    const current = labels.aliases?.get(field)
    if (current === undefined) throw apiError.badRequest(labels.rejection(field))
    replaced ??= [...selector.requirements]
    replaced[i] = { ...requirement, field: current }
  })
  return replaced === undefined ? selector : fieldSelectorOf(replaced)
}
