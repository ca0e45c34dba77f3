/** Validation of volumes: exactly one source each, and the fields of the sources. */
import { fieldError, type FieldError } from '../../../../api/field-error.ts'
import type { Json, JsonObject } from '../../../../api/json.ts'
import { checkLabel, checkSubdomain } from '../../../../api/names.ts'
import { checkOneOf, checkSupported, reject } from '../errors.ts'
import { checkDescendingPath, checkNoBackstep, checkVolumeFile } from '../paths.ts'
import { checkFc, checkIscsi } from './block-volumes.ts'
import { checkClaimTemplate } from './claim-template.ts'
import { checkFieldRef, checkResourceFieldRef, volumeFieldPaths } from './downward-api.ts'
import { int, items, size, struct, text } from '../values.ts'

const modeMessage = 'must be a number between 0 and 0777 (octal), both inclusive'
export const pullPolicies = ['Always', 'IfNotPresent', 'Never']
const hostPathTypes = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
]

type Check = (errors: FieldError[], field: string, source: JsonObject, isPod: boolean) => void

interface Source {
  /** The JSON field. */
  readonly name: string
  /** The name in the error about a second source. Default: `name`. */
  readonly second?: string
  /** The name in the paths of errors in this source. Default: `name`. */
  readonly inside?: string
  readonly check?: Check
  /** Fields that may not be empty. */
  readonly required?: readonly string[]
}

/** In upstream's order, which decides which of two sources is rejected. */
const sources: readonly Source[] = [
  { name: 'emptyDir', check: checkEmptyDir },
  { name: 'hostPath', check: checkHostPath },
  { name: 'gitRepo', check: checkGitRepo },
  { name: 'gcePersistentDisk', inside: 'persistentDisk', required: ['pdName'] },
  { name: 'awsElasticBlockStore', required: ['volumeID'] },
  { name: 'secret', check: (errors, field, source) => checkFiles(errors, field, source, 'secretName') },
  { name: 'nfs', check: checkNfs },
  { name: 'iscsi', check: checkIscsi },
  { name: 'glusterfs', required: ['endpoints', 'path'] },
  { name: 'flocker' },
  { name: 'persistentVolumeClaim', required: ['claimName'] },
  { name: 'rbd', required: ['monitors', 'image'] },
  { name: 'cinder', required: ['volumeID'] },
  { name: 'cephfs', second: 'cephFS', required: ['monitors'] },
  { name: 'quobyte' },
  { name: 'downwardAPI', second: 'downwarAPI', check: checkDownwardApi },
  { name: 'fc', check: checkFc },
  { name: 'flexVolume', required: ['driver'] },
  { name: 'configMap', check: (errors, field, source) => checkFiles(errors, field, source, 'name') },
  { name: 'azureFile', required: ['secretName', 'shareName'] },
  { name: 'vsphereVolume', required: ['volumePath'] },
  { name: 'photonPersistentDisk', required: ['pdID'] },
  { name: 'portworxVolume', required: ['volumeID'] },
  { name: 'azureDisk', required: ['diskName', 'diskURI'] },
  { name: 'storageos' },
  { name: 'projected', check: checkProjected },
  { name: 'scaleIO', required: ['gateway', 'system', 'volumeName'] },
  { name: 'csi', check: checkCsi },
  { name: 'ephemeral', check: checkEphemeral },
  { name: 'image', check: checkImage },
]

/** Valid volumes by name: only these can be mounted. */
export type Volumes = ReadonlyMap<string, JsonObject>

/** `podName` is '' for templates: the names of the claims of ephemeral volumes are not known there. */
export function checkVolumes(
  errors: FieldError[],
  field: string,
  volumes: readonly JsonObject[],
  podName: string,
  isPod: boolean,
): Volumes {
  const known = new Map<string, JsonObject>()
  const claims = new Set<string>()
  if (podName !== '') {
    for (const volume of volumes) {
      if (volume.ephemeral !== undefined) claims.add(`${podName}-${text(volume.name)}`)
    }
  }
  for (const [i, volume] of volumes.entries()) {
    const at = `${field}[${i}]`
    const before = errors.length
    checkSource(errors, at, volume, isPod)
    const name = text(volume.name)
    if (volume.ephemeral !== undefined && podName !== '' && name !== '') {
      checkClaimName(errors, at, podName, name)
    }
    if (name === '') errors.push(fieldError.required(`${at}.name`))
    else reject(errors, `${at}.name`, name, checkLabel(name))
    if (known.has(name)) errors.push(fieldError.duplicate(`${at}.name`, name))
    if (errors.length === before) known.set(name, volume)
    const claim = text(struct(volume.persistentVolumeClaim)?.claimName)
    if (claims.has(claim)) {
      const message = 'must not reference a PVC that gets created for an ephemeral volume'
      errors.push(fieldError.invalid(`${at}.persistentVolumeClaim.claimName`, claim, message))
    }
  }
  return known
}

