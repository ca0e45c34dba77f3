/**
 * Webhooks by which an operator has a say in writes before they are stored: `validating` refuses, `mutating` changes.
 *
 *     export const check = validating(WebApp, {
 *       create: ({ object }) => (object.spec.replicas > 100 ? 'at most 100 replicas' : undefined),
 *       update: ({ object, old, warn }) => { if (object.spec.image !== old.spec.image) warn('the image changes') },
 *     })
 */
import type { ApiObject, DeepReadonly } from '../api/live-object.ts'
import type { Client } from '../client/client.ts'
import type { LabelSelector } from '../schema/builtin/meta-v1.ts'
import type { Kind } from '../schema/kind.ts'
import type { Logger } from '../telemetry/logger.ts'

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE'

/** What every handler gets. */
export interface AdmissionContext {
  readonly operation: Operation
  /** '' of an object whose name the server makes. */
  readonly name: string
  readonly namespace: string | undefined
  /** `status`, where the write is to that; undefined where it is to the object. */
  readonly subresource: string | undefined
  readonly user: { readonly username: string; readonly uid?: string; readonly groups: readonly string[] }
  /** Nothing will be stored: do nothing that lasts either. */
  readonly dryRun: boolean
  /** Of the request, as in the server's audit log. */
  readonly requestId: string
  /** Reads from the server. A handler that reads makes every write wait for it. */
  readonly client: Client
  readonly log: Logger
  /** Aborts when the server does not wait any longer. */
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

/** Nothing: allowed. A text, or field errors: rejected with them. */
export type ValidationResult = string | readonly FieldProblem[] | undefined | void

type Answer<Value> = Value | Promise<Value>

/** At least one. Operations without a handler are not sent to the webhook. */
export interface ValidatingHandlers<T extends ApiObject> {
  create?(this: void, request: With<T, 'object'>): Answer<ValidationResult>
  update?(this: void, request: With<T, 'object' | 'old'>): Answer<ValidationResult>
  delete?(this: void, request: With<T, 'old'>): Answer<ValidationResult>
}

/** Each changes `object`, which is its own copy, or returns another one. */
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
  /** Seconds that the server waits, 1 to 30. Default 10. */
  readonly timeoutSeconds?: number | undefined
  /** Default None. NoneOnDryRun: the handler looks at `dryRun`. Others make dry runs fail. */
  readonly sideEffects?: 'None' | 'NoneOnDryRun' | undefined
  /** Default Equivalent: a write in another version is converted and shown, too. */
  readonly matchPolicy?: 'Equivalent' | 'Exact' | undefined
  /** Only of namespaces with these labels. Default: all. */
  readonly namespaceSelector?: LabelSelector | undefined
  /** Only objects with these labels. Users can leave labels out: no guard against them. Default: all. */
  readonly objectSelector?: LabelSelector | undefined
  /** CEL expressions by name: only what all hold for is shown. Default: everything. */
  readonly matchConditions?: Readonly<Record<string, string>> | undefined
  /** Writes to these, beside the object: `status`, `scale`. Default: none. */
  readonly subresources?: readonly string[] | undefined
  /** Of mutating ones: asked again when another one has changed the object after it. Default false. */
  readonly reinvoked?: boolean | undefined
}

type Handler = (request: AdmissionContext & { readonly object: unknown; readonly old: unknown }) => Answer<unknown>

export interface AdmissionWebhook {
  readonly type: 'validating' | 'mutating'
  readonly kind: Kind
  /** As controller-runtime has it: `/validate-coxswain-dev-v1-webapp`. */
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
  const { timeoutSeconds = 10 } = options
  if (!(timeoutSeconds >= 1 && timeoutSeconds <= 30))
    throw new RangeError(`timeoutSeconds is ${timeoutSeconds}: give 1 to 30`)
  const verb = type === 'validating' ? 'validate' : 'mutate'
  const path = `/${verb}-${kind.group.replaceAll('.', '-')}-${kind.version}-${kind.kind.toLowerCase()}`
  return { type, kind, path, handlers: given, options }
}
