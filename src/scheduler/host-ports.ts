/** The ports of nodes that pods use. */
import type { Live, Pod } from '../index.ts'

export interface HostPort {
  /** As `TCP/8080`. */
  readonly port: string
  /** Of the node; {@link anyAddress} stands for all of them. */
  readonly address: string
}

const anyAddress = '0.0.0.0'
const noPorts: readonly HostPort[] = []

/** Of the containers that run as long as the pod: sidecars too, other init containers not. */
export function hostPorts({ spec }: Live<Pod>): readonly HostPort[] {
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always')
  const ports = [...sidecars, ...(spec?.containers ?? [])]
    .flatMap((container) => container.ports ?? [])
    .filter(({ hostPort }) => (hostPort ?? 0) > 0)
  return ports.length === 0
    ? noPorts
    : ports.map(({ hostPort, protocol, hostIP }) => ({
        port: `${protocol ?? 'TCP'}/${hostPort}`,
        address: hostIP === undefined || hostIP === '' ? anyAddress : hostIP,
      }))
}

/** Whether two pods cannot be on one node. */
export function portsClash(some: readonly HostPort[], others: readonly HostPort[]): boolean {
  return some.some((one) => others.some((other) => one.port === other.port && sharesAddress(one, other)))
}

function sharesAddress(one: HostPort, other: HostPort): boolean {
  return one.address === other.address || one.address === anyAddress || other.address === anyAddress
}
