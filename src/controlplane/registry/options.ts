/** The options of a write, from the query and, for deletes, from the body. Errors are in upstream's words. */
import { appendAll } from '../../api/append.ts'
import { fieldError, type FieldError } from '../../api/field-error.ts'
import { jsonTypeName } from '../../api/go-format.ts'
import { isObject, type Json, type JsonObject } from '../../api/json.ts'
import { validateFieldManager } from '../../api/object-meta.ts'
import { apiError } from '../../api/status.ts'
import type { RequestAudit } from '../contract/request-audit.ts'
import { bodyTypeError } from './body-type-errors.ts'

export type FieldValidation = 'Strict' | 'Warn' | 'Ignore'

export interface WriteOptions {
  readonly dryRun: boolean
  /** '' if the client sent none. */
  readonly fieldManager: string
  readonly fieldValidation: FieldValidation
  /** Only for apply. */
  readonly force: boolean
}

const group = 'meta.k8s.io'

/** Options of create, update and patch. `kind` is CreateOptions, UpdateOptions or PatchOptions. */
export function writeOptions(
  kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions',
  query: URLSearchParams,
  apply = false,
): WriteOptions {
  if (query.size === 0 && !apply) return noOptions
  const errors: FieldError[] = []
  const fieldManager = query.get('fieldManager') ?? ''
  const force = query.get('force')
  if (kind === 'PatchOptions') {
    if (apply && fieldManager === '') errors.push(fieldError.required('fieldManager', 'is required for apply patch'))
    if (!apply && force !== null) {
      errors.push(fieldError.forbidden('force', 'may not be specified for non-apply patch'))
    }
  }
  appendAll(errors, validateFieldManager(fieldManager, 'fieldManager'))
  const dryRun = query.getAll('dryRun')
  appendAll(errors, checkDryRun(dryRun))
  const fieldValidation = query.get('fieldValidation') ?? ''
  if (!['', 'Ignore', 'Warn', 'Strict'].includes(fieldValidation)) {
    errors.push(fieldError.notSupported('fieldValidation', fieldValidation, ['', 'Ignore', 'Strict', 'Warn']))
  }
  if (errors.length > 0) throw apiError.invalid(group, kind, '', errors)
  return {
    dryRun: dryRun.length > 0,
    fieldManager,
    fieldValidation: fieldValidation === '' ? 'Warn' : (fieldValidation as FieldValidation),
    force: force !== null && force !== 'false' && force !== '0',
  }
}

const noOptions: WriteOptions = { dryRun: false, fieldManager: '', fieldValidation: 'Warn', force: false }

function checkDryRun(values: readonly string[]): FieldError[] {
  return values.every((value) => value === 'All') ? [] : [fieldError.notSupported('dryRun', [...values], ['All'])]
}

export type Propagation = 'Background' | 'Foreground' | 'Orphan'

export interface DeleteOptions {
  readonly dryRun: boolean
  readonly gracePeriodSeconds: number | undefined
  readonly propagationPolicy: Propagation | undefined
  readonly orphanDependents: boolean | undefined
  readonly preconditions: { readonly uid?: string; readonly resourceVersion?: string }
}

/** From the body when there is one, else from the query. */
export function deleteOptions(body: Json | undefined, query: URLSearchParams, audit?: RequestAudit): DeleteOptions {
  const hasBody = body !== undefined && body !== null
  const raw = hasBody ? fromBody(body) : fromQuery(query)
  if (hasBody) audit?.object(body)
  const errors: FieldError[] = []
  if (raw.orphanDependents !== undefined && raw.propagationPolicy !== undefined) {
    errors.push(
      fieldError.invalid(
        'propagationPolicy',
        raw.propagationPolicy,
        'orphanDependents and deletionPropagation cannot be both set',
      ),
    )
  }
  const policies = ['Foreground', 'Background', 'Orphan']
  if (raw.propagationPolicy !== undefined && !policies.includes(raw.propagationPolicy)) {
    errors.push(fieldError.notSupported('propagationPolicy', raw.propagationPolicy, [...policies, 'nil']))
  }
  appendAll(errors, checkDryRun(raw.dryRun))
  if (errors.length > 0) throw apiError.invalid(group, 'DeleteOptions', '', errors)
  return {
    dryRun: raw.dryRun.length > 0,
    gracePeriodSeconds:
      raw.gracePeriodSeconds === undefined ? undefined : raw.gracePeriodSeconds < 0 ? 1 : raw.gracePeriodSeconds,
    propagationPolicy: raw.propagationPolicy as Propagation | undefined,
    orphanDependents: raw.orphanDependents,
    preconditions: raw.preconditions,
  }
}

