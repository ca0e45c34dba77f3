/** Validation of the spec of a PersistentVolumeClaim, also in claim templates of pods and StatefulSets. */
import { fieldError, type FieldError } from '../../../../api/field-error.ts'
import { getOwn, type JsonObject } from '../../../../api/json.ts'
import { checkLabel, checkSubdomain } from '../../../../api/names.ts'
import { checkSupported, reject } from '../errors.ts'
import { mustBePositive } from '../formats.ts'
import { checkLabelSelector, checkLabels } from '../label-selector.ts'
import { strings, struct, text } from '../values.ts'

export const accessModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod']
export const volumeModes = ['Block', 'Filesystem']

export function checkClaimTemplate(errors: FieldError[], field: string, template: JsonObject): void {
  const metadata = struct(template.metadata)
  checkLabels(errors, `${field}.metadata.labels`, metadata?.labels)
  checkClaimSpec(errors, `${field}.spec`, struct(template.spec) ?? {})
}

/** `before`: the old spec. If it names an API group, the new one may name any. */
export function checkClaimSpec(errors: FieldError[], field: string, spec: JsonObject, before?: JsonObject): void {
  const anyGroup = [before?.dataSource, before?.dataSourceRef].some(
    (source) => typeof struct(source)?.apiGroup === 'string',
  )
  const modes = strings(spec.accessModes)
  if (modes.length === 0) {
    errors.push(fieldError.required(`${field}.accessModes`, 'at least 1 access mode is required'))
  }
  checkLabelSelector(errors, `${field}.selector`, spec.selector)
  checkAccessModes(errors, `${field}.accessModes`, modes)
  checkStorageRequest(errors, `${field}.resources[storage]`, spec)
  const className = text(spec.storageClassName)
  if (className !== '') reject(errors, `${field}.storageClassName`, className, checkSubdomain(className))
  if (spec.volumeMode !== undefined) {
    checkSupported(errors, `${field}.volumeMode`, text(spec.volumeMode), volumeModes)
  }
  checkDataSource(errors, `${field}.dataSource`, struct(spec.dataSource), anyGroup)
  checkDataSource(errors, `${field}.dataSourceRef`, struct(spec.dataSourceRef), anyGroup)
  const attributes = text(spec.volumeAttributesClassName)
  if (attributes !== '') {
    reject(errors, `${field}.volumeAttributesClassName`, attributes, checkSubdomain(attributes))
  }
}

/** Also used by PersistentVolume. */
export function checkAccessModes(errors: FieldError[], field: string, modes: readonly string[]): void {
  for (const mode of modes) checkSupported(errors, field, mode, accessModes)
  const others = modes.some((mode) => mode !== 'ReadWriteOncePod' && accessModes.includes(mode))
  if (others && modes.includes('ReadWriteOncePod')) {
    errors.push(fieldError.forbidden(field, 'may not use ReadWriteOncePod with other access modes'))
  }
}

function checkStorageRequest(errors: FieldError[], field: string, spec: JsonObject): void {
  const requests = struct(struct(spec.resources)?.requests)
  const storage = requests === undefined ? undefined : getOwn(requests, 'storage')
  if (storage === undefined) errors.push(fieldError.required(field))
  else if (storage === '0' || text(storage).startsWith('-')) {
    errors.push(fieldError.invalid(field, storage, mustBePositive))
  }
}

function checkDataSource(errors: FieldError[], field: string, source: JsonObject | undefined, anyGroup: boolean): void {
  if (source === undefined) return
  const kind = text(source.kind)
  const group = text(source.apiGroup)
  if (text(source.name) === '') errors.push(fieldError.required(`${field}.name`))
  if (kind === '') errors.push(fieldError.required(`${field}.kind`))
  if (group === '' && kind !== 'PersistentVolumeClaim') {
    errors.push(
      fieldError.invalid(field, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup"),
    )
  }
  if (group !== '' && !anyGroup) reject(errors, `${field}.apiGroup`, group, checkSubdomain(group))
  const namespace = text(source.namespace)
  if (namespace !== '') reject(errors, `${field}.namespace`, namespace, checkLabel(namespace))
}