function checkClaimName(errors: FieldError[], at: string, podName: string, name: string): void {
  const claim = `${podName}-${name}`
  const messages = checkSubdomain(claim).map((message) => `PVC name ${JSON.stringify(claim)}: ${message}`)
  reject(errors, `${at}.name`, name, messages)
}

function checkSource(errors: FieldError[], field: string, volume: JsonObject, isPod: boolean): void {
  let found = false
  for (const source of sources) {
    const given = struct(volume[source.name])
    if (given === undefined) continue
    if (found) {
      errors.push(
        fieldError.forbidden(`${field}.${source.second ?? source.name}`, 'may not specify more than 1 volume type'),
      )
      continue
    }
    found = true
    const at = `${field}.${source.inside ?? source.name}`
    for (const name of source.required ?? []) {
      if (text(given[name]) === '' && size(given[name]) === 0) {
        errors.push(fieldError.required(`${at}.${name}`))
      }
    }
    source.check?.(errors, at, given, isPod)
  }
  if (!found) errors.push(fieldError.required(field, 'must specify a volume type'))
}

function checkEmptyDir(errors: FieldError[], field: string, source: JsonObject): void {
  if (text(source.sizeLimit).startsWith('-')) {
    errors.push(fieldError.forbidden(`${field}.sizeLimit`, 'SizeLimit field must be a valid resource quantity'))
  }
}

export function checkHostPath(errors: FieldError[], field: string, source: JsonObject): void {
  const path = text(source.path)
  if (path === '') {
    errors.push(fieldError.required(`${field}.path`))
    return
  }
  checkNoBackstep(errors, `${field}.path`, path)
  checkSupported(errors, `${field}.type`, text(source.type), hostPathTypes)
}

function checkGitRepo(errors: FieldError[], field: string, source: JsonObject): void {
  if (text(source.repository) === '') errors.push(fieldError.required(`${field}.repository`))
  checkDescendingPath(errors, `${field}.directory`, text(source.directory))
}

export function checkNfs(errors: FieldError[], field: string, source: JsonObject): void {
  const path = text(source.path)
  if (text(source.server) === '') errors.push(fieldError.required(`${field}.server`))
  if (path === '') errors.push(fieldError.required(`${field}.path`))
  if (!path.startsWith('/')) {
    errors.push(fieldError.invalid(`${field}.path`, path, 'must be an absolute path'))
  }
}

function checkMode(errors: FieldError[], field: string, mode: Json | undefined): void {
  if (typeof mode === 'number' && (mode < 0 || mode > 0o777)) {
    errors.push(fieldError.invalid(field, mode, modeMessage))
  }
}

/** Secret and ConfigMap volumes. */
function checkFiles(errors: FieldError[], field: string, source: JsonObject, nameField: string): void {
  if (text(source[nameField]) === '') errors.push(fieldError.required(`${field}.${nameField}`))
  checkMode(errors, `${field}.defaultMode`, source.defaultMode)
  for (const [i, item] of items(source.items).entries()) checkKeyToPath(errors, `${field}.items[${i}]`, item)
}

function checkKeyToPath(errors: FieldError[], field: string, item: JsonObject): void {
  if (text(item.key) === '') errors.push(fieldError.required(`${field}.key`))
  const path = text(item.path)
  if (path === '') errors.push(fieldError.required(`${field}.path`))
  checkVolumeFile(errors, `${field}.path`, path)
  checkMode(errors, `${field}.mode`, item.mode)
}

function checkDownwardApi(errors: FieldError[], field: string, source: JsonObject): void {
  checkMode(errors, `${field}.defaultMode`, source.defaultMode)
  for (const item of items(source.items)) checkDownwardFile(errors, field, item)
}

