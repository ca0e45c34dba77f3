/**
 * Replaces kube-controller-manager for Deployments: marks each as available at once, without pods and ReplicaSets. On
 * two cores kube-controller-manager would use most of the processor time, equally for each measured operator.
 * `deployments-child.ts KUBECONFIG`
 */
import { controller, Deployment } from '../../src/index.ts'
import { Manager } from '../../src/manager/index.ts'
import { clusterTransport, loadAccess } from '../../src/client/index.ts'
import { realEnv, timestamp } from '../../src/env/index.ts'
import { transportTo } from '../runtime/connect.ts'

const [kubeconfig = ''] = process.argv.slice(2)

const deployments = controller(Deployment)
  .named('deployments')
  .options({ concurrency: 8 })
  .reconcile(({ object, status, now }) => {
    const { generation = 0 } = object.metadata
    if (object.status?.observedGeneration === generation) return
    const replicas = object.spec?.replicas ?? 1
    const at = timestamp(now())
    const condition = (type: string, reason: string) => ({
      type,
      status: 'True' as const,
      reason,
      message: '',
      lastUpdateTime: at,
      lastTransitionTime: at,
    })
    status.set({
      observedGeneration: generation,
      replicas,
      updatedReplicas: replicas,
      readyReplicas: replicas,
      availableReplicas: replicas,
      conditions: [
        condition('Available', 'MinimumReplicasAvailable'),
        condition('Progressing', 'NewReplicaSetAvailable'),
      ],
    })
  })

const manager = new Manager({
  transport: await transportTo(kubeconfig, { clusterTransport, loadAccess, realEnv }),
  controllers: [deployments],
})
const stop = new AbortController()
// Ends with the parent process, even if the parent is killed.
for (const end of ['SIGTERM', 'disconnect'] as const) process.once(end, () => stop.abort())
const ended = manager.run(stop.signal)
await Promise.race([manager.whenWorking(), ended])
process.send?.('ready')
await ended
process.exit(0)
