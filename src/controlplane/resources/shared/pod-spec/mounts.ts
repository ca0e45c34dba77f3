/** Validation of volume mounts and block devices. */
import { fieldError, type FieldError } from '../../../../api/field-error.ts'
import type { Json, JsonObject } from '../../../../api/json.ts'
import { checkSupported } from '../errors.ts'
import { checkDescendingPath, hasBackstep } from '../paths.ts'
import { items, struct, text } from '../values.ts'
import type { Volumes } from './volumes.ts'

const propagations = ['Bidirectional', 'HostToContainer', 'None']
const recursive = ['Disabled', 'Enabled', 'IfPossible']

export function checkMounts(errors: FieldError[], field: string, container: JsonObject, volumes: Volumes): void {
  const deviceNames = valuesOf(container.volumeDevices, 'name')
  const devicePaths = valuesOf(container.volumeDevices, 'devicePath')
  const paths = new Set<string>()
  for (const [i, mount] of items(container.volumeMounts).entries()) {
    const at = `${field}[${i}]`
    const name = text(mount.name)
    const path = text(mount.mountPath)
    if (name === '') errors.push(fieldError.required(`${at}.name`))
    if (!volumes.has(name)) errors.push(fieldError.notFound(`${at}.name`, name))
    if (path === '') errors.push(fieldError.required(`${at}.mountPath`))
    if (paths.has(path)) errors.push(fieldError.invalid(`${at}.mountPath`, path, 'must be unique'))
    paths.add(path)
    if (deviceNames.has(name)) {
      errors.push(fieldError.invalid(`${at}.name`, name, 'must not already exist in volumeDevices'))
    }
    if (devicePaths.has(path)) {
      errors.push(fieldError.invalid(`${at}.mountPath`, path, 'must not already exist as a path in volumeDevices'))
    }
    checkSubPaths(errors, field, at, mount)
    if (mount.mountPropagation !== undefined) {
      checkPropagation(errors, `${field}.mountPropagation`, mount, container)
    }
    checkRecursive(errors, `${field}.recursiveReadOnly`, mount)
  }
}

const nothing: ReadonlySet<string> = new Set()

function valuesOf(list: Json | undefined, field: string): ReadonlySet<string> {
  const given = items(list)
  return given.length === 0 ? nothing : new Set(given.map((item) => text(item[field])))
}

function checkSubPaths(errors: FieldError[], field: string, at: string, mount: JsonObject): void {
  const path = text(mount.subPath)
  const expression = text(mount.subPathExpr)
  if (path !== '') checkDescendingPath(errors, `${field}.subPath`, path)
  if (expression === '') return
  if (path !== '') {
    errors.push(fieldError.invalid(`${at}.subPathExpr`, expression, 'subPathExpr and subPath are mutually exclusive'))
  }
  checkDescendingPath(errors, `${field}.subPathExpr`, expression)
}

function checkPropagation(errors: FieldError[], field: string, mount: JsonObject, container: JsonObject): void {
  const mode = text(mount.mountPropagation)
  checkSupported(errors, field, mode, propagations)
  if (mode === 'Bidirectional' && struct(container.securityContext)?.privileged !== true) {
    const message = 'Bidirectional mount propagation is available only to privileged containers'
    errors.push(fieldError.forbidden(field, message))
  }
}

function checkRecursive(errors: FieldError[], field: string, mount: JsonObject): void {
  const mode = mount.recursiveReadOnly
  if (mode === undefined || mode === 'Disabled') return
  if (mode !== 'Enabled' && mode !== 'IfPossible') {
    errors.push(fieldError.notSupported(field, mode, recursive))
    return
  }
  if (mount.readOnly !== true) {
    errors.push(fieldError.forbidden(field, 'may only be specified when readOnly is true'))
  }
  if (mount.mountPropagation !== undefined && mount.mountPropagation !== 'None') {
    const message = 'may only be specified when mountPropagation is None or not specified'
    errors.push(fieldError.forbidden(field, message))
  }
}

export function checkDevices(errors: FieldError[], field: string, container: JsonObject, volumes: Volumes): void {
  const mountNames = valuesOf(container.volumeMounts, 'name')
  const mountPaths = valuesOf(container.volumeMounts, 'mountPath')
  const names = new Set<string>()
  const paths = new Set<string>()
  for (const [i, device] of items(container.volumeDevices).entries()) {
    const at = `${field}[${i}]`
    const name = text(device.name)
    const path = text(device.devicePath)
    const volume = volumes.get(name)
    if (name === '') errors.push(fieldError.required(`${at}.name`))
    if (names.has(name)) errors.push(fieldError.invalid(`${at}.name`, name, 'must be unique'))
    if (volume === undefined) {
      errors.push(fieldError.notFound(`${at}.name`, name))
    } else if (volume.persistentVolumeClaim === undefined && volume.ephemeral === undefined) {
      const message = 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode'
      errors.push(fieldError.invalid(`${at}.name`, name, message))
    }
    if (path === '') errors.push(fieldError.required(`${at}.devicePath`))
    if (paths.has(path)) errors.push(fieldError.invalid(`${at}.devicePath`, path, 'must be unique'))
    if (hasBackstep(path)) {
      errors.push(fieldError.invalid(`${at}.devicePath`, path, "can not contain backsteps ('..')"))
    } else {
      paths.add(path)
    }
    if (mountNames.has(name)) {
      errors.push(fieldError.invalid(`${at}.name`, name, 'must not already exist in volumeMounts'))
    }
    if (mountPaths.has(path)) {
      errors.push(fieldError.invalid(`${at}.devicePath`, path, 'must not already exist as a path in volumeMounts'))
    }
    if (name !== '') names.add(name)
  }
}
