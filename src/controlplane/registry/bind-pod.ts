/** `POST …/pods/NAME/binding` and `POST …/bindings`: assigns a pod to a node. */
import { cloneJson, type JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { fieldError, fieldErrorMessage, type FieldError } from '../../api/field-error.ts'
import { apiError, type Status } from '../../api/status.ts'
import { timestamp } from '../../env/env.ts'
import { Admission } from './admission.ts'
import { decodeBody } from './body.ts'
import { requestedKey, storageKey, writeContext, type RegistryCall } from './call.ts'
import { matchNamespace, withResourceVersion } from './metadata.ts'
import { writeOptions } from './options.ts'
import { actionBody, actionSucceeded } from './action-body.ts'
import { setPodCondition } from './pod-condition.ts'
import { wrongUid } from './update.ts'

const bindingType = actionBody('', 'v1', 'Binding', 'io.k8s.api.core.v1.Binding')
const pods = { group: '', resource: 'pods' }

/** `call` addresses the pods resource. Without a name in the URL, the Binding names the pod. */
export function bindPod(call: RegistryCall): Status {
  const options = writeOptions('CreateOptions', call.request.query)
  const { object: binding } = decodeBody(call, bindingType, options.fieldValidation)
  matchNamespace(binding.metadata, call.resource, call.namespace)
  const admission = new Admission(call, 'CREATE', binding, undefined, writeContext(call, options.dryRun))
  admission.mutate()
  const name = binding.metadata.name ?? ''
  if (call.name !== '' && call.name !== name)
    throw apiError.badRequest('name in URL does not match name in Binding object')
  const target = (binding['target'] ?? {}) as JsonObject
  const errors = targetErrors(target)
  if (errors.length === 1) throw apiError.internal(fieldErrorMessage(errors[0] as FieldError))
  if (errors.length > 1) throw apiError.internal(`[${errors.map(fieldErrorMessage).join(', ')}]`)
  admission.validate()
  assign(call, name, binding, String(target['name']), options.dryRun)
  return actionSucceeded
}

function targetErrors({ kind = '', name = '' }: JsonObject): FieldError[] {
  const errors: FieldError[] = []
  if (kind !== '' && kind !== 'Node')
    errors.push(fieldError.notSupported('target.kind', String(kind), ['Node', '<empty>']))
  if (name === '') errors.push(fieldError.required('target.name'))
  return errors
}

function assign(call: RegistryCall, name: string, binding: KubeObject, node: string, dryRun: boolean): void {
  const { store, env } = call.backend
  const key = requestedKey(call, name)
  if (name === '') throw apiError.badRequest('Name parameter required.')
  const live = store.get(key)
  if (live === undefined) throw apiError.notFound(pods, name)
  checkPreconditions({ ...call, name }, binding, live.object)
  const refuse = (why: string) => apiError.conflict({ group: '', resource: 'pods/binding' }, name, why)
  if (live.object.metadata.deletionTimestamp !== undefined)
    throw refuse(`pod ${name} is being deleted, cannot be assigned to a host`)
  const spec = (live.object['spec'] ?? {}) as JsonObject
  const present = spec['nodeName'] ?? ''
  if (present !== '') throw refuse(`pod ${name} is already assigned to node ${JSON.stringify(present)}`)
  const gates = spec['schedulingGates']
  if (Array.isArray(gates) && gates.length > 0) throw refuse(`pod ${name} has non-empty .spec.schedulingGates`)
  const status = cloneJson((live.object['status'] ?? {}) as JsonObject)
  delete status['nominatedNodeName']
  const metadata = { ...live.object.metadata }
  for (const field of ['annotations', 'labels'] as const) {
    const added = binding.metadata[field]
    if (added !== undefined && Object.keys(added).length > 0) metadata[field] = { ...metadata[field], ...added }
  }
  // What does not change is shared with the pod as it was: the containers and volumes of its template.
  const pod = { ...live.object, metadata, spec: { ...spec, nodeName: node }, status }
  setPodCondition(status, { type: 'PodScheduled', status: 'True' }, timestamp(env.now()))
  if (!dryRun) store.put(key, live.revision, (revision) => withResourceVersion(pod, revision))
}

function checkPreconditions(call: RegistryCall, binding: KubeObject, live: KubeObject): void {
  const { uid = '', resourceVersion = '' } = binding.metadata
  if (uid !== '' && uid !== live.metadata.uid) throw wrongUid(call, uid, live.metadata.uid ?? '')
  if (resourceVersion !== '' && resourceVersion !== live.metadata.resourceVersion) {
    throw apiError.conflict(
      pods,
      call.name,
      `StorageError: invalid object, Code: 4, Key: ${storageKey(call.resource, call.namespace, call.name)}, ` +
        'ResourceVersion: 0, ' +
        `AdditionalErrorMsg: Precondition failed: ResourceVersion in precondition: ${resourceVersion}, ` +
        `ResourceVersion in object meta: ${live.metadata.resourceVersion}`,
    )
  }
}
