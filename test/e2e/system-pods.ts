/**
 * The system pods that the official tests look for on every node. Some tests wait a minute for them before they begin,
 * and then go on without them: longer than they may take.
 */
import { spawn } from 'node:child_process'
import type { Site } from './run-test.ts'

const names = ['kube-proxy', 'fluentd-elasticsearch', 'node-problem-detector']

function daemonSet(name: string): object {
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name, namespace: 'kube-system' },
    spec: {
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: {
          containers: [{ name, image: `${name}:simulated` }],
          priorityClassName: 'system-node-critical',
          // They stay on nodes that a test taints.
          tolerations: [{ operator: 'Exists' }],
        },
      },
    },
  }
}

/** Resolves when the pods are ready. */
export async function createSystemPods(site: Pick<Site, 'kubectl' | 'kubeconfig'>): Promise<void> {
  const list = { apiVersion: 'v1', kind: 'List', items: names.map(daemonSet) }
  await kubectl(site, ['apply', '-f', '-'], JSON.stringify(list))
  for (const name of names) {
    await kubectl(site, ['rollout', 'status', `daemonset/${name}`, '-n', 'kube-system', '--timeout=60s'])
  }
}

function kubectl(site: Pick<Site, 'kubectl' | 'kubeconfig'>, args: readonly string[], input = ''): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(site.kubectl, [`--kubeconfig=${site.kubeconfig}`, ...args], {
      stdio: ['pipe', 'ignore', 'pipe'],
    })
    let stderr = ''
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk))
    child.once('error', reject)
    child.once('close', (code) => {
      if (code === 0) resolve()
      else reject(new Error(`kubectl ${args.join(' ')} failed: ${stderr.trim()}`))
    })
    child.stdin.on('error', () => {})
    child.stdin.end(input)
  })
}
