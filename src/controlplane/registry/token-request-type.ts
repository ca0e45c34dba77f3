/** The body type of the `token` subresource of ServiceAccounts: authentication.k8s.io/v1 TokenRequest. */
import type { JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { builtinShape } from '../../shape/builtin-shapes.ts'
import { decodeObject, unknownFields } from '../../shape/decode.ts'
import type { StructShape } from '../../shape/shape.ts'
import type { BodyType } from './body.ts'

const group = 'authentication.k8s.io'
const kind = 'TokenRequest'
const defaultSeconds = 3600

export function tokenRequestShape(): StructShape {
  return builtinShape('io.k8s.api.authentication.v1.TokenRequest') as StructShape
}

export const tokenRequestType: BodyType = {
  group,
  version: 'v1',
  kind,
  decode(value: JsonObject) {
    const shape = tokenRequestShape()
    const { object, sawUnknown } = decodeObject(value, shape, kind, `${group}/v1`)
    const spec = (object['spec'] ??= {}) as JsonObject
    spec['expirationSeconds'] ??= defaultSeconds
    return { object: object as KubeObject, unknown: sawUnknown ? unknownFields(value, shape) : [] }
  },
}
