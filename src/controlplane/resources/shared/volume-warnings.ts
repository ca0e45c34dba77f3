/** Warnings about volumes in which several files have the same path, or one is below another. */
import { goQuote } from '../../../api/go-format.ts'
import type { JsonObject } from '../../../api/json.ts'
import { items, struct, text } from './values.ts'

interface FilePath {
  readonly path: string
  /** The source of the file, if the volume has several; otherwise ''. */
  readonly source: string
}

export function warnOverlappingPaths(warnings: string[], volumes: readonly JsonObject[]): void {
  for (const volume of volumes) {
    const name = goQuote(text(volume.name))
    const warn = (kind: string, paths: readonly FilePath[]): void => {
      for (const overlap of overlaps(paths)) warnings.push(`volume ${name} (${kind}): overlapping paths: ${overlap}`)
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
      paths.push(...projectedPaths(source))
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

function overlaps(paths: readonly FilePath[]): string[] {
  const found: string[] = []
  const before: FilePath[] = []
  for (const given of paths) {
    const file = { ...given, path: given.path.replace(/\/+$/, '') }
    if (file.path !== '') {
      for (const other of before)
        if (isWithin(file.path, other.path) || isWithin(other.path, file.path))
          found.push(`${show(file)} with ${show(other)}`)
      before.push(file)
    }
  }
  return found
}

function isWithin(path: string, folder: string): boolean {
  return `${path}/`.startsWith(`${folder}/`)
}

function show({ path, source }: FilePath): string {
  return source === '' ? goQuote(path) : `${goQuote(path)} (${source})`
}
