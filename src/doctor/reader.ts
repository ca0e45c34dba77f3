/** Reads of the doctor. What cannot be read is noted, once, and examination goes on without it. */
import { errorText } from '../api/error-text.ts'
import { isNotFound } from '../api/error-reasons.ts'
import type { ObjectKey } from '../api/live-object.ts'
import type { KubeObject } from '../api/object.ts'
import type { Client, ListOptions } from '../client/client.ts'
import { kindName, type Kind } from '../schema/kind.ts'
import type { Examined } from './examined.ts'
import type { Unread } from './finding.ts'

export class Reader {
  readonly #client: Client
  readonly #unread = new Map<string, Unread>()

  constructor(client: Client) {
    this.#client = client
  }

  get unread(): readonly Unread[] {
    return [...this.#unread.values()].sort((a, b) => (a.what < b.what ? -1 : 1))
  }

  /** Undefined: it could not be read. */
  async list(kind: Kind, options: ListOptions = {}): Promise<readonly Examined[] | undefined> {
    const { namespace } = options
    const where = !kind.namespaced ? '' : namespace === undefined ? ' in all namespaces' : ` in ${namespace}`
    const list = await this.tried(`${kindName(kind)}${where}`, () => this.#client.list(kind, options))
    return list?.items.map((object) => ({ kind, object: object as unknown as KubeObject }))
  }

  /** `absent`: it does not exist. Undefined: it could not be read. */
  async get(kind: Kind, key: ObjectKey): Promise<Examined | 'absent' | undefined> {
    return this.tried(`${kindName(kind)} ${key.name}`, async () => {
      try {
        return { kind, object: (await this.#client.get(kind, key)) as unknown as KubeObject }
      } catch (error) {
        if (isNotFound(error)) return 'absent'
        throw error
      }
    })
  }

  /** Undefined if it fails. */
  async tried<Answer>(what: string, read: () => Promise<Answer>): Promise<Answer | undefined> {
    try {
      return await read()
    } catch (error) {
      this.#unread.set(what, { what, why: errorText(error) })
      return undefined
    }
  }
}
