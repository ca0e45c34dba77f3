/** What makes a cluster live: controllers, scheduler and simulated nodes, in the process of the server. */
import { builtinControllers, type BuiltinOptions, type Builtins } from '../controllers/index.ts'
import { quotaCount, type ControlPlane, type PodLogSource } from '../controlplane/index.ts'
import { inProcessTransport } from '../client/index.ts'
import { Manager } from '../manager/index.ts'
import { realEnv } from '../env/index.ts'
import type { Live, Logger, Pod } from '../index.ts'
import { containerLogs, kubelets, nodesTask, type KubeletOptions, type NodeOptions } from '../kubelet/index.ts'
import { scheduler } from '../scheduler/index.ts'

export interface LiveOptions extends Omit<BuiltinOptions, 'quota'>, KubeletOptions {
  /** Names, as `builtinControllers` takes them. */
  readonly controllers: readonly string[]
  /** How many. 0: none, and no scheduler. */
  readonly nodes: number
  /** Of each node. Default 8 CPUs, 32 GiB, 110 pods. */
  readonly capacity?: NodeOptions['capacity']
}

/** For a manager. */
export function liveParts({ controllers, nodes, capacity, ca, metrics, behaviours }: LiveOptions): Builtins {
  const chosen = builtinControllers(controllers, { ca, metrics, quota: quotaCount })
  if (nodes === 0) return chosen
  return {
    controllers: [...chosen.controllers, scheduler(), kubelets({ behaviours })],
    tasks: [...chosen.tasks, nodesTask({ count: nodes, capacity })],
  }
}

/** What the containers on the nodes print. */
export function liveLogs({ behaviours }: KubeletOptions): PodLogSource {
  const logs = containerLogs({ behaviours })
  return ({ pod, ...query }) => logs({ ...query, pod: pod as unknown as Live<Pod> })
}

export interface LiveClusterOptions extends LiveOptions {
  readonly log: Logger
}

export interface LiveCluster {
  /** Rejects when something failed that cannot go on. */
  readonly ended: Promise<void>
  stop(): Promise<void>
}

/** Resolves when the caches have synced and the workers work; the nodes register themselves right after. */
export async function startLiveCluster(plane: ControlPlane, options: LiveClusterOptions): Promise<LiveCluster> {
  if (options.nodes > 0) plane.serveLogs(liveLogs(options))
  const manager = new Manager({
    ...liveParts(options),
    env: realEnv(),
    transport: inProcessTransport(plane.transport()),
    log: options.log,
    gracePeriodMs: 1000,
    instance: '',
  })
  const stop = new AbortController()
  const ended = manager.run(stop.signal)
  // Who waits for the end is told; until then a failure must not be taken for one that nobody handles.
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

/** `all,-endpoints-controller` as a list; throws for a name that is none. */
export function controllerNames(text: string | undefined): readonly string[] {
  const names = (text ?? 'none')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  builtinControllers(names)
  return names
}
