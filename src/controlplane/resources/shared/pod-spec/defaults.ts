/** Defaults of a pod spec, for pods and templates. Defaults that only pods get are in `pod/create.ts`. */
import type { JsonObject } from '../../../../api/json.ts'
import { defaultPullPolicy, imageTag } from '../image.ts'
import { roundRequirements, roundResourceList } from '../resource-list.ts'
import { fill, fillZero, items, struct, text } from '../values.ts'

/** The default of terminationGracePeriodSeconds. */
const gracePeriodSeconds = 30
/** 0644 */
const fileMode = 420

export function defaultPodSpec(spec: JsonObject): void {
  fillZero(spec, 'dnsPolicy', 'ClusterFirst')
  fillZero(spec, 'restartPolicy', 'Always')
  fill(spec, 'securityContext', {})
  fill(spec, 'terminationGracePeriodSeconds', gracePeriodSeconds)
  fillZero(spec, 'schedulerName', 'default-scheduler')
  // Two names of one field: serviceAccount is the deprecated alias of serviceAccountName.
  const account = text(spec.serviceAccountName) || text(spec.serviceAccount)
  if (account !== '') {
    spec.serviceAccountName = account
    spec.serviceAccount = account
  }
  for (const volume of items(spec.volumes)) defaultVolume(volume)
  for (const container of items(spec.initContainers)) defaultContainer(container)
  for (const container of items(spec.containers)) defaultContainer(container)
  for (const container of items(spec.ephemeralContainers)) defaultContainer(container)
  roundResourceList(spec.overhead)
  roundRequirements(struct(spec.resources))
}

function defaultContainer(container: JsonObject): void {
  fillZero(container, 'imagePullPolicy', defaultPullPolicy(text(container.image)))
  fillZero(container, 'terminationMessagePath', '/dev/termination-log')
  fillZero(container, 'terminationMessagePolicy', 'File')
  for (const port of items(container.ports)) fillZero(port, 'protocol', 'TCP')
  for (const variable of items(container.env)) {
    const source = struct(variable.valueFrom)
    if (source === undefined) continue
    defaultFieldRef(source)
    const file = struct(source.fileKeyRef)
    if (file !== undefined) fill(file, 'optional', false)
  }
  roundRequirements(struct(container.resources))
  defaultProbe(struct(container.livenessProbe))
  defaultProbe(struct(container.readinessProbe))
  defaultProbe(struct(container.startupProbe))
  const lifecycle = struct(container.lifecycle)
  if (lifecycle === undefined) return
  defaultHttpGet(struct(lifecycle.postStart))
  defaultHttpGet(struct(lifecycle.preStop))
}

function defaultProbe(probe: JsonObject | undefined): void {
  if (probe === undefined) return
  fillZero(probe, 'timeoutSeconds', 1)
  fillZero(probe, 'periodSeconds', 10)
  fillZero(probe, 'successThreshold', 1)
  fillZero(probe, 'failureThreshold', 3)
  defaultHttpGet(probe)
  const grpc = struct(probe.grpc)
  if (grpc !== undefined) fill(grpc, 'service', '')
}

function defaultHttpGet(handler: JsonObject | undefined): void {
  const get = struct(handler?.httpGet)
  if (get === undefined) return
  fillZero(get, 'path', '/')
  fillZero(get, 'scheme', 'HTTP')
}

function defaultFieldRef(parent: JsonObject): void {
  const reference = struct(parent.fieldRef)
  if (reference !== undefined) fillZero(reference, 'apiVersion', 'v1')
}

/** Volume sources that have a defaultMode. */
const withMode = ['secret', 'configMap', 'downwardAPI', 'projected'] as const

/** Constant defaults of rarely used sources. */
const sourceConstants: Readonly<Record<string, Readonly<Record<string, string | boolean>>>> = {
  iscsi: { iscsiInterface: 'default' },
  rbd: { pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' },
  azureDisk: { cachingMode: 'ReadWrite', fsType: 'ext4', readOnly: false, kind: 'Shared' },
  scaleIO: { storageMode: 'ThinProvisioned', fsType: 'xfs' },
}

function defaultVolume(volume: JsonObject): void {
  if (Object.keys(volume).length === (volume.name === undefined ? 0 : 1)) volume.emptyDir = {}
  for (const name of withMode) {
    const source = struct(volume[name])
    if (source !== undefined) fill(source, 'defaultMode', fileMode)
  }
  const hostPath = struct(volume.hostPath)
  if (hostPath !== undefined) fill(hostPath, 'type', '')
  for (const item of items(struct(volume.downwardAPI)?.items)) defaultFieldRef(item)
  for (const source of items(struct(volume.projected)?.sources)) {
    for (const item of items(struct(source.downwardAPI)?.items)) defaultFieldRef(item)
    const token = struct(source.serviceAccountToken)
    if (token !== undefined) fill(token, 'expirationSeconds', 3600)
  }
  const image = struct(volume.image)
  if (image !== undefined) {
    fillZero(image, 'pullPolicy', imageTag(text(image.reference)) === 'latest' ? 'Always' : 'IfNotPresent')
  }
  const claim = struct(struct(struct(volume.ephemeral)?.volumeClaimTemplate)?.spec)
  if (claim !== undefined) defaultClaimSpec(claim)
  defaultSourceConstants(volume)
}

function defaultSourceConstants(parent: JsonObject): void {
  for (const name in sourceConstants) {
    const source = struct(parent[name])
    if (source === undefined) continue
    for (const [field, value] of Object.entries(sourceConstants[name] as object)) {
      fill(source, field, value as string)
    }
  }
}

/** Also used by PersistentVolumeClaim and StatefulSet. */
export function defaultClaimSpec(spec: JsonObject): void {
  fill(spec, 'volumeMode', 'Filesystem')
  roundRequirements(struct(spec.resources))
}

/** Defaults of sources that pods and persistent volumes share. */
export function defaultVolumeSource(spec: JsonObject): void {
  const hostPath = struct(spec.hostPath)
  if (hostPath !== undefined) fill(hostPath, 'type', '')
  defaultSourceConstants(spec)
}
