/** Create: the way of a new object through the registry, by POST or by an update or apply of a missing name. */
import type { Json } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { apiError } from '../../api/status.ts'
import { asUnsettled } from '../../api/unsettled.ts'
import { trackCreate } from '../fields/first-entry.ts'
import type { Stored } from '../storage/store.ts'
import { Admission } from './admission.ts'
import { decodeBody } from './body.ts'
import { managerName, resourceName, storageKey, writeContext, type Call } from './call.ts'
import {
  dedupOwners,
  fillGeneratedName,
  fillSystemFields,
  matchNamespace,
  stamped,
  wipeSystemFields,
} from './metadata.ts'
import { dropUnstoredLists } from './empty-lists.ts'
import { creationErrors } from './metadata-checks.ts'
import { writeOptions, type WriteOptions } from './options.ts'
import { readResourceVersion } from './resource-version.ts'
import { checkSize } from './size.ts'
import { trackContext } from './tracking.ts'
import { foresee, peek, readBack } from './view-store.ts'

/** What a write left behind: the stored version, or under dry run only the object. */
export interface Written {
  readonly object: KubeObject
  readonly stored?: Stored
  readonly created: boolean
}

/** POST to a collection. */
export function create(call: Call): Written {
  const options = writeOptions('CreateOptions', call.request.query)
  const object = decodeBody(call, call.resource, options.fieldValidation)
  matchNamespace(object.metadata, call.resource, call.namespace)
  wipeSystemFields(object.metadata)
  dedupOwners(call, object.metadata, false)
  trackCreate(object, managerName(options.fieldManager, call.request), call.resource, call.backend.env.now(), () =>
    trackContext(call),
  )
  return createObject(call, object, options)
}

/** How often a generated name may collide before the client is told. */
const nameAttempts = 8

/** From here on the object is decoded, defaulted and tracked. */
export function createObject(call: Call, object: KubeObject, options: WriteOptions): Written {
  const { resource, backend } = call
  const { rules } = resource
  const { metadata } = object
  const context = writeContext(call, options.dryRun)
  const admission = new Admission(call, 'CREATE', object, undefined, context)
  admission.mutate()
  rules.admitCreate?.(object, context)
  rules.checkGrants?.(object, undefined, context)
  dedupOwners(call, metadata, true)
  fillSystemFields(metadata, backend.env)
  const generated = fillGeneratedName(metadata, backend.env)
  if (rules.generation !== 'none' && rules.startsWithoutGeneration !== true) metadata.generation = 1
  rules.prepareForCreate?.(object, context)
  const errors = creationErrors(resource, metadata, rules.validate?.(object, context) ?? [])
  if (errors.length > 0)
    throw apiError.invalid(rules.errorGroup ?? resource.group, resource.kind, metadata.name ?? '', errors)
  for (const warning of rules.warnings?.(object, undefined) ?? []) call.warnings.add(warning)
  call.authorizeCreate?.()
  foresee(backend.store, object)
  admission.validate()
  const version = readResourceVersion(metadata.resourceVersion ?? '')
  if (typeof version === 'number' && version !== 0) {
    throw apiError.internal('resourceVersion should not be set on objects to be created')
  }
  dropUnstoredLists(resource, object)
  checkSize(object as unknown as Json, call.bodyLength)
  for (let attempt = 1; ; attempt++) {
    const key = storageKey(resource, call.namespace, metadata.name as string)
    if (!options.dryRun) {
      const stored = backend.store.put(key, 0, (revision) => asUnsettled(stamped(object, revision), object))
      if (stored !== undefined) return { object: stored.object, stored, created: true }
    }
    const existing = peek(backend.store, key)
    if (existing === undefined) return { object: readBack(backend.store, object), created: true }
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

/** Upstream says so of every object with a generateName, even when the client chose the name. */
function noUniqueName(call: Call, name: string, isGoing = false) {
  const error = apiError.alreadyExists(resourceName(call.resource), name, isGoing)
  error.status.message += ', the server was not able to generate a unique name for the object'
  error.status.details = { ...error.status.details, retryAfterSeconds: 1 }
  return error
}
