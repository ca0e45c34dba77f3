/** The kinds that a policy is about: those of its rules, without wildcards, and that of its parameters. */
import type { admissionregistrationV1 } from '../../index.ts'
import type { DeepReadonly } from '../../api/index.ts'
import type { RestMapper } from '../../client/index.ts'

export interface KindOfVersion {
  readonly group: string
  readonly version: string
  readonly kind: string
}

type Spec = DeepReadonly<admissionregistrationV1.ValidatingAdmissionPolicySpec>

/** As upstream: a rule adds no more. */
const maxKinds = 10

/** Sorted by group, version and kind. */
export async function kindsOf({ matchConstraints }: Spec, mapper: RestMapper): Promise<readonly KindOfVersion[]> {
  const wanted = (matchConstraints?.resourceRules ?? []).map(wantedOf)
  if (wanted.every((resources) => resources.length === 0)) return []
  let served = await servedKinds(mapper)
  if (wanted.some((resources) => resources.some((resource) => !served.has(resource)))) {
    // A CRD may have added the kind.
    mapper.invalidate()
    served = await servedKinds(mapper)
  }
  const found = new Map<string, KindOfVersion>()
  for (const resources of wanted) {
    const kinds = resources.flatMap((resource) => served.get(resource) ?? []).slice(0, maxKinds)
    for (const kind of kinds) found.set(keyOf(kind), kind)
    if (kinds.length === maxKinds) break
  }
  return [...found].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, kind]) => kind)
}

/** `GROUP\nVERSION\nRESOURCE`. Empty if a group or version is a wildcard. */
function wantedOf({
  apiGroups = [],
  apiVersions = [],
  resources = [],
}: DeepReadonly<admissionregistrationV1.NamedRuleWithOperations>): readonly string[] {
  if ([...apiGroups, ...apiVersions].some((name) => name.includes('*'))) return []
  const plain = resources.filter((name) => !/[*/]/.test(name)).toSorted()
  return apiGroups
    .toSorted()
    .flatMap((group) =>
      apiVersions.toSorted().flatMap((version) => plain.map((resource) => `${group}\n${version}\n${resource}`)),
    )
}

async function servedKinds(mapper: RestMapper): Promise<ReadonlyMap<string, KindOfVersion>> {
  const kinds = (await mapper.served()).map(({ kind }) => kind)
  return new Map(
    kinds.map(({ group, version, plural, kind }) => [`${group}\n${version}\n${plural}`, { group, version, kind }]),
  )
}

function keyOf({ group, version, kind }: KindOfVersion): string {
  return `${group}\n${version}\n${kind}`
}

export function paramKindOf({ paramKind }: Spec): KindOfVersion | undefined {
  if (paramKind === undefined) return undefined
  const { apiVersion = '', kind = '' } = paramKind
  const slash = apiVersion.indexOf('/')
  return { group: apiVersion.slice(0, Math.max(slash, 0)), version: apiVersion.slice(slash + 1), kind }
}
