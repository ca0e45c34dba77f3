/** Writes a kubeconfig with one cluster, one user and one context. */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'

const marker = '# Written by coxswain. Overwritten at the next start.'

export interface KubeconfigAccess {
  readonly url: string
  /** PEM; '' without TLS. */
  readonly caCert: string
  readonly token: string
}

export function kubeconfigText({ url, caCert, token }: KubeconfigAccess): string {
  const authority = caCert === '' ? '' : `\n    certificate-authority-data: ${Buffer.from(caCert).toString('base64')}`
  return `${marker}
apiVersion: v1
kind: Config
current-context: coxswain
clusters:
- name: coxswain
  cluster:
    server: ${url}${authority}
users:
- name: admin
  user:
    token: ${JSON.stringify(token)}
contexts:
- name: coxswain
  context:
    cluster: coxswain
    user: admin
`
}

/** Readable by its owner only, in place at once or not at all. A file that coxswain did not write is never replaced. */
export function writeKubeconfig(path: string, text: string): void {
  if (existsSync(path) && !readFileSync(path, 'utf8').startsWith(marker)) {
    throw new Error(`${path} exists and was not written by coxswain; it is left alone: choose another path with --kubeconfig`)
  }
  const draft = `${path}.${process.pid}.tmp`
  try {
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx' })
    renameSync(draft, path)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}
