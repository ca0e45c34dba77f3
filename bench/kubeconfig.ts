/** A kubeconfig for a server that a benchmark has started. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Target } from './connection.ts'

/** Writes it into the folder. Returns its path. */
export function writeKubeconfig(folder: string, { host, port, tls, ca, token }: Target): string {
  const file = join(folder, 'kubeconfig')
  const authority =
    ca === undefined
      ? { 'insecure-skip-tls-verify': true }
      : { 'certificate-authority-data': Buffer.from(ca).toString('base64') }
  const cluster = { server: `${tls ? 'https' : 'http'}://${host}:${port}`, ...(tls ? authority : {}) }
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'bench',
    clusters: [{ name: 'bench', cluster }],
    users: [{ name: 'bench', user: { token } }],
    contexts: [{ name: 'bench', context: { cluster: 'bench', user: 'bench' } }],
  }
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 })
  return file
}
