/**
 * Nodes that most operators need, with the fields and limits of Kubernetes. Their values are assignable to the built-in
 * types: `spec.env` can be used in a container as it is.
 */
import { array, boolean, int, int64, intOrString, map, object, oneOf, quantity, string, time } from './builders.ts'

const name = () => string().minLength(1).maxLength(253)

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const conditionTypePattern = `^(${label}(\\.${label})*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$`

const condition = () =>
  object({
    type: string().maxLength(316).pattern(conditionTypePattern),
    status: oneOf('True', 'False', 'Unknown'),
    observedGeneration: int64().min(0).optional(),
    lastTransitionTime: time(),
    reason: string().minLength(1).maxLength(1024).pattern('^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$'),
    message: string().maxLength(32768),
  })

/** The conditions of a status, at most one for each type. */
export const conditions = () => array(condition()).mapBy('type')

/** Labels, with the limits of their values. A schema cannot validate keys. */
export const labels = () => map(string().maxLength(63).pattern('^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$'))

export const annotations = () => map(string())

/** Resource requests and limits of a container. */
export const resources = () =>
  object({
    limits: map(quantity()).optional(),
    requests: map(quantity()).optional(),
    claims: array(object({ name: string(), request: string().optional() }))
      .mapBy('name')
      .optional(),
  })

/** A key of a Secret or ConfigMap in the same namespace. */
export const keyReference = () =>
  object({ name: name(), key: string().minLength(1), optional: boolean().optional() }).atomic()

/** Environment variables with unique names, each with a value or a source. */
export const env = () =>
  array(
    object({
      name: string().minLength(1),
      value: string().optional(),
      valueFrom: object({
        configMapKeyRef: keyReference().optional(),
        secretKeyRef: keyReference().optional(),
        fieldRef: object({ apiVersion: string().optional(), fieldPath: string().minLength(1) })
          .atomic()
          .optional(),
        resourceFieldRef: object({
          containerName: string().optional(),
          resource: string().minLength(1),
          divisor: quantity().optional(),
        })
          .atomic()
          .optional(),
      }).optional(),
    }),
  ).mapBy('name')

const seconds = () => int().min(1)

/** A probe of a container: exactly one of its four handlers. */
export const probe = () =>
  object({
    httpGet: object({
      path: string().optional(),
      port: intOrString(),
      host: string().optional(),
      scheme: oneOf('HTTP', 'HTTPS').optional(),
      httpHeaders: array(object({ name: string(), value: string() }))
        .atomic()
        .optional(),
    }).optional(),
    tcpSocket: object({ port: intOrString(), host: string().optional() }).optional(),
    exec: object({ command: array(string()).atomic().optional() }).optional(),
    grpc: object({ port: int(), service: string().optional() }).optional(),
    initialDelaySeconds: int().min(0).optional(),
    timeoutSeconds: seconds().optional(),
    periodSeconds: seconds().optional(),
    successThreshold: seconds().optional(),
    failureThreshold: seconds().optional(),
    terminationGracePeriodSeconds: int64().min(1).optional(),
  }).rule(
    '(has(self.httpGet) ? 1 : 0) + (has(self.tcpSocket) ? 1 : 0) + (has(self.exec) ? 1 : 0) + ' +
      '(has(self.grpc) ? 1 : 0) == 1',
    { message: 'exactly one of httpGet, tcpSocket, exec and grpc' },
  )

/** A reference to an object of a known kind in the same namespace. */
export const localReference = () => object({ name: name() }).atomic()

/** A reference to any object. Without a namespace: the same one, or none for a cluster-scoped kind. */
export const objectReference = () =>
  object({
    apiVersion: string().minLength(1),
    kind: string().minLength(1),
    name: name(),
    namespace: string().minLength(1).maxLength(63).optional(),
    uid: string().optional(),
  }).atomic()

/** Selects objects by their labels. */
export const labelSelector = () =>
  object({
    matchLabels: labels().optional(),
    matchExpressions: array(
      object({
        key: string(),
        operator: oneOf('In', 'NotIn', 'Exists', 'DoesNotExist'),
        values: array(string()).atomic().optional(),
      }),
    )
      .atomic()
      .optional(),
  }).atomic()