function checkDownwardFile(errors: FieldError[], field: string, item: JsonObject): void {
  const path = text(item.path)
  if (path === '') errors.push(fieldError.required(`${field}.path`))
  checkVolumeFile(errors, `${field}.path`, path)
  const reference = struct(item.fieldRef)
  const resource = struct(item.resourceFieldRef)
  if (reference !== undefined) {
    checkFieldRef(errors, `${field}.fieldRef`, reference, volumeFieldPaths)
    if (resource !== undefined) {
      const message = 'fieldRef and resourceFieldRef can not be specified simultaneously'
      errors.push(fieldError.invalid(field, 'resource', message))
    }
  } else if (resource !== undefined) {
    checkResourceFieldRef(errors, `${field}.resourceFieldRef`, resource, true)
  } else {
    errors.push(fieldError.required(field, 'one of fieldRef and resourceFieldRef is required'))
  }
  checkMode(errors, `${field}.mode`, item.mode)
}

function checkProjected(errors: FieldError[], field: string, source: JsonObject): void {
  checkMode(errors, `${field}.defaultMode`, source.defaultMode)
  const taken = new Set<string>()
  const take = (path: string, shown: string) => {
    if (path === '') return
    if (taken.has(path)) errors.push(fieldError.invalid(field, shown, 'conflicting duplicate paths'))
    taken.add(path)
  }
  for (const [i, projection] of items(source.sources).entries()) {
    checkProjection(errors, field, `${field}.sources[${i}]`, projection, take)
  }
}

function checkProjection(
  errors: FieldError[],
  volume: string,
  field: string,
  projection: JsonObject,
  take: (path: string, shown: string) => void,
): void {
  let count = 0
  for (const kind of ['secret', 'configMap'] as const) {
    const files = struct(projection[kind])
    if (files === undefined) continue
    count++
    const name = text(files.name)
    if (name === '') errors.push(fieldError.required(`${field}.${kind}.name`))
    for (const [i, item] of items(files.items).entries()) {
      checkKeyToPath(errors, `${field}.${kind}.items[${i}]`, item)
      take(text(item.path), name)
    }
  }
  const downward = struct(projection.downwardAPI)
  if (downward !== undefined) {
    count++
    for (const item of items(downward.items)) {
      checkDownwardFile(errors, `${field}.downwardAPI`, item)
      take(text(item.path), text(item.path))
    }
  }
  const token = struct(projection.serviceAccountToken)
  if (token !== undefined) {
    count++
    checkToken(errors, volume, `${field}.serviceAccountToken`, token)
  }
  if (count > 1) {
    errors.push(fieldError.forbidden(field, 'may not specify more than 1 volume type per source'))
  }
}

function checkToken(errors: FieldError[], volume: string, field: string, token: JsonObject): void {
  const seconds = int(token.expirationSeconds)
  const expiration = `${field}.expirationSeconds`
  if (seconds < 600) {
    errors.push(fieldError.invalid(expiration, seconds, 'may not specify a duration less than 10 minutes'))
  }
  if (seconds > 2 ** 32) {
    errors.push(fieldError.invalid(expiration, seconds, 'may not specify a duration larger than 2^32 seconds'))
  }
  const path = text(token.path)
  if (path === '') errors.push(fieldError.required(`${volume}.path`))
  else checkVolumeFile(errors, `${volume}.path`, path)
}

function checkCsi(errors: FieldError[], field: string, source: JsonObject): void {
  checkDriverName(errors, `${field}.driver`, text(source.driver))
  const secret = struct(source.nodePublishSecretRef)
  if (secret === undefined) return
  const name = text(secret.name)
  if (name === '') errors.push(fieldError.required(`${field}.nodePublishSecretRef.name`))
  else reject(errors, `${field}.name`, name, checkSubdomain(name))
}

export function checkDriverName(errors: FieldError[], field: string, name: string): void {
  if (name === '') {
    errors.push(fieldError.required(field))
    return
  }
  if (name.length > 63) errors.push(fieldError.tooLong(field, 63))
  reject(errors, field, name, checkSubdomain(name.toLowerCase()))
}

function checkEphemeral(errors: FieldError[], field: string, source: JsonObject): void {
  const template = struct(source.volumeClaimTemplate)
  if (template === undefined) errors.push(fieldError.required(`${field}.volumeClaimTemplate`))
  else checkClaimTemplate(errors, `${field}.volumeClaimTemplate`, template)
}

function checkImage(errors: FieldError[], field: string, source: JsonObject, isPod: boolean): void {
  if (isPod && text(source.reference) === '') errors.push(fieldError.required(`${field}.reference`))
  checkOneOf(errors, `${field}.pullPolicy`, text(source.pullPolicy), pullPolicies)
}
