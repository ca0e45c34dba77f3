/** Bodies that are of no type, or of another: how upstream tells of them. */
import { jsonTypeName } from '../../api/go-format.ts'
import type { Json, JsonObject } from '../../api/json.ts'
import { parseApiVersion } from '../../api/object.ts'
import { schemas } from '../../facts/facts.ts'
import { builtinShape } from '../../shape/builtin-shapes.ts'
import { decodeTyped, UnmarshalError } from '../../shape/decode.ts'
import type { StructShape } from '../../shape/shape.ts'
import { isUnserved } from './other-versions.ts'

/** Why a value that is no object has no type. */
export function bodyTypeError(value: Json): string {
  const fields =
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
  return (
    `couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonTypeName(value)} into Go value ` +
    `of type ${fields}`
  )
}

/** Kinds that every group-version knows. */
const common = new Set([
  'CreateOptions',
  'DeleteOptions',
  'GetOptions',
  'ListOptions',
  'PatchOptions',
  'UpdateOptions',
  'WatchEvent',
])
const ofCore = new Set(['Status', 'APIVersions', 'APIGroup', 'APIGroupList', 'APIResourceList'])

/** Served by libraries that keep their types to themselves. */
const apart = new Set(['apiextensions.k8s.io', 'apiregistration.k8s.io'])

/**
 * Why a body of this kind is none of the type that is wanted: it cannot be read as what it says it is, cannot be made
 * into what is wanted, or nobody knows what it says it is.
 */
export function wrongKindReason(
  kind: string,
  apiVersion: string,
  wanted: { readonly group: string; readonly kind: string },
  value: JsonObject,
): string {
  const { group, version } = parseApiVersion(apiVersion) ?? { group: '', version: apiVersion }
  const known = registered(group, version, kind)
  if (known === false) {
    return (
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme ` +
      '"pkg/runtime/scheme.go:111"'
    )
  }
  if (known !== true) {
    try {
      decodeTyped(value, known)
    } catch (error) {
      if (error instanceof UnmarshalError) return error.message
      throw error
    }
  }
  return `converting (${version}.${kind}) to (${internalPackage(wanted.group)}.${wanted.kind}): unknown conversion`
}

/** The shape of a registered kind; true for one without. */
function registered(group: string, version: string, kind: string): StructShape | boolean {
  if (apart.has(group)) return false
  if (isUnserved(group === '' ? version : `${group}/${version}`, kind)) return true
  const path = `io.k8s.api.${internalPackage(group)}.${version}.`
  const schema = schemas().get(path + kind)
  if (
    schema?.['x-kubernetes-group-version-kind']?.some(
      (each) => each.group === group && each.version === version && each.kind === kind,
    ) === true
  ) {
    return builtinShape(path + kind) as StructShape
  }
  if (common.has(kind)) return knownVersions(group, version)
  return group === '' && version === 'v1' && ofCore.has(kind)
}

const aKindOf: Readonly<Record<string, string>> = { core: 'Pod', apps: 'Deployment', batch: 'Job' }

function knownVersions(group: string, version: string): boolean {
  const name = internalPackage(group)
  return Object.hasOwn(aKindOf, name) && schemas().get(`io.k8s.api.${name}.${version}.${aKindOf[name]}`) !== undefined
}

/** The Go package of a group's internal types. */
function internalPackage(group: string): string {
  return group === '' ? 'core' : (group.split('.', 1)[0] as string)
}
