/** Values in the form that traces may show: short, with secrets masked. */
import { isObject, type Json, type JsonObject } from '../api/json.ts'
import type { TraceValue } from './trace.ts'

export const masked = '***'

/** The maximum length of a value. */
const maxChars = 120

const secretWords =
  /(pass(word|wd|phrase)?|pwd)([-_.]?\d+)?$|secret|token|credential|private.?key|api.?key|authorization|cookie/i
/** Names that sound secret but only refer to secrets. */
const harmless =
  /^(secretName|secretRef|secretKeyRef|imagePullSecrets|automountServiceAccountToken|secrets|PWD|OLDPWD)$/
/** Repeats the whole object, secrets included. */
const copyOfAll = 'kubectl.kubernetes.io/last-applied-configuration'

/** Whether a field of this name is secret. */
function isSecretName(name: string): boolean {
  return name === copyOfAll || (secretWords.test(name) && !harmless.test(name))
}

/** The same for a field of an object: for the `value` of an environment variable, the name of the variable counts. */
export function isSecretField(field: string, of: Readonly<JsonObject>): boolean {
  return isSecretName(field) || (field === 'value' && typeof of['name'] === 'string' && isSecretName(of['name']))
}

/** One line of JSON, truncated, with all secrets masked. */
export function traceValue(value: unknown): string {
  return truncatedText(JSON.stringify(withoutSecrets(value as Json)) ?? String(value))
}

/** One line of limited length. */
export function truncatedText(text: string, most = maxChars): string {
  const line = text.replaceAll(/[\r\n\t]+/g, ' ')
  return line.length <= most ? line : `${line.slice(0, most - 1)}…`
}

/** As many values as fit into a line or two, each truncated. Undefined values are left out. */
export function traceValues(values: Readonly<Record<string, unknown>>): Record<string, TraceValue> {
  const entries = Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .slice(0, 12)
  return Object.fromEntries(entries.map(([name, value]) => [name, shownValue(name, value)]))
}

function shownValue(name: string, value: unknown): TraceValue {
  if (isSecretName(name)) return masked
  if (typeof value === 'number' || typeof value === 'boolean') return value
  return typeof value === 'string' ? truncatedText(value) : traceValue(value)
}

/** A copy with all secrets masked. */
export function withoutSecrets(value: Json): Json {
  if (typeof value === 'string') return withoutSecretsInText(value)
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item))
  if (!isObject(value)) return value
  const fields = Object.entries(value).map(([name, item]) => [
    name,
    isSecretField(name, value) ? masked : withoutSecrets(item),
  ])
  return Object.fromEntries(fields) as JsonObject
}

/** For text that is JSON itself, such as a last-applied annotation. */
function withoutSecretsInText(text: string): string {
  if (!/^\s*[{[]/.test(text)) return text
  let value: Json
  try {
    value = JSON.parse(text) as Json
  } catch {
    return text
  }
  const clean = JSON.stringify(withoutSecrets(value))
  return clean === JSON.stringify(value) ? text : clean
}
