/** The tested clients: the build of each, and its version, which a lock file pins. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { BuildName } from './builds.ts'

export const clientNames = [
  'helm',
  'client-go',
  'controller-runtime',
  'kubernetes (Python)',
  'kopf',
  '@kubernetes/client-node',
  'kube-rs',
  'fabric8',
] as const

export type ClientName = (typeof clientNames)[number]

interface Source {
  readonly build: BuildName
  /** A file of `tools/clients`, and the pattern that finds the version in it. */
  readonly lock: string
  readonly version: RegExp
}

const clients: Readonly<Record<ClientName, Source>> = {
  helm: { build: 'go', lock: 'go/go.mod', version: /^\thelm\.sh\/helm\/v4 (v\S+)$/m },
  'client-go': { build: 'go', lock: 'go/go.mod', version: /^\tk8s\.io\/client-go (v\S+)$/m },
  'controller-runtime': { build: 'go', lock: 'go/go.mod', version: /^\tsigs\.k8s\.io\/controller-runtime (v\S+)$/m },
  'kubernetes (Python)': { build: 'python', lock: 'python/requirements.txt', version: /^kubernetes==(\S+)$/m },
  kopf: { build: 'python', lock: 'python/requirements.txt', version: /^kopf==(\S+)$/m },
  '@kubernetes/client-node': {
    build: 'node',
    lock: 'node/package-lock.json',
    version: /"node_modules\/@kubernetes\/client-node": \{\s*"version": "([^"]+)"/,
  },
  'kube-rs': { build: 'rust', lock: 'rust/Cargo.lock', version: /^name = "kube"\nversion = "([^"]+)"$/m },
  fabric8: {
    build: 'java',
    lock: 'java/pom.xml',
    version: /<artifactId>kubernetes-client<\/artifactId>\s*<version>([^<]+)</,
  },
}

export const sourceFolder = fileURLToPath(new URL('../../tools/clients/', import.meta.url))

export interface Client {
  readonly name: ClientName
  readonly version: string
  readonly build: BuildName
}

export function client(name: ClientName): Client {
  const { build, lock, version } = clients[name]
  const found = readFileSync(`${sourceFolder}${lock}`, 'utf8').match(version)?.[1]
  if (found === undefined) throw new Error(`tools/clients/${lock} has no version of ${name}`)
  return { name, version: found, build }
}
