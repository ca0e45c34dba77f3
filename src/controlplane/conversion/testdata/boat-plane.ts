/**
 * A control plane with boats in two versions. Tests choose how its webhook responds, and can hold the responses back.
 */
import type { FrozenJson, Json, JsonObject } from '../../../api/json.ts'
import { afterMicrotasks } from '../../../env/real.ts'
import { simulatedEnv } from '../../../env/simulated.ts'
import { createControlPlane } from '../../index.ts'
import type { WatchEvent } from '../../contract/request.ts'
import { answer, boatDefinition, type Mode } from './boats.ts'

export const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
export const at = (version: string, name = ''): string => `/apis/sea.io/${version}/namespaces/default/boats${name}`
export const merge = { 'content-type': 'application/merge-patch+json' }

export interface Answer {
  readonly status: number
  readonly body: JsonObject & {
    readonly metadata: JsonObject
    readonly spec: JsonObject
    readonly items: JsonObject[]
    readonly message: string
  }
}

export interface BoatWatch {
  /** The events since the last call: type, name and size. */
  seen(): Promise<string[]>
  stop(): void
}

type Request = Parameters<typeof answer>[1]

export class BoatPlane {
  readonly env = simulatedEnv({ seed: 3 })
  mode: Mode = 'right'
  readonly asked: Request[] = []
  #held: Promise<void> | undefined
  #release: (() => void) | undefined
  readonly plane = createControlPlane({
    env: this.env,
    callWebhook: async ({ url }, review): Promise<FrozenJson> => {
      if (url === 'https://boats.test/stamp') return stamped(review)
      const { request } = review as unknown as { readonly request: Request }
      this.asked.push(structuredClone(request))
      const answered = answer(this.mode, structuredClone(request))
      await this.#held
      return answered
    },
  })

  static async start(): Promise<BoatPlane> {
    const made = new BoatPlane()
    await made.send('POST', crds, boatDefinition({ url: 'https://boats.test/convert' }))
    return made
  }

  async send(method: string, path: string, body?: JsonObject, headers: Record<string, string> = {}): Promise<Answer> {
    return (await this.plane.transport()({
      method,
      path,
      headers,
      ...(body === undefined ? {} : { body }),
    })) as unknown as Answer
  }

  /** Holds all conversions until `letGo`. */
  hold(): void {
    this.#held = new Promise((resolve) => (this.#release = resolve))
  }

  letGo(): void {
    this.#release?.()
    this.#held = undefined
  }

  /** The conversion requests since the last call: target version and names of the boats. */
  questions(): string[] {
    return this.asked
      .splice(0)
      .map(
        ({ desiredAPIVersion, objects }) =>
          `${desiredAPIVersion.slice('sea.io/'.length)} of ` +
          objects.map(({ metadata }) => (metadata as JsonObject)['name']).join(),
      )
  }

  async watch(version: string, query = ''): Promise<BoatWatch> {
    const stop = new AbortController()
    const { events } = await this.plane.transport()({
      method: 'GET',
      path: `${at(version)}?watch=true${query}`,
      signal: stop.signal,
    })
    return {
      async seen() {
        await afterMicrotasks()
        return events?.drain().map(reported) ?? []
      },
      stop: () => stop.abort(),
    }
  }
}

function reported({ type, object }: WatchEvent): string {
  const { metadata, spec, message } = object as unknown as {
    readonly metadata: JsonObject
    readonly spec?: JsonObject
    readonly message?: string
  }
  if (type === 'ERROR') return `ERROR ${message}`
  return type === 'BOOKMARK'
    ? type
    : `${type} ${String(metadata['name'])} ${String(spec?.['length'] ?? spec?.['size'])}`
}

/** The response of a mutating webhook that accepts v1 only. */
function stamped(review: Json): JsonObject {
  const { request } = review as unknown as {
    readonly request: { readonly uid: string; readonly object: { readonly spec: JsonObject } }
  }
  const patch = [{ op: 'add', path: '/spec/note', value: `crew of ${String(request.object.spec['crew'])}` }]
  const response = {
    uid: request.uid,
    allowed: true,
    patchType: 'JSONPatch',
    patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
  }
  return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response }
}
