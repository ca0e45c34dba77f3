/** What makes the cluster of `coxswain server` live: controllers, scheduler and simulated nodes, in the server's own process. */
import { builtinControllers, type BuiltinOptions } from '../controllers/index.ts'
import { quotaCount, type ControlPlane } from '../controlplane/index.ts'
import { inProcessTransport, Manager, realEnv, type ControllerDefinition, type Logger, type Task } from '../index.ts'
import { kubelets, nodesTask } from '../kubelet/index.ts'
import { scheduler } from '../scheduler/index.ts'

export interface LiveClusterOptions extends Omit<BuiltinOptions, 'quota'> {
  /** Names, as `builtinControllers` takes them. */
  readonly controllers: readonly string[]
  /** How many. 0: none, and no scheduler. */
  readonly nodes: number
  readonly log: Logger
}

export interface LiveCluster {
  /** Rejects when something failed that cannot go on. */
  readonly ended: Promise<void>
  stop(): Promise<void>
}

/** Resolves when the caches have synced and the workers work; the nodes register themselves right after. */
export async function startLiveCluster(plane: ControlPlane, options: LiveClusterOptions): Promise<LiveCluster> {
  const chosen = builtinControllers(options.controllers, { ca: options.ca, quota: quotaCount })
  const onNodes: readonly ControllerDefinition[] = options.nodes > 0 ? [scheduler(), kubelets()] : []
  const nodeTasks: readonly Task[] = options.nodes > 0 ? [nodesTask({ count: options.nodes })] : []
  const manager = new Manager({
    env: realEnv(), transport: inProcessTransport(plane.transport()), log: options.log, gracePeriod: 1000,
    controllers: [...chosen.controllers, ...onNodes], tasks: [...chosen.tasks, ...nodeTasks],
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
  const names = (text ?? 'none').split(',').map((name) => name.trim()).filter((name) => name !== '')
  builtinControllers(names)
  return names
}
