/** Validation of iSCSI and Fibre Channel volumes, for pods and for PersistentVolumes. */
import { fieldError, type FieldError } from '../../../../api/field-error.ts'
import type { JsonObject } from '../../../../api/json.ts'
import { inclusiveRange } from '../formats.ts'
import { int, maybeInt, size, strings, struct, text } from '../values.ts'

const maxLun = 255
const qualifiedNames = [
  /^iqn\.\d{4}-\d{2}\.([0-9a-z.-]+)(:[^,;*&$|\s]+)$/,
  /^eui\.[0-9a-fA-F]{16}$/,
  /^naa\.[0-9a-fA-F]{32}$/,
]

function checkQualified(errors: FieldError[], field: string, name: string): void {
  if (!qualifiedNames.some((pattern) => pattern.test(name))) {
    errors.push(fieldError.invalid(field, name, 'must be valid format'))
  }
}

function checkLun(errors: FieldError[], field: string, lun: number): void {
  if (lun < 0 || lun > maxLun) errors.push(fieldError.invalid(field, lun, inclusiveRange(0, maxLun)))
}

export function checkIscsi(errors: FieldError[], field: string, source: JsonObject): void {
  if (text(source.targetPortal) === '') errors.push(fieldError.required(`${field}.targetPortal`))
  const iqn = text(source.iqn)
  if (iqn === '') errors.push(fieldError.required(`${field}.iqn`))
  else checkQualified(errors, `${field}.iqn`, iqn)
  checkLun(errors, `${field}.lun`, int(source.lun))
  const secret = struct(source.secretRef)
  const authenticates = source.chapAuthDiscovery === true || source.chapAuthSession === true
  if (secret === undefined && authenticates) errors.push(fieldError.required(`${field}.secretRef`))
  if (secret !== undefined && text(secret.name) === '') {
    errors.push(fieldError.required(`${field}.secretRef.name`))
  }
  if (source.initiatorName !== undefined) {
    checkQualified(errors, `${field}.initiatorname`, text(source.initiatorName))
  }
}

export function checkFc(errors: FieldError[], field: string, source: JsonObject): void {
  const targets = strings(source.targetWWNs)
  const at = `${field}.targetWWNs`
  if (targets.length + size(source.wwids) === 0) {
    errors.push(fieldError.required(at, 'must specify either targetWWNs or wwids, but not both'))
  }
  if (targets.length === 0) return
  if (size(source.wwids) > 0) {
    errors.push(fieldError.invalid(at, [...targets], 'targetWWNs and wwids can not be specified simultaneously'))
  }
  const lun = maybeInt(source.lun)
  if (lun === undefined) {
    errors.push(fieldError.required(`${field}.lun`, 'lun is required if targetWWNs is specified'))
  } else checkLun(errors, `${field}.lun`, lun)
}
