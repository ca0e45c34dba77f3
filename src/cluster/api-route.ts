/** The parts of a path of the API: `/apis/GROUP/VERSION/namespaces/NS/PLURAL/NAME/SUBRESOURCE`. */
export interface ApiRoute {
  /** All before the name. */
  readonly collection: string
  readonly group: string
  readonly plural: string
  /** '' for the collection itself. */
  readonly name: string
  readonly subresource: string | undefined
}

const pattern =
  /^(\/(?:api|apis\/([^/]+))\/[^/]+\/(?:namespaces\/[^/]+\/(?!(?:status|finalize)$))?([^/]+))(?:\/([^/]+)(?:\/(.+))?)?$/

/** `route` has no query. Undefined for other paths, as that of discovery. */
export function apiRoute(route: string): ApiRoute | undefined {
  const match = pattern.exec(route)
  if (match === null) return undefined
  const [, collection = '', group = '', plural = '', name = '', subresource] = match
  return { collection, group, plural, name: decodeURIComponent(name), subresource }
}
