/** Kubernetes' URL library: `url`, `isURL` and the getters. */
import {
  boolType,
  CelError,
  CelMap,
  CelObject,
  type CelResult,
  type CelType,
  type CelValue,
  type Library,
  listOf,
  listType,
  mapType,
  objectType,
  stringType,
} from '../../library.ts'
import { declare, method, overload, traversalOfSameSize } from '../declare.ts'
import { escapedPath, type GoUrl, parseRequestUri, parseUrl, queryValues, splitHost, urlText } from './go-url.ts'
import { UrlError } from './percent.ts'

export const urlType = objectType('kubernetes.URL') as CelType & { kind: 'object' }

export class UrlValue extends CelObject {
  readonly type = urlType
  readonly url: GoUrl

  constructor(url: GoUrl) {
    super()
    this.url = url
  }

  equals(other: CelObject): CelResult {
    return other instanceof UrlValue && urlText(this.url) === urlText(other.url)
  }
}

/** The query parameters, as a map of lists. */
class QueryMap extends CelMap {
  readonly values: ReadonlyMap<string, readonly string[]>

  constructor(values: ReadonlyMap<string, readonly string[]>) {
    super()
    this.values = values
  }

  get size(): number {
    return this.values.size
  }

  get(key: CelValue): CelValue | undefined {
    const found = typeof key === 'string' ? this.values.get(key) : undefined
    return found === undefined ? undefined : listOf(found)
  }

  keys(): CelValue[] {
    return [...this.values.keys()]
  }
}

function toUrl(text: string): CelResult {
  try {
    // Both parsers must accept the text; only the second supports fragments.
    parseRequestUri(text)
    return new UrlValue(parseUrl(text))
  } catch (error) {
    if (error instanceof UrlError) {
      return new CelError(`URL parse error during conversion from string: ${error.message}`)
    }
    throw error
  }
}

/** Why the text is not a URL; undefined if it is one. */
export function urlProblem(text: string): string | undefined {
  try {
    parseRequestUri(text)
    return undefined
  } catch (error) {
    if (error instanceof UrlError) return error.message
    throw error
  }
}

const getter = (name: string, id: string, read: (url: GoUrl) => string) =>
  declare(
    name,
    method(id, [urlType], stringType, (value: UrlValue) => read(value.url)),
  )

export const urlLibrary: Library = {
  name: 'kubernetes.urls',
  functions: [
    declare('url', overload('string_to_url', [stringType], urlType, toUrl, traversalOfSameSize)),
    getter('getScheme', 'url_get_scheme', (url) => url.scheme),
    getter('getHost', 'url_get_host', (url) => url.host),
    getter('getHostname', 'url_get_hostname', (url) => splitHost(url).name),
    getter('getPort', 'url_get_port', (url) => splitHost(url).port),
    getter('getEscapedPath', 'url_get_escaped_path', escapedPath),
    declare(
      'getQuery',
      method(
        'url_get_query',
        [urlType],
        mapType(stringType, listType(stringType)),
        (value: UrlValue) => new QueryMap(queryValues(value.url)),
      ),
    ),
    declare(
      'isURL',
      overload('is_url_string', [stringType], boolType, (text: string) => urlProblem(text) === undefined),
    ),
  ],
}
