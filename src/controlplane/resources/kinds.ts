/** Which folder holds the rules of which resource, by plural name and group, as in `strategies.ts`. */
import { configMap } from './config-map/index.ts'
import { deployment } from './deployment/index.ts'
import type { KindRules } from './kind-rules.ts'
import { namespace } from './namespace/index.ts'
import { pod } from './pod/index.ts'
import { secret } from './secret/index.ts'
import { service } from './service/index.ts'

export const kinds: Readonly<Record<string, KindRules>> = {
  configmaps: configMap,
  'deployments.apps': deployment,
  namespaces: namespace,
  pods: pod,
  secrets: secret,
  services: service,
}
