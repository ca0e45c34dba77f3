/** Generated lines of a page: those between `<!-- NAME:begin -->` and `<!-- NAME:end -->`. */

/** The page with other generated lines. Throws if it has no such section. */
export function withGenerated(page: string, name: string, lines: readonly string[]): string {
  const begin = `<!-- ${name}:begin -->\n`
  const start = page.indexOf(begin)
  const end = page.indexOf(`<!-- ${name}:end -->`, start)
  if (start < 0 || end < 0) throw new Error(`the page has no section "${name}"`)
  return page.slice(0, start + begin.length) + lines.map((line) => `${line}\n`).join('') + page.slice(end)
}
