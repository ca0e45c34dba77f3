/**
 * Small values in the format of Go's yaml.v3. It differs from YAML responses: deeper indentation, no sorting.
 */
import { isObject, type Json } from '../../api/json.ts'

const step = 4

/**
 * Without the final line break. Text with unusual line breaks is written as JSON, which is valid YAML.
 * `indent`: the column of the value.
 */
export function goYaml(value: Json, indent = 0): string {
  const separator = `\n${' '.repeat(indent)}`
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]'
    return value.map((item) => `- ${goYaml(item, indent + 2)}`).join(separator)
  }
  if (isObject(value)) {
    const entries = Object.entries(value)
    if (entries.length === 0) return '{}'
    const deeper = step * Math.floor((indent + step) / step)
    return entries
      .map(([key, item]) => {
        return `${textOf(key, 1)}:${isNested(item) ? `\n${' '.repeat(deeper)}` : ' '}${goYaml(item, deeper)}`
      })
      .join(separator)
  }
  return typeof value === 'string' ? textOf(value, indent) : JSON.stringify(value)
}

function isNested(value: Json): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0
}

/** Text that YAML would read as a boolean, null, number or time. */
const words = /^(?:|~|true|false|null|[-+]?\.inf|\.nan)$/i
const numbers = /^[-+]?(?:\d[\d_]*(?:\.[\d_]*)?(?:e[-+]?\d+)?|\.[\d_]+|0[xob][\da-f_]+)$|^\d{4}-\d\d?-\d\d?/i
function textOf(text: string, indent: number): string {
  if (indent % step === 0 && isLines(text)) {
    const margin = ' '.repeat(Math.max(indent, step))
    return `|-\n${text.replaceAll(/^(?=.)/gm, margin)}`
  }
  // eslint-disable-next-line no-control-regex
  if (words.test(text) || numbers.test(text) || /[\u0000-\u001f\u007f-\u009f]/.test(text)) return JSON.stringify(text)
  const isPlain = !/^(?:[#,[\]{}&*!|>'"%@` ]|[-?:](?: |$)|---|\.\.\.)|: | #|[: ]$/.test(text)
  return isPlain ? text : `'${text.replaceAll("'", "''")}'`
}

/** True for multi-line text without leading or trailing space, and without space before line breaks. */
function isLines(text: string): boolean {
  // eslint-disable-next-line no-control-regex
  return text.includes('\n') && text.trim() === text && !/[ \t]\n|[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/.test(text)
}
