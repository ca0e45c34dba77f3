/**
 * Descriptions of the fields that every object has, for `kubectl explain` of custom resources. Other descriptions come
 * from the definition. Documents of built-in groups have none: the facts contain no prose.
 */
import { isObject, type Json, type JsonObject } from '../../../api/json.ts'
import { metaSchema } from './operation.ts'

export const typeDescriptions = {
  apiVersion:
    'APIVersion defines the group and the version of the schema that this object is written in, as GROUP/VERSION. ' +
    'The server converts objects to the version in which it stores them.',
  kind: 'Kind is the name of the type of this object, in CamelCase. It cannot be changed.',
  metadata: "Standard object's metadata: its name, its labels, and what the server knows about it.",
  listMetadata: "Standard list's metadata: its resourceVersion, and where to continue.",
} as const

/** By schema: that of the type itself under '', and those of its fields. */
const metaDescriptions: ReadonlyMap<string, Readonly<Record<string, string>>> = new Map(
  Object.entries({
    [metaSchema('ObjectMeta')]: {
      '': 'ObjectMeta is the metadata that every stored object has.',
      annotations: 'Annotations are texts of any form, for tools and people. They cannot be selected by.',
      creationTimestamp: 'CreationTimestamp is a timestamp of the moment when the server created this object, in UTC.',
      deletionGracePeriodSeconds:
        'The seconds that this object may take to end after its deletion was requested. Only set together with ' +
        'deletionTimestamp.',
      deletionTimestamp:
        'DeletionTimestamp is a timestamp of the moment from which this object may be removed. The server sets it ' +
        'when a client deletes an object that has finalizers or a grace period.',
      finalizers:
        'Names of those who have work to do before this object is removed. Each removes its own name when it is done.',
      generateName:
        'A prefix from which the server makes a unique name, if name is empty. The server appends random characters.',
      generation: 'A number that grows with each change of the desired state. The server sets it.',
      labels: 'Labels are keys and values by which objects are selected.',
      managedFields: 'Which manager owns which fields. The server keeps it, for server-side apply.',
      name: 'Name identifies this object among those of its kind and namespace. It cannot be changed.',
      namespace: 'Namespace is the space in which the name is unique. Empty for objects of the whole cluster.',
      ownerReferences:
        'The objects that this object depends on. When all of them are gone, it is garbage collected. One of them at ' +
        'most is its controller.',
      resourceVersion:
        'An opaque value that identifies this version of the object. Clients send it back in updates, so that they ' +
        'do not overwrite changes of others, and begin watches with it.',
      selfLink: 'Deprecated: the server no longer sets it.',
      uid: 'UID distinguishes this object from all others, also from later ones of this name. The server sets it.',
    },
    [metaSchema('OwnerReference')]: {
      '': 'OwnerReference names an object that owns this one, in the same namespace or in the whole cluster.',
      apiVersion: 'API version of the owner.',
      blockOwnerDeletion: 'If true, a foreground deletion of the owner waits until this object is gone.',
      controller: 'If true, the owner is the controller of this object.',
      kind: 'Kind of the owner.',
      name: 'Name of the owner.',
      uid: 'UID of the owner.',
    },
    [metaSchema('ManagedFieldsEntry')]: {
      '': 'ManagedFieldsEntry lists the fields that one manager owns.',
      apiVersion: 'The version in which the fields are listed.',
      fieldsType: 'The form of the list of fields: FieldsV1.',
      fieldsV1: 'The fields, as a tree.',
      manager: 'The name of the manager.',
      operation: 'How the manager wrote the fields: Apply or Update.',
      subresource: 'The subresource through which the fields were written. Empty for the object itself.',
      time: 'When the list last changed.',
    },
  }),
)

/** The schema with descriptions, if it is one of those. */
export function described(name: string, schema: Json | undefined): Json | undefined {
  const texts = metaDescriptions.get(name)
  if (texts === undefined || !isObject(schema)) return schema
  const properties: JsonObject = {}
  for (const [field, property] of Object.entries(isObject(schema['properties']) ? schema['properties'] : {})) {
    const text = Object.hasOwn(texts, field) ? texts[field] : undefined
    properties[field] = text === undefined || !isObject(property) ? property : { description: text, ...property }
  }
  return { description: texts[''] as string, ...schema, properties }
}
