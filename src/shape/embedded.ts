/** Embedded structs of upstream's types: decoding errors have their names in the path of a field. */

const reference = { LocalObjectReference: ['name'] }
const configuration = { DeviceConfiguration: ['opaque'] }
const rule = ['apiGroups', 'apiVersions', 'resources', 'scope']

/** By the Go name of the struct: the embedded struct and its fields. */
const embedded: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  IngressRule: { IngressRuleValue: ['http'] },
  DeviceClaimConfiguration: configuration,
  DeviceAllocationConfiguration: configuration,
  DeviceClassConfiguration: configuration,
  SecretProjection: reference,
  ConfigMapVolumeSource: reference,
  ConfigMapProjection: reference,
  ConfigMapKeySelector: reference,
  SecretKeySelector: reference,
  ConfigMapEnvSource: reference,
  SecretEnvSource: reference,
  Probe: { ProbeHandler: ['exec', 'httpGet', 'tcpSocket', 'grpc'] },
  RuleWithOperations: { Rule: rule },
  NamedRuleWithOperations: { RuleWithOperations: ['operations'], 'RuleWithOperations.Rule': rule },
}

/** Structs in which all but these fields belong to the embedded struct. */
const allBut: Readonly<Record<string, readonly [name: string, own: readonly string[]]>> = {
  Volume: ['VolumeSource', ['name']],
  EphemeralContainer: ['EphemeralContainerCommon', ['targetContainerName']],
  PersistentVolumeSpec: [
    'PersistentVolumeSource',
    [
      'capacity',
      'accessModes',
      'claimRef',
      'persistentVolumeReclaimPolicy',
      'storageClassName',
      'mountOptions',
      'volumeMode',
      'nodeAffinity',
      'volumeAttributesClassName',
    ],
  ],
}

/** `VolumeSource` for `configMap` of a `Volume`; undefined for a field of the struct itself. */
export function embeddedHome(struct: string, field: string): string | undefined {
  if (Object.hasOwn(allBut, struct)) {
    const [name, own] = allBut[struct] as (typeof allBut)[string]
    return own.includes(field) ? undefined : name
  }
  if (!Object.hasOwn(embedded, struct)) return undefined
  return Object.entries(embedded[struct] ?? {}).find(([, fields]) => fields.includes(field))?.[0]
}
