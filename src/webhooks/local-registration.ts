/**
 * The registration of a local run: the API server calls this process until it ends.
 *
 * What a local run replaces, it keeps in an annotation of the object itself, and restores at its end, with the owners
 * of the fields. It deletes only what it has created. A run that is killed restores nothing; the next local run finds
 * the annotation, takes over, and restores what the first one found. The last run that is started has the webhooks:
 * others wait until it ends.
 */
import { isConflict, isNotFound } from '../api/error-reasons.ts'
import { isObject, type Json, type JsonObject } from '../api/json.ts'
import type { ApiObject } from '../api/live-object.ts'
import type { KubeObject } from '../api/object.ts'
import type { Client } from '../client/client.ts'
import { CustomResourceDefinition } from '../schema/builtin/kinds.ts'
import type { Kind } from '../schema/kind.ts'
import {
  byUrl,
  configurations,
  conversionsOf,
  conversionSpec,
  definitionName,
  localRunAnnotation,
  webhookConfigurations,
} from './configurations.ts'
import type { Registration } from './registration.ts'
import type { Webhook } from './webhook-server.ts'

export interface LocalRun {
  /** Identifies this run among others. */
  readonly id: string
  readonly operator: string
  readonly webhooks: readonly Webhook[]
  /** How the API server reaches this process: `https://127.0.0.1:9443`. */
  readonly url: string
}

/** What a local run has replaced, as JSON. Absent beside the other annotation: it has created the object. */
export const replacedAnnotation = 'coxswain.dev/replaced-by-local-run'

/** An object that says how webhooks are called, and where. */
interface Target {
  readonly kind: Kind
  readonly name: string
  readonly wanted: Json
  /** A complete object to create if there is none; undefined: another one must create it. */
  readonly made: KubeObject | undefined
  readonly read: (object: JsonObject) => Json | undefined
  /** The object with another value; undefined: with the default. */
  readonly changed: (object: JsonObject, value: Json | undefined) => JsonObject
}

interface Replaced {
  readonly value?: Json | undefined
  readonly managedFields?: Json | undefined
}

const fieldManager = 'coxswain-local-run'
/** Tries after a write of another client. */
const maxRaces = 5

export function localRegistration(client: Client, run: LocalRun): Registration {
  const held = new Map<Target['name'], string>()
  let isFirst = true
  return {
    async trust(ca, signal) {
      const problems: string[] = []
      for (const target of targetsOf(run, Buffer.from(ca).toString('base64'))) {
        const problem = await racing(() => take(client, run.id, target, { isFirst, held, signal }))
        if (problem !== undefined) problems.push(problem)
      }
      isFirst = false
      return problems
    },
    async end() {
      const failures: unknown[] = []
      for (const target of targetsOf(run, ''))
        await racing(() => giveBack(client, run.id, target)).catch((error: unknown) => failures.push(error))
      if (failures.length > 0) throw failures[0]
    },
  }
}

function targetsOf({ operator, webhooks, url }: LocalRun, caBundle: string): readonly Target[] {
  const reach = byUrl(url, caBundle)
  const admission = webhookConfigurations(operator, webhooks, reach).map((made): Target => {
    const type = made.kind === 'MutatingWebhookConfiguration' ? 'mutating' : 'validating'
    const wanted = (made as unknown as JsonObject)['webhooks'] as Json
    return {
      kind: configurations[type],
      name: made.metadata?.name ?? '',
      wanted,
      made,
      read: (object) => object['webhooks'],
      changed: (object, value) => ({ ...object, webhooks: value ?? [] }),
    }
  })
  const conversions = conversionsOf(webhooks).map((conversion): Target => ({
    kind: CustomResourceDefinition,
    name: definitionName(conversion),
    wanted: conversionSpec(reach),
    made: undefined,
    read: (object) => (object['spec'] as JsonObject)['conversion'],
    changed: (object, value = { strategy: 'None' }) => ({
      ...object,
      spec: { ...(object['spec'] as JsonObject), conversion: value },
    }),
  }))
  return [...admission, ...conversions]
}

