/**
 * The programs of a reference cluster, and the official end-to-end tests: Go module and package, version, and path in
 * the cache.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What a reference cluster is made of. */
export const clusterPrograms = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubectl',
  'kwok',
] as const

/** With `e2e.test`, which only `npm run test:conformance` needs. */
export const programNames = [...clusterPrograms, 'e2e.test'] as const

export type ProgramName = (typeof programNames)[number]

interface Source {
  /** A folder under `tools/cluster` with a go.mod. */
  readonly folder: string
  /** The package to build, relative to that folder. */
  readonly package: string
  /** The program is the package's test binary (`go test -c`). */
  readonly isTest?: boolean
  /** The module whose version is that of the program. */
  readonly module: string
  /** Linker settings for variables that contain the version. */
  stamps(version: string): readonly string[]
  /** Files of the module that the program needs at run time; they are copied next to it, by base name. */
  readonly files: readonly string[]
}

const kubernetes = (name: string): Source => ({
  folder: 'kubernetes',
  package: `k8s.io/kubernetes/cmd/${name}`,
  module: 'k8s.io/kubernetes',
  stamps(version) {
    const [major = '', minor = ''] = version.slice(1).split('.')
    const number = [`gitVersion=${version}`, `gitMajor=${major}`, `gitMinor=${minor}`]
    const values = [...number, 'gitCommit=ref', 'gitTreeState=clean']
    return ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'].flatMap((path) => {
      return values.map((value) => `${path}.${value}`)
    })
  },
  files: [],
})

/** Nodes become Ready at once and stay so; pods run as soon as they are bound, and end when they are deleted. */
const stages = [
  'node/fast/node-initialize.yaml',
  'node/heartbeat-with-lease/node-heartbeat-with-lease.yaml',
  'pod/fast/pod-ready.yaml',
  'pod/fast/pod-complete.yaml',
  'pod/fast/pod-delete.yaml',
]

const sources: Readonly<Record<ProgramName, Source>> = {
  etcd: { folder: 'etcd', package: '.', module: 'go.etcd.io/etcd/server/v3', stamps: () => [], files: [] },
  'kube-apiserver': kubernetes('kube-apiserver'),
  'kube-controller-manager': kubernetes('kube-controller-manager'),
  'kube-scheduler': kubernetes('kube-scheduler'),
  kubectl: kubernetes('kubectl'),
  // With modules of its own: more of them than the cluster needs.
  'e2e.test': { ...kubernetes(''), folder: 'e2e', package: 'k8s.io/kubernetes/test/e2e', isTest: true },
  kwok: {
    folder: 'kwok',
    package: 'sigs.k8s.io/kwok/cmd/kwok',
    module: 'sigs.k8s.io/kwok',
    stamps: (version) => [`sigs.k8s.io/kwok/pkg/consts.Version=${version}`],
    files: stages.map((stage) => `kustomize/stage/${stage}`),
  },
}

export interface Program {
  readonly name: ProgramName
  readonly version: string
  readonly module: string
  readonly package: string
  /** It is the package's test binary (`go test -c`). */
  readonly isTest: boolean
  /** The working directory of `go build`. */
  readonly source: string
  /** The minimum version of Go, such as `1.25.0`. */
  readonly go: string
  readonly stamps: readonly string[]
  readonly files: readonly string[]
  /** The folder of the built program and its files. Other versions and other module files have other folders. */
  readonly home: string
  readonly path: string
}

const toolsFolder = fileURLToPath(new URL('../../tools/cluster/', import.meta.url))

export function program(name: ProgramName, cache = cacheFolder()): Program {
  const source = sources[name]
  const folder = join(toolsFolder, source.folder)
  const text = readFileSync(join(folder, 'go.mod'), 'utf8')
  const version = text.match(new RegExp(`^(?:require)?\\s+${escape(source.module)} (v\\S+)`, 'm'))?.[1]
  const go = text.match(/^go (\S+)$/m)?.[1]
  if (version === undefined || go === undefined) {
    throw new Error(`${folder}/go.mod names no version of ${source.module} or of Go`)
  }
  const home = join(cache, 'programs', `${source.folder}-${version}-${fingerprint(folder)}`)
  const path = join(home, name)
  const { module, package: built, isTest = false, files } = source
  const stamps = source.stamps(version)
  return { name, version, module, package: built, isTest, source: folder, go, stamps, files, home, path }
}

const escape = (text: string): string => text.replaceAll(/[.+*?]/g, String.raw`\$&`)

/** A build depends on the module's files and on the platform: a home folder may be shared by several machines. */
function fingerprint(folder: string): string {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}\n`)
  for (const name of readdirSync(folder)
    .filter((name) => /\.(go|mod|sum)$/.test(name))
    .sort()) {
    hash.update(`${name}\n`).update(readFileSync(join(folder, name)))
  }
  return hash.digest('hex').slice(0, 12)
}

/** `COXSWAIN_CACHE`, or a folder in the user's cache, outside of the repository. */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  const { COXSWAIN_CACHE: own, XDG_CACHE_HOME: xdg } = env
  if (own !== undefined && own !== '') return join(own, 'cluster')
  const user = xdg !== undefined && xdg !== '' ? xdg : join(homedir(), '.cache')
  return join(user, 'coxswain', 'cluster')
}
