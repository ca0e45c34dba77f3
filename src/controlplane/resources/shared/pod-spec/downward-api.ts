/** Validation of the downward API: fields and resources of the pod, in environment variables or files. */
import { fieldError, type FieldError } from '../../../../api/field-error.ts'
import type { JsonObject } from '../../../../api/json.ts'
import { checkQualifiedName } from '../../../../api/names.ts'
import { checkSupported, reject } from '../errors.ts'
import { text } from '../values.ts'

export const envFieldPaths = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
]

export const volumeFieldPaths = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
]

/** Paths that are fields of a pod, whether or not they are allowed here. */
const podFields = new Set([
  ...envFieldPaths,
  ...volumeFieldPaths,
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
  'spec.host',
])

export function checkFieldRef(
  errors: FieldError[],
  field: string,
  reference: JsonObject,
  supported: readonly string[],
): void {
  const version = text(reference.apiVersion)
  const path = text(reference.fieldPath)
  if (version === '') {
    errors.push(fieldError.required(`${field}.apiVersion`))
    return
  }
  if (path === '') {
    errors.push(fieldError.required(`${field}.fieldPath`))
    return
  }
  const subscript = subscriptIn(path)
  const base = subscript?.base ?? path
  const problem = convertProblem(version, path, base, subscript !== undefined)
  if (problem !== undefined) {
    errors.push(fieldError.invalid(`${field}.fieldPath`, path, `error converting fieldPath: ${problem}`))
  } else if (subscript === undefined) {
    checkSupported(errors, `${field}.fieldPath`, path === 'spec.host' ? 'spec.nodeName' : path, supported)
  } else {
    const { key } = subscript
    const name = base === 'metadata.annotations' ? key.toLowerCase() : key
    reject(errors, field, name, checkQualifiedName(name))
  }
}

function convertProblem(version: string, path: string, base: string, subscripted: boolean): string | undefined {
  if (version !== 'v1') return `unsupported pod version: ${version}`
  if (subscripted) {
    return base === 'metadata.annotations' || base === 'metadata.labels'
      ? undefined
      : `field label does not support subscript: ${path}`
  }
  return podFields.has(path) ? undefined : `field label not supported: ${path}`
}

const resources = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
]
const binaryDivisors = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei']

/** `metadata.labels['a']`: what is before the brackets, and what is in them. */
function subscriptIn(path: string): { readonly base: string; readonly key: string } | undefined {
  // No regular expression: backtracking would be quadratic.
  const at = path.indexOf("['", 1)
  if (at < 0 || !path.endsWith("']") || at + 4 > path.length) return undefined
  return { base: path.slice(0, at), key: path.slice(at + 2, -2) }
}

export function checkResourceFieldRef(
  errors: FieldError[],
  field: string,
  reference: JsonObject,
  inVolume: boolean,
): void {
  const resource = text(reference.resource)
  const hugePages = resource.startsWith('requests.hugepages-') || resource.startsWith('limits.hugepages-')
  if (inVolume && text(reference.containerName) === '') {
    errors.push(fieldError.required(`${field}.containerName`))
  } else if (resource === '') {
    errors.push(fieldError.required(`${field}.resource`))
  } else if (!hugePages) {
    checkSupported(errors, `${field}.resource`, resource, resources)
  }
  const divisor = text(reference.divisor)
  if (divisor === '' || divisor === '0') return
  const measure = hugePages ? 'hugepages' : divisorMeasures[resource.slice(resource.indexOf('.') + 1)]
  if (measure === undefined) return
  const allowed = measure === 'cpu' ? ['1m', '1'] : binaryDivisors
  if (allowed.includes(divisor)) return
  const listed = measure === 'cpu' ? '1m and 1' : binaryDivisors.join(', ')
  errors.push(
    fieldError.invalid(
      `${field}.divisor`,
      resource,
      `only divisor's values ${listed} are supported with the ${measure} resource`,
    ),
  )
}

const divisorMeasures: Readonly<Record<string, string>> = {
  cpu: 'cpu',
  memory: 'memory',
  'ephemeral-storage': 'local ephemeral storage',
}
