/** Kinds with a protobuf form, and the type of each. */
import { schemas, type TypeEncoding } from '../../facts/facts.ts'

const meta = 'io.k8s.apimachinery.pkg.apis.meta'

type Fields = TypeEncoding['fields']

const listFields: Fields = [
  ['metadata', 'a', 'v1.ListMeta'],
  ['items', 'a', '[]v1.PartialObjectMetadata'],
]

const optionFields: Fields = [
  ['dryRun', 'n', '[]string'],
  ['fieldManager', 'n', 'string'],
  ['fieldValidation', 'n', 'string'],
]

const discovery = 'io.k8s.api.apidiscovery.v2'

/** Types of aggregated discovery. */
const discoveryTypes: readonly (readonly [string, Fields])[] = [
  [
    `${meta}.v1.GroupVersionKind`,
    [
      ['group', 'a', 'string'],
      ['version', 'a', 'string'],
      ['kind', 'a', 'string'],
    ],
  ],
  [
    `${discovery}.APIGroupDiscoveryList`,
    [
      ['metadata', 'a', 'v1.ListMeta'],
      ['items', 'a', '[]v2.APIGroupDiscovery'],
    ],
  ],
  [
    `${discovery}.APIGroupDiscovery`,
    [
      ['metadata', 'a', 'v1.ObjectMeta'],
      ['versions', 'n', '[]v2.APIVersionDiscovery'],
    ],
  ],
  [
    `${discovery}.APIVersionDiscovery`,
    [
      ['version', 'a', 'string'],
      ['resources', 'n', '[]v2.APIResourceDiscovery'],
      ['freshness', 'n', 'string'],
    ],
  ],
  [
    `${discovery}.APIResourceDiscovery`,
    [
      ['resource', 'a', 'string'],
      ['responseKind', 's', '*v1.GroupVersionKind'],
      ['scope', 'a', 'string'],
      ['singularResource', 'a', 'string'],
      ['verbs', 'a', '[]string'],
      ['shortNames', 'n', '[]string'],
      ['categories', 'n', '[]string'],
      ['subresources', 'n', '[]v2.APISubresourceDiscovery'],
    ],
  ],
  [
    `${discovery}.APISubresourceDiscovery`,
    [
      ['subresource', 'a', 'string'],
      ['responseKind', 's', '*v1.GroupVersionKind'],
      ['acceptedTypes', 'n', '[]v1.GroupVersionKind'],
      ['verbs', 'a', '[]string'],
    ],
  ],
]

/** Fields, as in `encoding.json`, of apimachinery types that OpenAPI does not list. */
export const metaTypes: ReadonlyMap<string, Fields> = new Map<string, Fields>([
  ...discoveryTypes,
  [`${meta}.v1.PartialObjectMetadata`, [['metadata', 'a', 'v1.ObjectMeta']]],
  [`${meta}.v1.PartialObjectMetadataList`, listFields],
  [`${meta}.v1beta1.PartialObjectMetadataList`, listFields],
  [`${meta}.v1.CreateOptions`, optionFields],
  [`${meta}.v1.UpdateOptions`, optionFields],
  [`${meta}.v1.PatchOptions`, [...optionFields, ['force', 's', '*bool']]],
])

/** Kinds that are registered in every group and version. */
const everywhere: ReadonlyMap<string, string> = new Map(
  ['DeleteOptions', 'CreateOptions', 'UpdateOptions', 'PatchOptions'].map((kind) => [kind, `${meta}.v1.${kind}`]),
)

let index: ReadonlyMap<string, string> | undefined

/** The OpenAPI name of a kind's type; undefined if it has no protobuf form, as for custom resources. */
export function protobufMessageType(apiVersion: string, kind: string): string | undefined {
  index ??= indexKinds()
  return index.get(`${apiVersion} ${kind}`) ?? everywhere.get(kind)
}

function indexKinds(): ReadonlyMap<string, string> {
  const found = new Map<string, string>([
    ['meta.k8s.io/v1 PartialObjectMetadata', `${meta}.v1.PartialObjectMetadata`],
    ['meta.k8s.io/v1 PartialObjectMetadataList', `${meta}.v1.PartialObjectMetadataList`],
    ['meta.k8s.io/v1beta1 PartialObjectMetadata', `${meta}.v1.PartialObjectMetadata`],
    ['meta.k8s.io/v1beta1 PartialObjectMetadataList', `${meta}.v1beta1.PartialObjectMetadataList`],
    ['apidiscovery.k8s.io/v2 APIGroupDiscoveryList', `${discovery}.APIGroupDiscoveryList`],
    // Legacy discovery documents of the core group have no apiVersion.
    [' APIVersions', `${meta}.v1.APIVersions`],
    [' APIResourceList', `${meta}.v1.APIResourceList`],
  ])
  for (const [name, schema] of schemas().entries()) {
    for (const { group, version, kind } of schema['x-kubernetes-group-version-kind'] ?? []) {
      found.set(`${group === '' ? '' : `${group}/`}${version} ${kind}`, name)
    }
  }
  return found
}
