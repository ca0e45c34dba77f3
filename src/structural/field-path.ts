/** Field paths in a CRD (`.spec.color`, `.data['a.b']`): finds the field in a schema. */
import type { Schema } from './schema.ts'

export interface FoundField {
  /** The field names along the path. */
  readonly names: readonly string[]
  /** As field errors write it: keys of maps in brackets. */
  readonly path: string
  readonly schema: Schema
}

/** The field at the path, or upstream's message on what is wrong with it. `brackets`: allow keys in brackets. */
export function findField(path: string, root: Schema, brackets = true): FoundField | string {
  const tokens = tokenize(path)
  const names: string[] = []
  let written = ''
  let schema: Schema | undefined = root
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] as string
    let name: string
    if (token === '[') {
      if (!brackets) return 'array notation is not allowed'
      const quoted = tokens[++i]
      if (quoted === undefined) return 'unexpected end of JSON path'
      if (quoted.length < 2 || !quoted.startsWith("'") || !quoted.endsWith("'")) {
        return `expected single quoted string but got ${quoted}`
      }
      name = quoted.slice(1, -1).replace(/\\(.)/g, '$1')
    } else if (token === '.') {
      const next = tokens[++i]
      if (next === undefined) return 'unexpected end of JSON path'
      name = next
    } else {
      return `expected [ or . but got: ${token}`
    }
    written += schema.properties === undefined ? `[${name}]` : written === '' ? name : `.${name}`
    schema = memberOf(schema, name)
    if (schema === undefined) return 'does not refer to a valid field'
    names.push(name)
    if (token === '[') {
      const close = tokens[++i]
      if (close === undefined) return 'unexpected end of JSON path'
      if (close !== ']') return `expected ] but got ${close}`
    }
  }
  return { names, path: written, schema }
}

function memberOf(schema: Schema, name: string): Schema | undefined {
  return schema.properties === undefined ? schema.additionalProperties?.schema : schema.properties.get(name)
}

/** Splits at dots, brackets and quoted texts. */
function tokenize(path: string): string[] {
  const tokens: string[] = []
  for (let at = 0; at < path.length;) {
    let end = at + 1
    if (path[at] === "'") {
      while (end < path.length && (path[end] !== "'" || path[end - 1] === '\\')) end++
      end++
    } else if (!'.[]'.includes(path[at] as string)) {
      while (end < path.length && !'.[]'.includes(path[end] as string)) end++
    }
    tokens.push(path.slice(at, end))
    at = end
  }
  return tokens
}
