/** Compares the servers of both trees with controllers, scheduler and nodes, in a fresh process for each round. */
import { openOurs, type Side as OpenSide } from '../cluster/side.ts'
import { quiet, rest, runDeployments, runPods } from '../cluster/workloads.ts'
import { alternate, Comparison } from './comparison.ts'
import type { Options } from './options.ts'
import type { Side, Trees } from './tree.ts'

const nodes = 100
const replicas = 3
/** A whole period of the heartbeats of nodes: otherwise chance decides how many of them fall into it. */
const restSeconds = 10

export async function compareCluster(trees: Trees, options: Options): Promise<Comparison> {
  const comparison = new Comparison()
  const { deployments, pods, rounds, wanted } = options
  const onFresh = async (side: Side, work: (cluster: OpenSide) => Promise<void>): Promise<void> => {
    const cluster = await openOurs(nodes, trees[side].root)
    try {
      await work(cluster)
    } finally {
      await cluster.stop()
    }
  }
  if (wanted('pods')) {
    const time = comparison.line('a pod, Pending to Running', 'time', 'µs')
    const memory = comparison.line(`peak memory with ${pods} pods`, 'memory', 'MiB')
    await alternate(rounds, (side) =>
      onFresh(side, async (cluster) => {
        const figures = await runPods(cluster, pods)
        time.values[side].push((figures.cpu * 1000) / pods)
        memory.values[side].push(figures.memory)
      }),
    )
  }
  if (wanted('deployments') || wanted('rest')) {
    const time = comparison.line(`a Deployment of ${replicas} until Available`, 'time', 'µs')
    const memory = comparison.line(`peak memory with ${deployments} Deployments`, 'memory', 'MiB')
    const atRest = wanted('rest') ? comparison.line('a second at rest', 'time', 'µs') : undefined
    const writes = wanted('rest') ? comparison.line(`writes in ${restSeconds} s at rest`, 'count') : undefined
    await alternate(rounds, (side) =>
      onFresh(side, async (cluster) => {
        const figures = await runDeployments(cluster, deployments, replicas)
        time.values[side].push((figures.cpu * 1000) / deployments)
        memory.values[side].push(figures.memory)
        if (!wanted('rest')) return
        await quiet(cluster)
        const resting = await rest(cluster, restSeconds * 1000)
        atRest?.values[side].push(resting.cpu * 1e6)
        writes?.values[side].push(resting.writes)
      }),
    )
  }
  return comparison
}
