/**
 * Where in a user's code an operator's writes come from. Stacks are captured only while somebody wants to know, since
 * each costs as much as a small reconcile.
 */
import { keyOf, keyText, type ApiObject, type ObjectKey } from '../api/live-object.ts'
import type { ReconcileContext } from '../controller/context.ts'
import type { ControllerDefinition, Reconcile } from '../controller/definition.ts'
import type { Kind } from '../schema/kind.ts'
import { userFrame } from '../telemetry/user-frame.ts'

interface WriteSite {
  /** `Deployment default/web` */
  readonly object: string
  /** The fields that the call sets, if it says so: `status.n`. */
  readonly fields: readonly string[] | undefined
  /** `status.set in src/operator.ts:12:5` */
  readonly text: string
}

type Method = (...args: never[]) => unknown

const statusWrites = new Set(['set', 'condition', 'removeCondition', 'annotate'])
const clientWrites = new Set(['create', 'update', 'patch', 'apply', 'delete'])
const contextWrites = new Set(['apply', 'patch', 'delete'])

export class WriteSites {
  /** Whether stacks are captured, from the next reconcile on. */
  isOn = false
  readonly #sites = new Map<string, WriteSite>()

  /** The same controllers, with their writes recorded here while it is on. */
  of(definitions: readonly ControllerDefinition[]): readonly ControllerDefinition[] {
    return definitions.map((definition) => this.#watched(definition))
  }

  /** The calls that write this field of an object. */
  writers(object: string, path: string): readonly string[] {
    return [...this.#sites.values()]
      .filter(
        (site) =>
          site.object === object && (site.fields === undefined || site.fields.some((each) => path.startsWith(each))),
      )
      .map(({ text }) => text)
  }

  #watched<T extends ApiObject>(definition: ControllerDefinition<T>): ControllerDefinition<T> {
    const { name, reconcile, deleting, finalizers } = definition
    return {
      ...definition,
      reconcile: this.#wrapped(name, reconcile),
      deleting: deleting === undefined ? undefined : this.#wrapped(name, deleting),
      finalizers: finalizers.map((each) => ({ ...each, cleanup: this.#wrapped(name, each.cleanup) })),
    }
  }

  #wrapped<T extends ApiObject>(controller: string, reconcile: Reconcile<T>): Reconcile<T> {
    return (context) => reconcile(this.isOn ? this.#recorded(controller, context) : context)
  }

  #recorded<T extends ApiObject>(controller: string, context: ReconcileContext<T>): ReconcileContext<T> {
    const own = `${context.kind.kind} ${keyText(context.key)}`
    const place = (kind: Kind, at: string | ObjectKey): string => {
      const key = typeof at === 'string' ? { name: at } : at
      const { namespace = context.key.namespace, name } = key
      return `${kind.kind} ${keyText(kind.namespaced ? { namespace, name } : { name })}`
    }
    const targeted = (args: readonly never[]): string => {
      const [kind, target] = args as unknown as readonly [Kind, string | ObjectKey | ApiObject]
      return place(kind, typeof target === 'object' && 'metadata' in target ? keyOf(target) : target)
    }
    const status = noting(context.status, statusWrites, (method, args) => {
      const [given] = args as unknown as readonly [object]
      const fields = method === 'set' ? Object.keys(given).map((name) => `status.${name}`) : ['status.conditions']
      this.#add({
        controller,
        object: own,
        call: `status.${method}`,
        fields: method === 'annotate' ? undefined : fields,
      })
    })
    const client = noting(context.client, clientWrites, (method, args) =>
      this.#add({ controller, object: targeted(args), call: `client.${method}` }),
    )
    const calls = noting(context, contextWrites, (method, args) =>
      this.#add({ controller, object: method === 'patch' ? own : targeted(args), call: method }),
    )
    return new Proxy(calls, {
      get: (target, name) =>
        name === 'status' ? status : name === 'client' ? client : (Reflect.get(target, name) as unknown),
    })
  }

  #add(site: {
    readonly controller: string
    readonly object: string
    readonly call: string
    readonly fields?: readonly string[] | undefined
  }): void {
    const at = userFrame(new Error('a write').stack) ?? 'an unknown place'
    const text = `${site.call} in ${at} (controller ${site.controller})`
    this.#sites.set(`${site.object} ${text}`, { object: site.object, fields: site.fields, text })
  }
}

/** The same object; `note` is called before each of these methods. */
function noting<T extends object>(
  target: T,
  methods: ReadonlySet<string>,
  note: (method: string, args: readonly never[]) => void,
): T {
  return new Proxy(target, {
    get: (inner, name) => {
      const value = Reflect.get(inner, name, inner) as unknown
      if (typeof value !== 'function') return value
      const method = value as Method
      if (!methods.has(String(name))) return method.bind(inner)
      return (...args: never[]) => {
        note(String(name), args)
        return method.apply(inner, args)
      }
    },
  })
}
