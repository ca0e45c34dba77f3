/** The command line of each program of a reference cluster. All of them listen on loopback or not at all. */
import { basename, join } from 'node:path'
import type { Program } from './programs.ts'

/** The files of a cluster's folder. */
export function filesIn(folder: string) {
  return {
    kubeconfig: join(folder, 'kubeconfig'),
    tokens: join(folder, 'tokens.csv'),
    signingKey: join(folder, 'sa.key'),
    verifyingKey: join(folder, 'sa.pub'),
    certificates: join(folder, 'certs'),
    /** The server's certificate, and that of the authority it made for itself. */
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
  /** False admits pods whose service account does not exist: who would create it does not run. */
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
    // No Endpoints of the server's own, which would be its loopback address.
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

/** Addresses of nodes (RFC 5737: for documentation); nobody answers there, and nobody asks. */
export const nodeAddress = (index: number): string => `192.0.2.${index + 1}`

/** Addresses of pods, from another such range: 254 at a time. */
const podRange = '198.51.100.0/24'

export const fakeNode = { 'kwok.x-k8s.io/node': 'fake' }

export function kwokArgs(folder: string, kwok: Program): string[] {
  return [
    `--kubeconfig=${filesIn(folder).kubeconfig}`,
    ...kwok.files.map((file) => `--config=${join(kwok.home, basename(file))}`),
    '--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake',
    // No kubelet's port: nothing to listen on, nothing to dial.
    '--node-port=0',
    `--node-ip=${nodeAddress(0)}`,
    `--cidr=${podRange}`,
  ]
}
