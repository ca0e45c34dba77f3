/**
 * The components that run beside the API server in its process: built-in controllers, scheduler and simulated nodes.
 */
import { builtinControllers, chosenControllers, type BuiltinOptions, type Builtins } from '../controllers/index.ts'
import {
  policyWarnings,
  quotaCount,
  type ControlPlane,
  type PluginChoice,
  type PodLogSource,
  type UsageSource,
} from '../controlplane/index.ts'
import { inProcessTransport } from '../client/index.ts'
import { Manager } from '../manager/index.ts'
import { realEnv } from '../env/index.ts'
import type { Live, Logger, Node, Pod } from '../index.ts'
import {
  containerLogs,
  kubelets,
  nodesTask,
  nodeUsage,
  podUsage,
  provisioners,
  storageTask,
  type KubeletOptions,
  type NodeOptions,
  type StorageOptions,
} from '../kubelet/index.ts'
import { scheduler } from '../scheduler/index.ts'

/** The provisioner of simulated volumes. */
export { simulatedDriver } from '../kubelet/index.ts'

export interface LiveOptions
  extends Omit<BuiltinOptions, 'quota' | 'sign' | 'typeCheck'>, KubeletOptions, StorageOptions {
  /** Names, as for `builtinControllers`. */
  readonly controllers: readonly string[]
  /** The number of nodes. 0: no nodes and no scheduler. */
  readonly nodes: number
  /** Capacity of each node. Default 8 CPUs, 32 GiB, 110 pods. */
  readonly capacity?: NodeOptions['capacity']
}

/**
 * The admission plugins of a control plane with these controllers: ServiceAccount is on, as upstream, if namespaces get
 * their service account.
 */
export function clusterAdmission(controllers: readonly string[], choice: PluginChoice = {}): PluginChoice {
  const { enable = [], disable = [] } = choice
  if (!chosenControllers(controllers).has('serviceaccount-controller') || disable.includes('ServiceAccount'))
    return choice
  return { enable: [...enable, 'ServiceAccount'], disable }
}

/** Content of the ConfigMaps kube-root-ca.crt of an embedded cluster. Without sockets nobody uses it. */
export const emptyCa = '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n'

interface EmbeddedControllers {
  readonly nodes?: number | undefined
  readonly builtin?: readonly string[] | undefined
}

/** The controllers of an embedded cluster: by default all if there are nodes, otherwise none. */
export function embeddedControllers(options: EmbeddedControllers): readonly string[] {
  return options.builtin ?? ((options.nodes ?? 0) === 0 ? [] : ['all'])
}

/** Options for a manager. */
export function clusterControllers({ signRequest }: ControlPlane, options: LiveOptions): Builtins {
  const { controllers, nodes, capacity, ca, metrics, behaviours, anyStorageClass } = options
  const inputs = { ca, metrics, quota: quotaCount, sign: signRequest, typeCheck: policyWarnings }
  const chosen = builtinControllers(controllers, inputs)
  if (nodes === 0) return chosen
  return {
    controllers: [...chosen.controllers, scheduler(), kubelets({ behaviours }), ...provisioners({ anyStorageClass })],
    tasks: [...chosen.tasks, nodesTask({ count: nodes, capacity }), storageTask()],
  }
}

/** A source for the logs of simulated containers. */
export function simulatedPodLogs({ behaviours }: KubeletOptions): PodLogSource {
  const logs = containerLogs({ behaviours })
  return ({ pod, ...query }) => logs({ ...query, pod: pod as unknown as Live<Pod> })
}

/** The usage of simulated nodes and their pods. */
export const simulatedUsage: UsageSource = {
  pod: (pod) => podUsage(pod as unknown as Live<Pod>),
  node: (node, pods) => nodeUsage(node as unknown as Live<Node>, pods as unknown as Live<Pod>[]),
}

export interface LiveClusterOptions extends LiveOptions {
  readonly log: Logger
}

export interface LiveCluster {
  /** Rejects when the cluster cannot continue. */
  readonly ended: Promise<void>
  stop(): Promise<void>
}

/** Resolves when the caches have synced and the workers run; the nodes register right after that. */
export async function startLiveCluster(plane: ControlPlane, options: LiveClusterOptions): Promise<LiveCluster> {
  if (options.nodes > 0) {
    plane.serveLogs(simulatedPodLogs(options))
    plane.serveUsage(simulatedUsage)
  }
  const manager = new Manager({
    ...clusterControllers(plane, options),
    env: realEnv(),
    transport: inProcessTransport(plane.transport()),
    log: options.log,
    gracePeriodMs: 1000,
    instance: '',
  })
  const stop = new AbortController()
  const ended = manager.run(stop.signal)
  // The caller awaits `ended`. Until then a failure must not count as an unhandled rejection.
  ended.catch(() => undefined)
  await Promise.race([manager.whenWorking(), ended])
  return {
    ended,
    stop: async () => {
      stop.abort()
      await ended
    },
  }
}

/** Parses `all,-endpoints-controller`; throws for an unknown name. */
export function controllerNames(text: string | undefined): readonly string[] {
  const names = (text ?? 'none')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  builtinControllers(names)
  return names
}
