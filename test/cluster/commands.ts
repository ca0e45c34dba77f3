/** The command lines of the programs of a reference cluster. They listen on loopback only, or not at all. */
import { basename, join } from 'node:path'
import type { Program } from './programs.ts'

/** The files of a cluster's folder. */
export function filesIn(folder: string) {
  return {
    kubeconfig: join(folder, 'kubeconfig'),
    tokens: join(folder, 'tokens.csv'),
    signingKey: join(folder, 'sa.key'),
    verifyingKey: join(folder, 'sa.pub'),
    /** The CA that signs CertificateSigningRequests. */
    signerCert: join(folder, 'signer.crt'),
    signerKey: join(folder, 'signer.key'),
    certificates: join(folder, 'certs'),
    /** The server's self-signed certificate with its CA. */
    ca: join(folder, 'certs', 'apiserver.crt'),
    etcdSocket: join(folder, 'etcd.sock'),
    etcdData: join(folder, 'etcd'),
    log: (name: string): string => join(folder, `${name}.log`),
  }
}

export function etcdArgs(folder: string): string[] {
  const files = filesIn(folder)
  return ['-data-dir', files.etcdData, '-socket', files.etcdSocket]
}

export interface ApiserverSettings {
  readonly port: number
  /** False admits pods whose service account does not exist, since no controller would create it. */
  readonly serviceAccounts: boolean
  readonly more: readonly string[]
}

export function apiserverArgs(folder: string, { port, serviceAccounts, more }: ApiserverSettings): string[] {
  const files = filesIn(folder)
  return [
    `--etcd-servers=unix://${files.etcdSocket}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    `--secure-port=${port}`,
    `--cert-dir=${files.certificates}`,
    `--token-auth-file=${files.tokens}`,
    '--authorization-mode=RBAC',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${files.verifyingKey}`,
    `--service-account-signing-key-file=${files.signingKey}`,
    '--service-cluster-ip-range=10.0.0.0/24',
    '--allow-privileged=true',
    // No Endpoints for the server itself, which would have its loopback address.
    '--endpoint-reconciler-type=none',
    ...(serviceAccounts ? [] : ['--disable-admission-plugins=ServiceAccount']),
    ...more,
  ]
}

export function controllerManagerArgs(folder: string): string[] {
  const files = filesIn(folder)
  return [
    `--kubeconfig=${files.kubeconfig}`,
    '--leader-elect=false',
    '--secure-port=0',
    '--use-service-account-credentials=false',
    `--service-account-private-key-file=${files.signingKey}`,
    `--root-ca-file=${files.ca}`,
    `--cluster-signing-cert-file=${files.signerCert}`,
    `--cluster-signing-key-file=${files.signerKey}`,
    '--controllers=*',
    '--kube-api-qps=200',
    '--kube-api-burst=400',
  ]
}

export function schedulerArgs(folder: string): string[] {
  return [
    `--kubeconfig=${filesIn(folder).kubeconfig}`,
    '--leader-elect=false',
    '--secure-port=0',
    '--kube-api-qps=200',
    '--kube-api-burst=400',
  ]
}

/** Addresses of nodes (RFC 5737, for documentation). They are never contacted. */
export const nodeAddress = (index: number): string => `192.0.2.${index + 1}`

/** Addresses of pods, from another such range: 254 at a time. */
const podRange = '198.51.100.0/24'

export const fakeNode = { 'kwok.x-k8s.io/node': 'fake' }

export function kwokArgs(folder: string, kwok: Program): string[] {
  return [
    `--kubeconfig=${filesIn(folder).kubeconfig}`,
    ...kwok.files.map((file) => `--config=${join(kwok.home, basename(file))}`),
    '--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake',
    // Without leases, node-lifecycle-controller sees no heartbeat for longer than its grace period, every 50 seconds.
    '--node-lease-duration-seconds=40',
    // No kubelet port: nothing listens, and nothing connects.
    '--node-port=0',
    `--node-ip=${nodeAddress(0)}`,
    `--cidr=${podRange}`,
  ]
}
