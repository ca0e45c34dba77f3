/** The signers of kube-controller-manager, and which requests each of them accepts. */
import type { CertificateRequest } from '../../x509/index.ts'

export const kubeletClientSigner = 'kubernetes.io/kube-apiserver-client-kubelet'

type Check = (request: CertificateRequest, usages: readonly string[]) => string | undefined

/** By signer: why it does not sign a request. Undefined: it does. */
const signers: ReadonlyMap<string, Check> = new Map([
  ['kubernetes.io/kube-apiserver-client', (_, usages) => clientProblem(usages)],
  [kubeletClientSigner, kubeletClientProblem],
  ['kubernetes.io/kubelet-serving', kubeletServingProblem],
  ['kubernetes.io/legacy-unknown', () => undefined],
])

export function isSigner(name: string): boolean {
  return signers.has(name)
}

/** Why the signer does not sign the request. Undefined: it does. */
export function signerProblem(
  name: string,
  request: CertificateRequest,
  usages: readonly string[],
): string | undefined {
  return signers.get(name)?.(request, usages)
}

const clientUsages = new Set(['digital signature', 'key encipherment', 'client auth'])

function clientProblem(usages: readonly string[]): string | undefined {
  const other = usages.find((usage) => !clientUsages.has(usage))
  if (other !== undefined) return `invalid usage for client certificate: ${other}`
  return usages.includes('client auth') ? undefined : 'missing required usage for client certificate: client auth'
}

export function kubeletClientProblem(request: CertificateRequest, usages: readonly string[]): string | undefined {
  if (!isOfNodes(request)) return 'subject organization is not system:nodes'
  if (request.dnsNames.length > 0) return 'DNS subjectAltNames are not allowed'
  if (request.emailAddresses.length > 0) return 'Email subjectAltNames are not allowed'
  if (request.ipAddresses.length > 0) return 'IP subjectAltNames are not allowed'
  if (request.uris.length > 0) return 'URI subjectAltNames are not allowed'
  return nodeNameProblem(request) ?? usagesProblem(usages, 'client auth')
}

function kubeletServingProblem(request: CertificateRequest, usages: readonly string[]): string | undefined {
  if (!isOfNodes(request)) return 'subject organization is not system:nodes'
  if (request.dnsNames.length + request.ipAddresses.length === 0) return 'DNS or IP subjectAltName is required'
  if (request.emailAddresses.length > 0) return 'Email subjectAltNames are not allowed'
  if (request.uris.length > 0) return 'URI subjectAltNames are not allowed'
  return usagesProblem(usages, 'server auth') ?? nodeNameProblem(request)
}

function isOfNodes({ organizations }: CertificateRequest): boolean {
  return organizations.length === 1 && organizations[0] === 'system:nodes'
}

function nodeNameProblem({ commonName }: CertificateRequest): string | undefined {
  return commonName.startsWith('system:node:') ? undefined : 'subject common name does not begin with system:node:'
}

/** Exactly these usages; key encipherment only for RSA keys, but it is always allowed. */
function usagesProblem(usages: readonly string[], role: 'client auth' | 'server auth'): string | undefined {
  const required = ['digital signature', role]
  const given = new Set(usages.filter((usage) => usage !== 'key encipherment'))
  if (given.size === required.length && required.every((usage) => given.has(usage))) return undefined
  return `usages did not match [${[...required, 'key encipherment'].sort().join(' ')}]`
}
