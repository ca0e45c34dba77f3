/**
 * Field selectors: `metadata.name=x,status.phase!=Running`. Which fields a kind can be selected by is decided
 * by {@link fieldLabelsOf}; what a field's value is, by the caller.
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
  /** `lookup` gives a field's text, '' for what is unset. */
  matches(lookup: (field: string) => string): boolean
  readonly isEmpty: boolean
  /** All must hold. */
  readonly requirements: readonly FieldRequirement[]
  /** The value that this field must have; undefined when it is not fixed to one. */
  exactValue(field: string): string | undefined
  toString(): string
}

/** Parses the query syntax without checking the fields' names. Throws a 400 in upstream's words. */
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

/** Splits at commas that no backslash precedes. Backslashes stay. */
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

/** Puts a backslash before backslashes, commas and equal signs, so that the text can stand as a value. */
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

/** Which fields of a kind can be selected, and how upstream refuses others. */
export interface FieldLabels {
  readonly supported: ReadonlySet<string>
  /** Old names of supported fields. */
  readonly aliases?: ReadonlyMap<string, string>
  refusal(field: string): string
}

const onlyMetadata: FieldLabels = {
  supported: new Set(['metadata.name', 'metadata.namespace']),
  refusal: (field) => `${goQuote(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
}

const refusals: Readonly<Record<string, FieldLabels['refusal']>> = {
  'batch/Job': (field) => `field label ${goQuote(field)} not supported for Job`,
  'resource.k8s.io/ResourceSlice': (field) =>
    `field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: ${field}`,
}

const podAliases: ReadonlyMap<string, string> = new Map([['spec.host', 'spec.nodeName']])

/** The part of a resource's description that decides over field selectors. */
export interface SelectableKind {
  readonly group: string
  readonly kind: string
  readonly namespaced: boolean
  /** False for custom resources. */
  readonly builtin: boolean
}

/**
 * `fields` are those beyond metadata.name and metadata.namespace. Built-ins without any accept both of these,
 * even when they are cluster-scoped; all others accept metadata.namespace only when namespaced, and refuse in
 * other words.
 */
export function fieldLabelsOf(of: SelectableKind, fields: readonly string[]): FieldLabels {
  if (of.builtin && fields.length === 0) return onlyMetadata
  const supported = new Set(['metadata.name', ...fields])
  if (of.namespaced) supported.add('metadata.namespace')
  const named = of.builtin ? `${of.group}/${of.kind}` : ''
  const refusal = refusals[named] ?? ((field: string) => `field label not supported: ${field}`)
  return named === '/Pod' ? { supported, refusal, aliases: podAliases } : { supported, refusal }
}

/**
 * The selector with old field names replaced; throws a 400 for the first field that the kind does not offer.
 */
export function checkFieldSelector(selector: FieldSelector, labels: FieldLabels): FieldSelector {
  let replaced: FieldRequirement[] | undefined
  selector.requirements.forEach((requirement, i) => {
    const { field } = requirement
    if (labels.supported.has(field)) return
    const current = labels.aliases?.get(field)
    if (current === undefined) throw apiError.badRequest(labels.refusal(field))
    replaced ??= [...selector.requirements]
    replaced[i] = { ...requirement, field: current }
  })
  return replaced === undefined ? selector : fieldSelectorOf(replaced)
}
