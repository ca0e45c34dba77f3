/** HTML from templates. Every value is escaped, except markup: names and data in a report are hostile. */

export class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export type MarkupValue = Markup | readonly Markup[] | string | number | undefined

/** An element whose content is ours, such as a script. */
export function element(name: 'script' | 'style', content: string): Markup {
  return new Markup(`<${name}>${content}</${name}>`)
}

/** `` html`<b>${name}</b>` ``; undefined gives nothing. Write quotes around the values of attributes. */
export function html(strings: TemplateStringsArray, ...values: readonly MarkupValue[]): Markup {
  // The indentation of a template is for readers of the source.
  return new Markup(strings.map((text, index) => text.replaceAll(/\n\s+/g, '\n') + textOf(values[index])).join(''))
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function textOf(value: MarkupValue): string {
  if (value === undefined) return ''
  if (value instanceof Markup) return value.text
  if (Array.isArray(value)) return (value as readonly Markup[]).map(({ text }) => text).join('')
  return String(value).replaceAll(/[&<>"']/g, (char) => entities[char] ?? char)
}
