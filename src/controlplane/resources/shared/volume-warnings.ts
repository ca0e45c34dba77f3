/** Warnings about volumes in which several files have the same path, or one is below another. */
import { appendAll } from '../../../api/append.ts'
import { goQuote } from '../../../api/go-format.ts'
import type { JsonObject } from '../../../api/json.ts'
import type { WarningList } from '../../contract/warnings.ts'
import { ascending } from './earlier-ports.ts'
import { items, struct, text } from './values.ts'

interface FilePath {
  readonly path: string
  /** The source of the file, if the volume has several; otherwise ''. */
  readonly source: string
}

export function warnOverlappingPaths(warnings: WarningList, volumes: readonly JsonObject[]): void {
  for (const volume of volumes) {
    if (warnings.isFull) return
    const name = goQuote(text(volume.name))
    const warn = (kind: string, paths: readonly FilePath[]): void => {
      warnOverlaps(warnings, `volume ${name} (${kind}): overlapping paths`, paths)
    }
    const configMap = struct(volume.configMap)
    if (configMap !== undefined) warn(`ConfigMap ${goQuote(text(configMap.name))}`, pathsOf(configMap, ''))
    const secret = struct(volume.secret)
    if (secret !== undefined) warn(`Secret ${goQuote(text(secret.secretName))}`, pathsOf(secret, ''))
    const downward = struct(volume.downwardAPI)
    if (downward !== undefined) warn('DownwardAPI', pathsOf(downward, ''))
    const projected = struct(volume.projected)
    if (projected === undefined) continue
    const paths: FilePath[] = []
    for (const source of items(projected.sources)) {
      if (Object.keys(source).length === 0) warnings.push(`volume ${name} (Projected) has no sources provided`)
      appendAll(paths, projectedPaths(source))
    }
    warn('Projected', paths)
  }
}

/** The files of the first source that has any. */
function projectedPaths(source: JsonObject): readonly FilePath[] {
  const configMap = struct(source.configMap)
  if (configMap?.items !== undefined) return pathsOf(configMap, `ConfigMap ${goQuote(text(configMap.name))}`)
  const secret = struct(source.secret)
  if (secret?.items !== undefined) return pathsOf(secret, `Secret ${goQuote(text(secret.name))}`)
  const downward = struct(source.downwardAPI)
  if (downward?.items !== undefined) return pathsOf(downward, 'DownwardAPI')
  const token = struct(source.serviceAccountToken)
  if (token !== undefined) return [{ path: text(token.path), source: 'ServiceAccountToken' }]
  const bundle = struct(source.clusterTrustBundle)
  if (bundle !== undefined) {
    return [
      { path: text(bundle.path), source: `ClusterTrustBundle ${goQuote(text(bundle.name ?? bundle.signerName))}` },
    ]
  }
  const certificate = struct(source.podCertificate)
  return [
    { path: text(certificate?.certificateChainPath), source: 'PodCertificate chain' },
    { path: text(certificate?.keyPath), source: 'PodCertificate key' },
    { path: text(certificate?.credentialBundlePath), source: 'PodCertificate credential bundle' },
  ].filter(({ path }) => path !== '')
}

function pathsOf(given: JsonObject, source: string): FilePath[] {
  return items(given.items).map((item) => ({ path: text(item.path), source }))
}

/** A folder or file of a volume. Paths are compared by their parts between slashes. */
interface PathNode {
  readonly children: Map<string, PathNode>
  /** The files with this path, and those below it, by their index; each ascending. */
  readonly here: number[]
  readonly below: number[]
}

/** Each file with the files before it that have the same path, or a path above or below its own. */
function warnOverlaps(warnings: WarningList, about: string, given: readonly FilePath[]): void {
  const root: PathNode = { children: new Map(), here: [], below: [] }
  const files: FilePath[] = []
  for (const { path: slashed, source } of given) {
    if (warnings.isFull) return
    const path = withoutTrailingSlashes(slashed)
    if (path === '') continue
    const file = { path, source }
    const above: (readonly number[])[] = []
    let node = root
    for (const part of path.split('/')) {
      above.push(node.here)
      if (node !== root) node.below.push(files.length)
      let child = node.children.get(part)
      if (child === undefined) node.children.set(part, (child = { children: new Map(), here: [], below: [] }))
      node = child
    }
    for (const other of ascending([...above, node.here, node.below])) {
      if (warnings.isFull) return
      warnings.push(`${about}: ${show(file)} with ${show(files[other] as FilePath)}`)
    }
    node.here.push(files.length)
    files.push(file)
  }
}

/** A pattern with `+` before `$` is tried at each slash, so its time is not linear. */
function withoutTrailingSlashes(path: string): string {
  let end = path.length
  while (end > 0 && path[end - 1] === '/') end--
  return path.slice(0, end)
}

function show({ path, source }: FilePath): string {
  return source === '' ? goQuote(path) : `${goQuote(path)} (${source})`
}
