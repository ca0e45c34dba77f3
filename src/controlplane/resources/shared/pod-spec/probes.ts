/** Validation of probes and lifecycle hooks. */
import { fieldError, type FieldError } from '../../../../api/field-error.ts'
import type { Json, JsonObject } from '../../../../api/json.ts'
import { checkNonnegative, checkSupported, reject } from '../errors.ts'
import { headerName, portName, portNumber } from '../formats.ts'
import { int, items, size, struct, text } from '../values.ts'

/** terminationGracePeriodSeconds of the pod; undefined if unset. */
export type GracePeriod = number | undefined

const handlers = {
  exec: (errors, field, action) => {
    if (size(action.command) === 0) errors.push(fieldError.required(`${field}.command`))
  },
  httpGet: checkHttpGet,
  tcpSocket: (errors, field, action) => checkPort(errors, `${field}.port`, action.port),
  grpc: (errors, field, action) => checkPort(errors, `${field}.port`, action.port),
  sleep: checkSleep,
} satisfies Record<string, (errors: FieldError[], field: string, action: JsonObject, grace: GracePeriod) => void>

type HandlerName = keyof typeof handlers

const probeHandlers: readonly HandlerName[] = ['exec', 'httpGet', 'tcpSocket', 'grpc']
const hookHandlers: readonly HandlerName[] = ['exec', 'httpGet', 'tcpSocket', 'sleep']

function checkHandler(
  errors: FieldError[],
  field: string,
  given: JsonObject,
  names: readonly HandlerName[],
  grace: GracePeriod,
): void {
  let found = false
  for (const name of names) {
    const action = struct(given[name])
    if (action === undefined) continue
    if (found) {
      errors.push(fieldError.forbidden(`${field}.${name}`, 'may not specify more than 1 handler type'))
      continue
    }
    found = true
    handlers[name](errors, `${field}.${name}`, action, grace)
  }
  if (!found) errors.push(fieldError.required(field, 'must specify a handler type'))
}

function checkHttpGet(errors: FieldError[], field: string, action: JsonObject): void {
  if (text(action.path) === '') errors.push(fieldError.required(`${field}.path`))
  checkPort(errors, `${field}.port`, action.port)
  checkSupported(errors, `${field}.scheme`, text(action.scheme), ['HTTP', 'HTTPS'])
  for (const header of items(action.httpHeaders)) {
    reject(errors, `${field}.httpHeaders`, text(header.name), headerName(text(header.name)))
  }
}

function checkSleep(errors: FieldError[], field: string, action: JsonObject, grace: GracePeriod): void {
  const seconds = int(action.seconds)
  if (grace === undefined || (seconds >= 0 && seconds <= grace)) return
  const message = `must be non-negative and less than terminationGracePeriodSeconds (${grace})`
  errors.push(fieldError.invalid(field, seconds, message))
}

/** A port by number or by name. */
export function checkPort(errors: FieldError[], field: string, port: Json | undefined): void {
  if (typeof port === 'string') reject(errors, field, port, portName(port))
  else reject(errors, field, int(port), portNumber(int(port)))
}

const intervals = ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold']

function checkProbe(errors: FieldError[], field: string, probe: JsonObject, grace: GracePeriod): void {
  checkHandler(errors, field, probe, probeHandlers, grace)
  for (const name of intervals) checkNonnegative(errors, `${field}.${name}`, probe[name])
  const own = probe.terminationGracePeriodSeconds
  if (typeof own === 'number' && own <= 0) {
    errors.push(fieldError.invalid(`${field}.terminationGracePeriodSeconds`, own, 'must be greater than 0'))
  }
}

export function checkProbes(errors: FieldError[], field: string, container: JsonObject, grace: GracePeriod): void {
  for (const kind of ['livenessProbe', 'readinessProbe', 'startupProbe'] as const) {
    const probe = struct(container[kind])
    if (probe === undefined) continue
    const at = `${field}.${kind}`
    checkProbe(errors, at, probe, grace)
    if (kind !== 'readinessProbe') {
      if (probe.successThreshold !== 1) {
        errors.push(fieldError.invalid(`${at}.successThreshold`, int(probe.successThreshold), 'must be 1'))
      }
    } else if (probe.terminationGracePeriodSeconds !== undefined) {
      const message = 'must not be set for readinessProbes'
      errors.push(
        fieldError.invalid(`${at}.terminationGracePeriodSeconds`, probe.terminationGracePeriodSeconds, message),
      )
    }
  }
}

/** `os` is spec.os.name, '' if unset. */
export function checkLifecycle(
  errors: FieldError[],
  field: string,
  lifecycle: JsonObject,
  grace: GracePeriod,
  os: string,
): void {
  for (const hook of ['postStart', 'preStop'] as const) {
    const given = struct(lifecycle[hook])
    if (given !== undefined) checkHandler(errors, `${field}.${hook}`, given, hookHandlers, grace)
  }
  if (lifecycle.stopSignal !== undefined && os === '') {
    errors.push(fieldError.forbidden(`${field}.stopSignal`, 'may not be set for containers with empty `spec.os.name`'))
  }
}
