/** Assembles the control plane of an embedded cluster, on a simulated clock. */
import { createControlPlane, type ControlPlane } from '../controlplane/index.ts'
import { defaultStore } from '../controlplane/storage/default-store.ts'
import { simulatedEnv, type SimulatedEnv } from '../env/simulated.ts'
import type { EmbeddedOptions } from './embedded-options.ts'
import { idleKindWarnings } from './idle-kinds.ts'
import type { inProcessWebhooks } from './in-process-webhooks.ts'
import { clusterAdmission, embeddedControllers } from './live-cluster.ts'

/** A snapshot continues at its time. Its seed would give the same UUIDs again. */
export function embeddedEnv({ seed, from }: EmbeddedOptions): SimulatedEnv {
  return simulatedEnv({ seed: seed ?? 1 + (from?.revision ?? 0), ...(from === undefined ? {} : { start: from.time }) })
}

export function embeddedServer(
  env: SimulatedEnv,
  options: EmbeddedOptions,
  callWebhook: ReturnType<typeof inProcessWebhooks> | undefined,
): ControlPlane {
  const builtin = embeddedControllers(options)
  return createControlPlane({
    creationWarnings: idleKindWarnings({ controllers: builtin, nodes: options.nodes ?? 0 }),
    serviceClusterIpRange: '10.0.0.0/16',
    ...options.controlPlane,
    ...(callWebhook === undefined ? {} : { callWebhook }),
    admission: clusterAdmission(builtin, options.controlPlane?.admission),
    env,
    store: defaultStore({ env, from: options.from }),
  })
}
