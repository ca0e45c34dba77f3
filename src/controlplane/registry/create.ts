/** Create: stores a new object, for a POST or for an update or apply of a name that does not exist. */
import { apiError } from '../../api/status.ts'
import { keepParts } from '../storage/store.ts'
import { Admission } from './admission.ts'
import { resourceName, storageKey, writeContext, type RegistryCall } from './call.ts'
import { dedupOwners, fillGeneratedName, fillSystemFields, withResourceVersion } from './metadata.ts'
import { dropUnstoredLists } from './empty-lists.ts'
import { creationErrors } from './metadata-checks.ts'
import type { WriteOptions } from './options.ts'
import type { Decoded, WriteContext } from '../contract/resource.ts'
import { readResourceVersion } from './resource-version.ts'
import { isTooLarge, objectTooLarge } from './size.ts'
import { stage } from './write-stages.ts'
import { prepareConversions, peek, readBack } from './view-store.ts'
import type { Written } from './written.ts'

/** How many generated names may collide before the request fails. */
const nameAttempts = 8

/** `decoded`: the object, defaulted and with its managedFields. */
export function createObject(call: RegistryCall, options: WriteOptions, decoded: Decoded): Written {
  const { resource, backend } = call
  const { object } = decoded
  const { metadata } = object
  const { context, admission, generated } = stage(call, () => prepareNew(call, options, decoded))
  // A large object is measured in a turn of its own. Dropping lists may still make it smaller.
  const fits = call.stages?.run(() => !isTooLarge(object)) === true
  call.authorizeCreate?.()
  prepareConversions(backend.store, object)
  admission.validate()
  const version = readResourceVersion(metadata.resourceVersion ?? '')
  if (typeof version === 'number' && version !== 0) {
    throw apiError.internal('resourceVersion should not be set on objects to be created')
  }
  dropUnstoredLists(resource, context)
  if (decoded.isTooLarge === true || (!fits && isTooLarge(object, call.bodyLength))) throw objectTooLarge()
  for (let attempt = 1; ; attempt++) {
    const key = storageKey(resource, call.namespace, metadata.name as string)
    if (!options.dryRun) {
      const stored = backend.store.put(key, 0, (revision) => withResourceVersion(object, revision), context)
      if (stored !== undefined) {
        keepParts(stored, context.decoded?.parts)
        return { object: stored.object, stored, created: true }
      }
    }
    const existing = peek(backend.store, key)
    if (existing === undefined) return { object: readBack(backend.store, object, context), created: true }
    if (!generated) {
      const isGoing = existing.object.metadata.deletionTimestamp !== undefined
      if ((metadata.generateName ?? '') !== '') throw noUniqueName(call, metadata.name as string, isGoing)
      throw apiError.alreadyExists(resourceName(resource), metadata.name as string, isGoing)
    }
    if (attempt >= nameAttempts) throw noUniqueName(call, metadata.name as string)
    delete metadata.name
    fillGeneratedName(metadata, backend.env)
  }
}

interface Prepared {
  readonly context: WriteContext
  readonly admission: Admission
  /** The name is generated. */
  readonly generated: boolean
}

/** Mutating admission, system fields, validation. */
function prepareNew(call: RegistryCall, options: WriteOptions, decoded: Decoded): Prepared {
  const { resource, backend } = call
  const { strategy } = resource
  const { object } = decoded
  const { metadata } = object
  const context = writeContext(call, options.dryRun, decoded)
  const admission = new Admission(call, 'CREATE', object, undefined, context)
  admission.mutate()
  strategy.admitCreate?.(object, context)
  strategy.checkGrants?.(object, undefined, context)
  dedupOwners(call, metadata, true)
  fillSystemFields(metadata, backend.env)
  const generated = fillGeneratedName(metadata, backend.env)
  if (strategy.generation !== 'none' && strategy.startsWithoutGeneration !== true) metadata.generation = 1
  strategy.prepareForCreate?.(object, context)
  const errors = creationErrors(resource, metadata, strategy.validate?.(object, context) ?? [])
  if (errors.length > 0)
    throw apiError.invalid(strategy.errorGroup ?? resource.group, resource.kind, metadata.name ?? '', errors)
  for (const warning of strategy.warnings?.(object, undefined) ?? []) call.warnings.add(warning)
  return { context, admission, generated }
}

/** Upstream adds this for every object with a generateName, even if the client also set the name. */
function noUniqueName(call: RegistryCall, name: string, isGoing = false) {
  const error = apiError.alreadyExists(resourceName(call.resource), name, isGoing)
  error.status.message += ', the server was not able to generate a unique name for the object'
  error.status.details = { ...error.status.details, retryAfterSeconds: 1 }
  return error
}
