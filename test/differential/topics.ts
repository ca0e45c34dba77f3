/** All topics of the suite. */
import type { Topic } from './case.ts'
import { long } from './cases/long.ts'
import { access } from './cases/access.ts'
import { escalation } from './cases/access-escalation.ts'
import { impersonation } from './cases/access-impersonation.ts'
import { paths } from './cases/access-paths.ts'
import { reviews } from './cases/access-reviews.ts'
import { tokens } from './cases/access-tokens.ts'
import { olderVersions } from './cases/older-versions.ts'
import { customResources } from './cases/custom-resources.ts'
import { definitionsTopic } from './cases/definitions.ts'
import { encodedRequests } from './cases/encoded-requests.ts'
import { errors } from './cases/errors.ts'
import { requests } from './cases/requests.ts'
import { kindTopics } from './cases/kinds.ts'
import { manyWrong } from './cases/many-wrong.ts'
import { names } from './cases/names.ts'
import { lists } from './cases/lists.ts'
import { customDetails } from './cases/custom-details.ts'
import { customVersions } from './cases/custom-versions.ts'
import { watches } from './cases/watches.ts'
import { patches } from './cases/patches.ts'
import { apply } from './cases/apply.ts'
import { applyKinds } from './cases/apply-kinds.ts'
import { generation } from './cases/generation.ts'
import { deletion } from './cases/deletion.ts'
import { fields } from './cases/fields.ts'
import { found } from './cases/found.ts'
import { admissionPolicies } from './cases/policies.ts'
import { mutatingPolicies } from './cases/mutating-policies.ts'
import { podLogs } from './cases/pod-logs.ts'
import { negotiation } from './cases/negotiation.ts'
import { webSockets } from './cases/web-sockets.ts'
import { wireForms } from './cases/wire-forms.ts'

export const topics: readonly Topic[] = [
  long,
  customVersions,
  customDetails,
  customResources,
  definitionsTopic,
  errors,
  requests,
  ...kindTopics,
  manyWrong,
  names,
  lists,
  watches,
  patches,
  apply,
  applyKinds,
  generation,
  deletion,
  fields,
  found,
  podLogs,
  admissionPolicies,
  mutatingPolicies,
  negotiation,
  access,
  escalation,
  impersonation,
  paths,
  reviews,
  tokens,
  olderVersions,
  webSockets,
  wireForms,
  encodedRequests,
]

/** The optional versions that a topic needs. */
export function runtimeConfigOf(name: string | undefined): readonly string[] {
  return topics.find((topic) => topic.name === name)?.runtimeConfig ?? []
}
