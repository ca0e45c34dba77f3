/** Events about repaired cluster IPs, as upstream's `ipallocator-repair-controller` emits them. */
import { microTime } from '../../api/micro-time.ts'
import type { KubeObject } from '../../api/object.ts'
import type { Env } from '../../env/env.ts'
import { systemUser } from '../auth/user-names.ts'
import type { ApiRequest, ApiResponse } from '../contract/request.ts'
import type { ReportRepair } from './service-reference.ts'

const reportingController = 'ipallocator-repair-controller'

export function repairEvents(
  env: Env,
  handle: (request: ApiRequest) => ApiResponse | Promise<ApiResponse>,
): ReportRepair {
  return ({ apiVersion = '', kind = '', metadata }, reason, note) => {
    const namespace = metadata.namespace ?? 'default'
    const body: KubeObject = {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { namespace, name: `${metadata.name}.${(BigInt(env.now()) * 1_000_000n).toString(16)}` },
      eventTime: microTime(env.now()),
      reportingController,
      reportingInstance: `${reportingController}-coxswain`,
      action: kind === 'Service' ? 'ClusterIPAllocation' : 'IPAddressAllocation',
      reason,
      regarding: { kind, apiVersion, ...identityOf(metadata) },
      note,
      type: 'Warning',
    }
    // Rejected if its namespace is being deleted: then nobody needs it.
    void handle({
      method: 'POST',
      path: `/apis/events.k8s.io/v1/namespaces/${namespace}/events`,
      query: new URLSearchParams(),
      headers: { 'user-agent': 'kube-apiserver' },
      user: systemUser,
      body,
    })
  }
}

function identityOf({ namespace, name = '', uid = '', resourceVersion = '' }: KubeObject['metadata']) {
  return { ...(namespace === undefined ? {} : { namespace }), name, uid, resourceVersion }
}
