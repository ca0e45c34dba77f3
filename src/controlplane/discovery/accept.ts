/** Parses Accept headers, and chooses the media type of discovery and OpenAPI documents. */

/** One clause of an Accept header. */
export interface MediaRange {
  readonly type: string
  readonly subtype: string
  readonly parameters: ReadonlyMap<string, string>
}

/** The clauses in order of preference, more specific ones first if equal. An absent header accepts anything. */
export function parseAccept(header: string | undefined): readonly MediaRange[] {
  const ranges: { range: MediaRange; weight: number }[] = []
  for (const clause of (header === undefined || header === '' ? '*/*' : header).split(',')) {
    const [name = '', ...options] = clause.split(';')
    const [type = '', subtype = ''] = name.trim().split('/')
    if (type === '') continue
    const parameters = new Map<string, string>()
    for (const option of options) {
      const [key = '', value = ''] = option.split('=')
      parameters.set(key.trim(), value.trim())
    }
    const weight = Number(parameters.get('q') ?? 1)
    ranges.push({ range: { type, subtype, parameters }, weight: Number.isNaN(weight) ? 1 : weight })
  }
  ranges.sort((a, b) => b.weight - a.weight || wildness(a.range) - wildness(b.range))
  return ranges.map(({ range }) => range)
}

function wildness(range: MediaRange): number {
  return (range.type === '*' ? 2 : 0) + (range.subtype === '*' ? 1 : 0)
}

export function matchesMediaRange(range: MediaRange, mediaType: string): boolean {
  const [type, subtype] = mediaType.split('/')
  return (range.type === '*' || range.type === type) && (range.subtype === '*' || range.subtype === subtype)
}

export type DiscoveryForm = 'aggregated' | 'legacy'

export interface DiscoveryChoice {
  readonly form: DiscoveryForm
  readonly mediaType: (typeof encodings)[number]
}

/** A wildcard matches the first of these. */
const encodings = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'] as const

/**
 * The first clause that can be served, as upstream chooses: a clause with a transformation (`as=`) counts only if it
 * names the aggregated document in version v2. Undefined if there is none.
 */
export function chooseDiscovery(header: string | undefined, aggregatable: boolean): DiscoveryChoice | undefined {
  const ranges = parseAccept(header)
  // The aggregated document takes precedence, wherever the header names it.
  const first = aggregatable ? ranges.filter(isAggregated) : []
  for (const range of [...first, ...ranges]) {
    const mediaType = encodings.find((each) => matchesMediaRange(range, each))
    if (mediaType === undefined) continue
    const as = range.parameters.get('as')
    if (as === undefined) return { form: 'legacy', mediaType }
    if (aggregatable && isAggregated(range)) return { form: 'aggregated', mediaType }
  }
  return undefined
}

function isAggregated({ parameters }: MediaRange): boolean {
  const wanted = `${parameters.get('g')}/${parameters.get('v')} ${parameters.get('as')}`
  return wanted === 'apidiscovery.k8s.io/v2 APIGroupDiscoveryList'
}

/**
 * True if a clause names one of the encodings, ignoring parameters, as upstream's routes do. Partial wildcards such as
 * `application/*` do not match.
 */
export function acceptsAny(header: string | undefined, mediaTypes: readonly string[] = encodings): boolean {
  return parseAccept(header).some((range) =>
    mediaTypes.some((mediaType) => {
      return matchesMediaRange(range, mediaType) && (range.subtype !== '*' || range.type === '*')
    }),
  )
}

export const discoveryEncodings = encodings.join(', ')

const openApiProtobuf = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf'

/**
 * The media type of the response for each accepted name. The second name is older: an `@` is not valid in a media type.
 */
const openApiForms = [
  ['application/json', 'application/json'],
  [openApiProtobuf.replace('.v1.0', '@v1.0'), openApiProtobuf],
  [openApiProtobuf, openApiProtobuf],
] as const

/** The media type in which a client gets OpenAPI v2. Undefined if it accepts none. */
export function chooseOpenApiV2(header: string | undefined): 'application/json' | typeof openApiProtobuf | undefined {
  for (const range of parseAccept(header)) {
    const form = openApiForms.find(([name]) => matchesMediaRange(range, name))
    if (form !== undefined) return form[1]
  }
  return undefined
}
