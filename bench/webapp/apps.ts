/** The user of the benchmark: creates many apps concurrently and watches them until they are ready. */
import { WebApp, type WebAppInput } from '../../operators/webapp/schema/webapp.ts'
import type { Live } from '../../src/index.ts'
import type { RestClient } from '../../src/client/index.ts'

/** Concurrent calls of the user. */
const atOnce = 16

const nameOf = (index: number): string => `app-${String(index).padStart(5, '0')}`

export function app(index: number): WebAppInput {
  return {
    metadata: { name: nameOf(index), namespace: 'default' },
    spec: {
      image: `registry.example.com/app-${index % 50}:1.0.0`,
      port: 8080,
      env: { ENV: 'production', NAME: nameOf(index) },
    },
  }
}

export class Apps {
  readonly #client: RestClient
  readonly #count: number
  readonly #seen = new Map<string, Live<WebApp>>()
  readonly #stop = new AbortController()
  #check = (): void => undefined

  private constructor(client: RestClient, count: number) {
    this.#client = client
    this.#count = count
  }

  /** Watches the apps of a server from now on. */
  static async follow(client: RestClient, count: number): Promise<Apps> {
    const apps = new Apps(client, count)
    const { metadata } = await client.list(WebApp)
    void apps.#read(metadata.resourceVersion ?? '')
    return apps
  }

  create(): Promise<void> {
    return this.#each(async (index) => void (await this.#client.create(WebApp, app(index))))
  }

  update(image: string): Promise<void> {
    return this.#each(
      async (index) =>
        void (await this.#client.patch(WebApp, keyOf(index), { type: 'merge', patch: { spec: { image } } })),
    )
  }

  delete(): Promise<void> {
    return this.#each(async (index) => void (await this.#client.delete(WebApp, keyOf(index))))
  }

  /** Resolves when all are observed, ready and Running; with `image`, when they run it. */
  whenRunning(image?: string): Promise<void> {
    return this.#when(
      () => this.#seen.size === this.#count && [...this.#seen.values()].every((each) => isRunning(each, image)),
    )
  }

  whenGone(): Promise<void> {
    return this.#when(() => this.#seen.size === 0)
  }

  stop(): void {
    this.#stop.abort()
  }

  async #each(work: (index: number) => Promise<void>): Promise<void> {
    let next = 0
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        for (let index = next++; index < this.#count; index = next++) await work(index)
      }),
    )
  }

  /** Checked a few times per second: checking all apps at every event would take longer than the measured work. */
  #when(isSo: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const timer = setInterval(() => this.#check(), 50)
      this.#check = () => {
        if (!isSo()) return
        clearInterval(timer)
        this.#check = () => undefined
        resolve()
      }
    })
  }

  async #read(from: string): Promise<void> {
    for (let version = from; !this.#stop.signal.aborted;) {
      try {
        for await (const events of await this.#client.watch(WebApp, {
          resourceVersion: version,
          signal: this.#stop.signal,
        })) {
          for (const { type, object } of events as readonly { type: string; object: Live<WebApp> }[]) {
            version = object.metadata.resourceVersion
            if (type === 'DELETED') this.#seen.delete(object.metadata.name)
            else if (type !== 'BOOKMARK') this.#seen.set(object.metadata.name, object)
          }
        }
      } catch (error) {
        if (!this.#stop.signal.aborted) throw error
      }
    }
  }
}

function keyOf(index: number): { readonly namespace: string; readonly name: string } {
  return { namespace: 'default', name: nameOf(index) }
}

function isRunning({ metadata, spec, status }: Live<WebApp>, image: string | undefined): boolean {
  return (
    status?.phase === 'Running' &&
    status.observedGeneration === metadata.generation &&
    status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true &&
    (image === undefined || (spec.image === image && status.image === image))
  )
}
