/** Finds a block of PEM (RFC 7468) in text, as Go's encoding/pem does. Takes time in proportion to its length. */

const marker = /^-----(BEGIN|END) (.*)-----[ \t]*$/
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** The first block that Go can decode. Text around blocks is ignored, and so are headers. */
export function firstPemBlock(text: string): { readonly type: string; readonly body: string } | undefined {
  let open: { readonly type: string; readonly lines: string[] } | undefined
  for (const line of text.split(/\r?\n/)) {
    const [, verb, type = ''] = marker.exec(line) ?? []
    if (verb === 'BEGIN') {
      open = { type, lines: [] }
    } else if (verb === 'END') {
      const body = open?.lines.join('').replaceAll(/[ \t]/g, '') ?? ''
      if (open?.type === type && base64.test(body)) return { type, body }
      open = undefined
    } else if (!line.includes(':')) {
      open?.lines.push(line)
    }
  }
  return undefined
}
