/** Parses image references, just enough to find the tag. */

const part = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*'
const domainPart = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])'
const domain = `(?:${domainPart}(?:\\.${domainPart})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`
const reference = new RegExp(
  `^(?:${domain}/)?${part}(?:/${part})*(?::([A-Za-z0-9_][A-Za-z0-9_.-]{0,127}))?` +
    '(@[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,})?$',
)

/** `latest` if the reference has neither tag nor digest; '' if it only has a digest or is invalid. */
export function imageTag(image: string): string {
  if (/^[a-f0-9]{64}$/.test(image)) return ''
  const match = reference.exec(image)
  if (match === null) return ''
  return match[1] ?? (match[2] === undefined ? 'latest' : '')
}

/** Always for the tag `latest`, since its image may change. */
export function defaultPullPolicy(image: string): 'Always' | 'IfNotPresent' {
  return imageTag(image) === 'latest' ? 'Always' : 'IfNotPresent'
}
