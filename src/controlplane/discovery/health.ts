/**
 * Health endpoints: `/healthz`, `/livez` and `/readyz`, as a whole and for each check. The checks have upstream's
 * names, because probes and dashboards use them; all pass unless `problem` reports a failure.
 */
import { notFoundPage, plainTextResponse } from './plain-response.ts'
import type { TextResponse } from '../contract/request.ts'

/** Why a check fails, or undefined if it passes. Called once for each check and request, so it must be fast. */
export type FindProblem = (check: string) => string | undefined

const startHooks = [
  'start-apiserver-admission-initializer',
  'generic-apiserver-start-informers',
  'priority-and-fairness-config-consumer',
  'priority-and-fairness-filter',
  'storage-object-count-tracker-hook',
  'start-apiextensions-informers',
  'start-apiextensions-controllers',
  'crd-informer-synced',
  'start-system-namespaces-controller',
  'start-cluster-authentication-info-controller',
  'start-kube-apiserver-identity-lease-controller',
  'start-kube-apiserver-identity-lease-garbage-collector',
  'start-legacy-token-tracking-controller',
  'start-service-ip-repair-controllers',
  'rbac/bootstrap-roles',
  'scheduling/bootstrap-system-priority-classes',
  'priority-and-fairness-config-producer',
  'bootstrap-controller',
  'start-kubernetes-service-cidr-controller',
  'start-kube-aggregator-informers',
  'apiservice-status-local-available-controller',
  'apiservice-status-remote-available-controller',
  'apiservice-registration-controller',
  'apiservice-discovery-controller',
  'kube-apiserver-autoregistration',
].map((name) => `poststarthook/${name}`)

const lastChecks = [
  'autoregister-completion',
  'poststarthook/apiservice-openapi-controller',
  'poststarthook/apiservice-openapiv3-controller',
]

const alive = ['ping', 'log', 'etcd', ...startHooks, ...lastChecks]
const ready = ['ping', 'log', 'etcd', 'etcd-readiness', 'informer-sync', ...startHooks, ...lastChecks, 'shutdown']

/** In the order of the verbose output. */
export const healthChecks: ReadonlyMap<string, readonly string[]> = new Map([
  ['healthz', alive],
  ['livez', alive],
  ['readyz', ready],
])

/** Undefined if the path is not a health endpoint. */
export function healthResponse(path: string, query: URLSearchParams, problem: FindProblem): TextResponse | undefined {
  const [, endpoint = '', ...rest] = path.split('/')
  const checks = healthChecks.get(endpoint)
  if (checks === undefined) return undefined
  if (rest.length === 0) return allChecks(endpoint, checks, query, problem)
  const check = rest.join('/')
  if (!checks.includes(check)) return notFoundPage()
  const failure = problem(check)
  if (failure !== undefined) return plainTextResponse(500, `internal server error: ${failure}\n`)
  return { type: 'text', status: 200, contentType: 'text/plain; charset=utf-8', body: 'ok' }
}

function allChecks(
  endpoint: string,
  checks: readonly string[],
  query: URLSearchParams,
  problem: FindProblem,
): TextResponse {
  const excluded = new Set(query.getAll('exclude'))
  const unknown = new Set(excluded)
  let report = ''
  let failed = false
  for (const check of checks) {
    if (excluded.has(check)) {
      unknown.delete(check)
      report += `[+]${check} excluded: ok\n`
    } else if (problem(check) === undefined) {
      report += `[+]${check} ok\n`
    } else {
      failed = true
      report += `[-]${check} failed: reason withheld\n`
    }
  }
  if (unknown.size > 0) {
    const names = [...unknown].sort().map((name) => JSON.stringify(name))
    report += `warn: some health checks cannot be excluded: no matches for ${names.join(',')}\n`
  }
  if (failed) return plainTextResponse(500, `${report}${endpoint} check failed\n`)
  return plainTextResponse(200, query.has('verbose') ? `${report}${endpoint} check passed\n` : 'ok')
}
