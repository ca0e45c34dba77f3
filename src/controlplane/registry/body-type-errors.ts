/**
 * Error messages for bodies whose kind or apiVersion is missing, unknown or not the expected one, in upstream's words.
 */
import { jsonTypeName } from '../../api/go-format.ts'
import type { Json, JsonObject } from '../../api/json.ts'
import { parseApiVersion } from '../../api/object.ts'
import { schemas } from '../../facts/facts.ts'
import { builtinShape } from '../../shape/builtin-shapes.ts'
import { decodeTyped, UnmarshalError } from '../../shape/decode.ts'
import type { StructShape } from '../../shape/shape.ts'
import { isUnserved } from './other-versions.ts'

/** The message for a body that is not a JSON object and so has no kind. */
export function bodyTypeError(value: Json): string {
  const fields =
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
  return (
    `couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonTypeName(value)} into Go value ` +
    `of type ${fields}`
  )
}

/** Kinds that are registered for every group and version. */
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

/** Groups whose types are registered in a scheme of their own, not in the API server's. */
const apart = new Set(['apiextensions.k8s.io', 'apiregistration.k8s.io'])

/**
 * Why a body of this kind is not accepted: it does not decode as the kind that it names, that kind cannot be converted
 * to the wanted one, or no such kind is registered.
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

/** The shape of a registered kind; true if it is registered but has no shape here; false if it is not registered. */
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
