/** Writes a kubeconfig with one cluster, one user and one context. */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'

const marker = '# Written by coxswain. Overwritten at the next start.'

export interface KubeconfigAccess {
  readonly url: string
  /** PEM; '' without TLS. */
  readonly caCert: string
  readonly token: string
  /** More users, each with a context of its name. */
  readonly certificates?: readonly UserCertificate[]
}

/** PEM texts. */
export interface UserCertificate {
  readonly user: string
  readonly cert: string
  readonly key: string
}

export function kubeconfigText({ url, caCert, token, certificates = [] }: KubeconfigAccess): string {
  const authority = caCert === '' ? '' : `\n    certificate-authority-data: ${base64(caCert)}`
  const users = certificates.map(
    ({ user, cert, key }) => `- name: ${JSON.stringify(user)}
  user:
    client-certificate-data: ${base64(cert)}
    client-key-data: ${base64(key)}
`,
  )
  const contexts = certificates.map(
    ({ user }) => `- name: ${JSON.stringify(user)}
  context:
    cluster: coxswain
    user: ${JSON.stringify(user)}
`,
  )
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
${users.join('')}contexts:
- name: coxswain
  context:
    cluster: coxswain
    user: admin
${contexts.join('')}`
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

/** Readable by its owner only. Replaces the file atomically, and never one that coxswain did not write. */
export function writeKubeconfig(path: string, text: string): void {
  if (existsSync(path) && !readFileSync(path, 'utf8').startsWith(marker)) {
    throw new Error(
      `${path} exists and was not written by coxswain; it is left alone: choose another path with --kubeconfig`,
    )
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