interface RawDeleteOptions {
  dryRun: readonly string[]
  gracePeriodSeconds?: number | undefined
  propagationPolicy?: string | undefined
  orphanDependents?: boolean | undefined
  preconditions: { uid?: string; resourceVersion?: string }
}

function fromQuery(query: URLSearchParams): RawDeleteOptions {
  const grace = query.get('gracePeriodSeconds')
  const orphan = query.get('orphanDependents')
  if (grace !== null && !/^[+-]?\d+$/.test(grace)) {
    throw apiError.badRequest(`strconv.ParseInt: parsing ${JSON.stringify(grace)}: invalid syntax`)
  }
  return {
    dryRun: query.getAll('dryRun'),
    gracePeriodSeconds: grace === null ? undefined : Number(grace),
    propagationPolicy: query.get('propagationPolicy') ?? undefined,
    orphanDependents: orphan === null ? undefined : orphan !== 'false' && orphan !== '0',
    preconditions: {},
  }
}

function fromBody(body: Json): RawDeleteOptions {
  if (!isObject(body)) throw apiError.badRequest(bodyTypeError(body))
  const kind = own(body, 'kind')
  if (kind !== undefined && kind !== 'DeleteOptions') {
    throw apiError.badRequest(
      `no kind ${JSON.stringify(kind)} is registered for version ` +
        `${JSON.stringify(own(body, 'apiVersion') ?? 'meta.k8s.io/v1')} in scheme "pkg/runtime/scheme.go:111"`,
    )
  }
  const preconditions = own(body, 'preconditions')
  const result: RawDeleteOptions = { dryRun: [], preconditions: {} }
  const dryRun = own(body, 'dryRun')
  if (dryRun !== undefined && dryRun !== null) result.dryRun = textList(dryRun, 'dryRun')
  result.gracePeriodSeconds = expect(body, 'gracePeriodSeconds', 'number') as number | undefined
  result.propagationPolicy = expect(body, 'propagationPolicy', 'string') as string | undefined
  result.orphanDependents = expect(body, 'orphanDependents', 'boolean') as boolean | undefined
  if (preconditions !== undefined && preconditions !== null) {
    if (!isObject(preconditions)) throw wrongType(preconditions, 'preconditions', 'v1.Preconditions')
    const uid = expect(preconditions, 'uid', 'types.UID') as string | undefined
    const resourceVersion = expect(preconditions, 'resourceVersion', 'string') as string | undefined
    if (uid !== undefined) result.preconditions.uid = uid
    if (resourceVersion !== undefined) result.preconditions.resourceVersion = resourceVersion
  }
  return result
}

function own(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

function expect(
  object: JsonObject,
  key: string,
  type: 'number' | 'string' | 'boolean' | 'types.UID',
): Json | undefined {
  const value = own(object, key)
  if (value === undefined || value === null) return undefined
  if (typeof value !== (type === 'types.UID' ? 'string' : type)) {
    const goTypes = { number: 'int64', string: 'string', boolean: 'bool', 'types.UID': 'types.UID' }
    throw wrongType(value, key, goTypes[type])
  }
  if (typeof value === 'number' && !Number.isInteger(value)) throw wrongType(value, key, 'int64')
  return value
}

/** Strict, because a dryRun that is not understood must not become a real write. */
function textList(value: Json, key: string): readonly string[] {
  if (!Array.isArray(value)) throw wrongType(value, key, '[]string')
  return value.map((item) => {
    if (item === null) return ''
    if (typeof item !== 'string') throw wrongType(item, key, 'string')
    return item
  })
}

function wrongType(value: Json, key: string, goType: string) {
  const given = typeof value === 'number' && goType === 'int64' ? `number ${value}` : jsonTypeName(value)
  return apiError.badRequest(
    `json: cannot unmarshal ${given} into Go struct field ` +
      `${key === 'uid' || key === 'resourceVersion' ? 'Preconditions.preconditions' : 'DeleteOptions'}.${key} ` +
      `of type ${goType}`,
  )
}
