/** The admission webhooks of the configurations in the store, up to date with the last completed write. */
import { webhooksOf, type ConfiguredWebhook } from '../admission/webhooks/webhook.ts'
import type { Env } from '../../env/env.ts'
import type { CallWebhook, WebhookServices } from '../admission/plugin.ts'
import type { Store } from '../storage/store.ts'

const prefixes = {
  mutating: '/registry/mutatingwebhookconfigurations/',
  validating: '/registry/validatingwebhookconfigurations/',
} as const

export class WebhookConfigurations implements WebhookServices {
  readonly call: CallWebhook
  readonly newId: () => string
  readonly #store: Store
  readonly #known: { -readonly [Type in keyof typeof prefixes]?: readonly ConfiguredWebhook[] | undefined } = {}
  /** Called when the webhooks change. */
  onChange: () => void = () => undefined

  constructor(env: Env, store: Store, call: CallWebhook) {
    this.#store = store
    this.newId = () => env.uuid()
    this.call = call
    for (const type of ['mutating', 'validating'] as const) {
      store.watch(prefixes[type], store.revision, () => {
        this.#known[type] = undefined
        this.onChange()
      })
    }
  }

  get mutating(): readonly ConfiguredWebhook[] {
    return this.#of('mutating')
  }

  get validating(): readonly ConfiguredWebhook[] {
    return this.#of('validating')
  }

  /** Configurations in the order of their names, webhooks in the order of each configuration. */
  #of(type: keyof typeof prefixes): readonly ConfiguredWebhook[] {
    return (this.#known[type] ??=
      this.#store.count(prefixes[type]) === 0
        ? []
        : this.#store.list(prefixes[type]).items.flatMap(({ object }) => webhooksOf(object)))
  }
}
