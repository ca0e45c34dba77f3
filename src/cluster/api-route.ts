/** The parts of an API path: `/apis/GROUP/VERSION/namespaces/NS/PLURAL/NAME/SUBRESOURCE`. */
export interface ApiRoute {
  /** Everything before the name. */
  readonly collection: string
  readonly group: string
  readonly plural: string
  /** '' for the collection. */
  readonly name: string
  readonly subresource: string | undefined
}

const pattern =
  /^(\/(?:api|apis\/([^/]+))\/[^/]+\/(?:namespaces\/[^/]+\/(?!(?:status|finalize)$))?([^/]+))(?:\/([^/]+)(?:\/(.+))?)?$/

/** `route` has no query. Undefined for other paths, such as discovery. */
export function apiRoute(route: string): ApiRoute | undefined {
  const match = pattern.exec(route)
  if (match === null) return undefined
  const [, collection = '', group = '', plural = '', name = '', subresource] = match
  return { collection, group, plural, name: decodeURIComponent(name), subresource }
}
