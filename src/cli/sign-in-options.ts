/** The options of `coxswain server` for authentication: client certificates, and the key of service account tokens. */
import { createPrivateKey } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { UsageError } from './command.ts'

/** A client certificate to issue. */
export interface CertificateSpec {
  readonly user: string
  readonly groups: readonly string[]
}

/** `alice=dev+ops,bob`: users, optionally with groups. */
export function readCertificates(text: string | undefined, withoutTls: boolean): CertificateSpec[] {
  if (text === undefined) return []
  if (withoutTls) throw new UsageError('--client-certificate needs TLS: leave out --no-tls')
  const seen = new Set<string>(['admin', 'coxswain'])
  return text.split(',').map((order) => {
    const [user = '', groups = ''] = order.split('=', 2)
    if (user === '')
      throw new UsageError(`--client-certificate must be USER or USER=GROUP+GROUP, not ${JSON.stringify(order)}`)
    if (seen.has(user))
      throw new UsageError(`--client-certificate: the name ${JSON.stringify(user)} is taken in the kubeconfig`)
    seen.add(user)
    return { user, groups: groups === '' ? [] : groups.split('+') }
  })
}

/** Checked at the start; the server reads it only for the first token. */
export function readSigningKey(file: string | undefined): string | undefined {
  if (file === undefined) return undefined
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new UsageError(
      `--service-account-signing-key-file: cannot read ${file}: ` +
        ((error as NodeJS.ErrnoException).code ?? String(error)),
    )
  }
  try {
    const { asymmetricKeyType } = createPrivateKey(text)
    if (asymmetricKeyType === 'rsa' || asymmetricKeyType === 'ec') return text
  } catch {
    // The error below does not repeat what the library says about a secret.
  }
  throw new UsageError(`--service-account-signing-key-file: ${file} holds no RSA or EC private key`)
}

export function readIssuer(url: string | undefined): string | undefined {
  if (url === undefined || (url.startsWith('https://') && URL.canParse(url))) return url
  throw new UsageError(`--service-account-issuer must be a URL that starts with https://, not ${JSON.stringify(url)}`)
}
