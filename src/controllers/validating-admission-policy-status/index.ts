/**
 * The ValidatingAdmissionPolicy status controller: 1 find the kinds that the rules of a policy name, 2 get their
 * schemas from the server, 3 check the types of the expressions against each of them, 4 update the status with the
 * warnings.
 */
import {
  controller,
  ValidatingAdmissionPolicy,
  type admissionregistrationV1,
  type ControllerDefinition,
} from '../../index.ts'
import { changed } from '../../controller/index.ts'
import { RestMappers } from '../shared/rest-mappers.ts'
import { kindsOf, paramKindOf } from './kinds.ts'
import { schemaReader, type KindSchema } from './schemas.ts'

export type { KindSchema } from './schemas.ts'

/**
 * The warnings about the expressions of a policy if objects, and parameters, are of these kinds. The control plane
 * provides it.
 */
export type PolicyTypeCheck = (
  spec: unknown,
  objects: readonly KindSchema[],
  params: KindSchema | undefined,
) => readonly admissionregistrationV1.ExpressionWarning[]

const name = 'validatingadmissionpolicy-status'

export function policyStatuses(check: PolicyTypeCheck): ControllerDefinition<ValidatingAdmissionPolicy> {
  const mappers = new RestMappers()
  return controller(ValidatingAdmissionPolicy)
    .named(`${name}-controller`)
    .when(changed(({ metadata }) => metadata.generation))
    .options({ fieldManager: name, concurrency: 5 })
    .reconcile(async ({ object, client, signal }) => {
      const { generation = 0 } = object.metadata
      if (generation <= (object.status?.observedGeneration ?? 0)) return
      const mapper = mappers.of(client)
      const schemaOf = schemaReader(client, signal)
      const objects: KindSchema[] = []
      for (const kind of await kindsOf(object.spec ?? {}, mapper)) {
        const schema = await schemaOf(kind)
        if (schema !== undefined) objects.push(schema)
      }
      const paramKind = paramKindOf(object.spec ?? {})
      const params = paramKind && (await schemaOf(paramKind))
      const expressionWarnings = [...check(object.spec, objects, params)]
      await client.apply(
        ValidatingAdmissionPolicy,
        {
          metadata: { name: object.metadata.name },
          status: {
            observedGeneration: generation,
            typeChecking: expressionWarnings.length === 0 ? {} : { expressionWarnings },
          },
        },
        { subresource: 'status', force: true, signal },
      )
    })
}
