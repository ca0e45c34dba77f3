/**
 * Admission webhooks of an operator: `validating` rejects writes before they are stored, `mutating` changes them.
 *
 *     export const check = validating(WebApp, {
 *       create: ({ object }) => (object.spec.replicas > 100 ? 'at most 100 replicas' : undefined),
 *       update: ({ object, old, warn }) => { if (object.spec.image !== old.spec.image) warn('the image changes') },
 *     })
 */
import type { ApiObject, DeepReadonly } from '../api/live-object.ts'
import type { Client } from '../client/client.ts'
import type { Use } from '../external/external-user.ts'
import type { ExternalSystem } from '../external/external.ts'
import type { LabelSelector } from '../schema/builtin/meta-v1.ts'
import type { Kind } from '../schema/kind.ts'
import type { Logger } from '../telemetry/logger.ts'

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE'

/** The context of every handler. */
export interface AdmissionContext {
  readonly operation: Operation
  /** Empty if the server generates the name. */
  readonly name: string
  readonly namespace: string | undefined
  /** For example `status`; undefined for a write to the object itself. */
  readonly subresource: string | undefined
  readonly user: { readonly username: string; readonly uid?: string; readonly groups: readonly string[] }
  /** Nothing will be stored: the handler must not have lasting effects, either. */
  readonly dryRun: boolean
  /** The uid of the request, as in the server's audit log. */
  readonly requestId: string
  /** Reads from the server. Reads delay every write. */
  readonly client: Client
  /** An external system, which the webhook must declare by `uses`. Calls delay every write. */
  readonly use: Use
  readonly log: Logger
  /** Aborts when the server no longer waits for the response. */
  readonly signal: AbortSignal
  /** A warning for the client, which kubectl prints. The write continues. */
  warn(this: void, message: string): void
}

type With<T extends ApiObject, Fields extends string> = AdmissionContext & {
  readonly [Field in Fields]: DeepReadonly<T>
}

export interface FieldProblem {
  /** `spec.containers[0].image` */
  readonly field: string
  readonly message: string
}

/** Undefined: allowed. A text or field errors: rejected with these. */
export type ValidationResult = string | readonly FieldProblem[] | undefined | void

type Answer<Value> = Value | Promise<Value>

/** At least one. Operations without a handler are not sent to the webhook. */
export interface ValidatingHandlers<T extends ApiObject> {
  create?(this: void, request: With<T, 'object'>): Answer<ValidationResult>
  update?(this: void, request: With<T, 'object' | 'old'>): Answer<ValidationResult>
  delete?(this: void, request: With<T, 'old'>): Answer<ValidationResult>
}

/** Each modifies `object`, which is a copy, or returns another object. */
export interface MutatingHandlers<T extends ApiObject> {
  create?(this: void, request: AdmissionContext & { readonly object: T }): Answer<T | undefined | void>
  update?(
    this: void,
    request: AdmissionContext & { readonly object: T; readonly old: DeepReadonly<T> },
  ): Answer<T | undefined | void>
}

export interface AdmissionOptions {
  /** What happens to a write if the webhook does not respond. Default Fail: it is rejected. */
  readonly failurePolicy?: 'Fail' | 'Ignore' | undefined
  /** How long the server waits, in seconds, 1 to 30. Default 5. */
  readonly timeoutSeconds?: number | undefined
  /** Default None. NoneOnDryRun: the handler checks `dryRun`. Other values would make dry runs fail. */
  readonly sideEffects?: 'None' | 'NoneOnDryRun' | undefined
  /** Default Equivalent: writes in other versions are converted and sent, too. */
  readonly matchPolicy?: 'Equivalent' | 'Exact' | undefined
  /** Only namespaces with these labels. Default: all. */
  readonly namespaceSelector?: LabelSelector | undefined
  /** Only objects with these labels. Users can omit labels, so this is no protection against them. Default: all. */
  readonly objectSelector?: LabelSelector | undefined
  /** CEL expressions by name: only requests for which all are true are sent. Default: all requests. */
  readonly matchConditions?: Readonly<Record<string, string>> | undefined
  /** Subresources whose writes are sent, too: `status`, `scale`. Default: none. */
  readonly subresources?: readonly string[] | undefined
  /** The external systems that it calls, with `use` of the request. Default: none. */
  readonly uses?: readonly ExternalSystem[] | undefined
  /** For mutating webhooks: called again if a later webhook has changed the object. Default false. */
  readonly reinvoked?: boolean | undefined
}

type Handler = (request: AdmissionContext & { readonly object: unknown; readonly old: unknown }) => Answer<unknown>

export interface AdmissionWebhook {
  readonly type: 'validating' | 'mutating'
  readonly kind: Kind
  /** As in controller-runtime: `/validate-coxswain-dev-v1-webapp`. */
  readonly path: string
  readonly handlers: Readonly<Partial<Record<Operation, Handler>>>
  readonly options: AdmissionOptions
}

export function validating<T extends ApiObject>(
  kind: Kind<T>,
  handlers: ValidatingHandlers<T>,
  options: AdmissionOptions = {},
): AdmissionWebhook {
  const { create, update, delete: remove } = handlers
  return webhook(
    'validating',
    kind,
    { CREATE: create, UPDATE: update, DELETE: remove } as Record<Operation, Handler | undefined>,
    options,
  )
}

export function mutating<T extends ApiObject>(
  kind: Kind<T>,
  handlers: MutatingHandlers<T>,
  options: AdmissionOptions = {},
): AdmissionWebhook {
  const { create, update } = handlers
  return webhook(
    'mutating',
    kind,
    { CREATE: create, UPDATE: update, DELETE: undefined } as Record<Operation, Handler | undefined>,
    options,
  )
}

function webhook(
  type: AdmissionWebhook['type'],
  kind: Kind,
  handlers: Record<Operation, Handler | undefined>,
  options: AdmissionOptions,
): AdmissionWebhook {
  const given = Object.fromEntries(
    Object.entries(handlers).filter(([, handler]) => handler !== undefined),
  ) as AdmissionWebhook['handlers']
  if (Object.keys(given).length === 0)
    throw new Error(`a ${type} webhook of ${kind.kind} needs a handler: create or update`)
  const { timeoutSeconds = 5 } = options
  if (!(timeoutSeconds >= 1 && timeoutSeconds <= 30))
    throw new RangeError(`timeoutSeconds is ${timeoutSeconds}: give 1 to 30`)
  const verb = type === 'validating' ? 'validate' : 'mutate'
  const path = `/${verb}-${kind.group.replaceAll('.', '-')}-${kind.version}-${kind.kind.toLowerCase()}`
  return { type, kind, path, handlers: given, options }
}
