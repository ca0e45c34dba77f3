/** Bodies of actions (Binding, Eviction): requests that make something happen to an object and are not stored. */
import type { JsonObject } from '../../api/json.ts'
import { apiVersionOf, type KubeObject } from '../../api/object.ts'
import type { Status } from '../../api/status.ts'
import { builtinShape } from '../../shape/builtin-shapes.ts'
import { decodeObject, unknownFields } from '../../shape/decode.ts'
import type { StructShape } from '../../shape/shape.ts'
import type { BodyType } from './body.ts'

/** `schema` is the name of the type, for example `io.k8s.api.core.v1.Binding`. */
export function actionBody(group: string, version: string, kind: string, schema: string): BodyType {
  return {
    group,
    version,
    kind,
    decode(value: JsonObject) {
      const shape = builtinShape(schema) as StructShape
      const { object, sawUnknown } = decodeObject(value, shape, kind, apiVersionOf(group, version))
      return { object: object as KubeObject, unknown: sawUnknown ? unknownFields(value, shape) : [] }
    },
  }
}

/** The response to an action that succeeded. */
export const actionSucceeded: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 }