interface Taking {
  /** The start of the run: it takes over from others. */
  readonly isFirst: boolean
  /** The versions that this run has written, by name. */
  readonly held: Map<string, string>
  readonly signal: AbortSignal | undefined
}

/** Returns why the target is not as wanted; undefined if it is. */
async function take(
  client: Client,
  id: string,
  { kind, name, wanted, made, read, changed }: Target,
  { isFirst, held, signal }: Taking,
): Promise<string | undefined> {
  const place = `${kind.kind} ${name}`
  const hold = (version: string | undefined): undefined => void held.set(place, `${version} ${JSON.stringify(wanted)}`)
  const live = await found(client, kind, name, signal)
  if (live === undefined) {
    if (made === undefined) return `there is no ${place}`
    const metadata = { ...made.metadata, name, annotations: { [localRunAnnotation]: id } }
    const created = await client.create<ApiObject>(kind, { ...made, metadata }, { fieldManager, signal })
    return hold(created.metadata.resourceVersion)
  }
  const { metadata } = live
  if (held.get(place) === `${metadata.resourceVersion} ${JSON.stringify(wanted)}`) return undefined
  const { annotations = {} } = metadata
  const holder = annotations[localRunAnnotation]
  if (holder !== undefined && holder !== id && !isFirst)
    return `another local run has ${place}: end it, or start this one again to take over`
  const kept: Replaced = {
    value: read(live as unknown as JsonObject),
    managedFields: metadata.managedFields as Json | undefined,
  }
  const marks = {
    [localRunAnnotation]: id,
    ...(holder === undefined ? { [replacedAnnotation]: JSON.stringify(kept) } : {}),
  }
  const next = { ...live, metadata: { ...metadata, annotations: { ...annotations, ...marks } } }
  const written = await client.update<ApiObject>(
    kind,
    changed(next as unknown as JsonObject, wanted) as unknown as ApiObject,
    {
      fieldManager,
      signal,
    },
  )
  return hold(written.metadata.resourceVersion)
}

async function giveBack(client: Client, id: string, { kind, name, changed }: Target): Promise<void> {
  const live = await found(client, kind, name)
  const { [localRunAnnotation]: holder, [replacedAnnotation]: text, ...annotations } = live?.metadata.annotations ?? {}
  if (live === undefined || holder !== id) return
  const { uid, resourceVersion } = live.metadata
  if (text === undefined) {
    await client.delete<ApiObject>(kind, { name }, { uid, resourceVersion }).catch(ignoreMissing)
    return
  }
  const { value, managedFields } = replacedOf(text)
  const next = { ...live, metadata: { ...live.metadata, annotations } }
  const restored = await client.update<ApiObject>(
    kind,
    changed(next as unknown as JsonObject, value) as unknown as ApiObject,
    {
      fieldManager,
    },
  )
  // A write that changes nothing else may say whose fields they are. Else a later apply of the owner would conflict.
  if (Array.isArray(managedFields))
    await client.update<ApiObject>(
      kind,
      { ...restored, metadata: { ...restored.metadata, managedFields } } as unknown as ApiObject,
      { fieldManager },
    )
}

/** Users can write annotations, too. */
function replacedOf(text: string): Replaced {
  try {
    const replaced = JSON.parse(text) as Json
    return isObject(replaced) ? replaced : {}
  } catch {
    return {}
  }
}

async function found(client: Client, kind: Kind, name: string, signal?: AbortSignal) {
  try {
    return await client.get(kind, { name }, { signal })
  } catch (error) {
    ignoreMissing(error)
    return undefined
  }
}

async function racing<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let races = 0; ; races++) {
    try {
      return await attempt()
    } catch (error) {
      if (races >= maxRaces || !isConflict(error)) throw error
    }
  }
}

function ignoreMissing(error: unknown): void {
  if (!isNotFound(error)) throw error
}
