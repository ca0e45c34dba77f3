/** Reads `builtin-docs.txt`: the doc comments of fields of built-in kinds. */
import { readFileSync } from 'node:fs'

const width = 120

/** `GROUP.VERSION.TYPE.FIELD` to the text. */
export function builtinDocs(): Map<string, string> {
  const docs = new Map<string, string>()
  let type = ''
  let field = ''
  for (const line of readFileSync(new URL('builtin-docs.txt', import.meta.url), 'utf8').split('\n')) {
    const [, heading] = /^\[([\w.]+)\]$/.exec(line) ?? []
    const [, name, text] = /^([\w-]+): (.+)$/.exec(line) ?? []
    if (line === '' || line.startsWith('#')) continue
    else if (heading !== undefined) type = heading
    else if (name !== undefined && text !== undefined) {
      field = `${type}.${name}`
      if (docs.has(field)) throw new Error(`${field} is described twice`)
      docs.set(field, text)
    } else if (line.startsWith('  ')) docs.set(field, `${docs.get(field) ?? ''} ${line.trim()}`)
    else throw new Error(`builtin-docs.txt: ${line}`)
  }
  return docs
}

/** The comment above a field, in lines of at most 120 characters; empty without a text. */
export function docComment(text: string | undefined): string {
  if (text === undefined) return ''
  const short = `  /** ${text} */`
  if (short.length <= width) return `${short}\n`
  const lines = ['  /**']
  let line = '   *'
  for (const word of text.split(' ')) {
    if (line.length + 1 + word.length > width) {
      lines.push(line)
      line = '   *'
    }
    line += ` ${word}`
  }
  return [...lines, line, '   */', ''].join('\n')
}
