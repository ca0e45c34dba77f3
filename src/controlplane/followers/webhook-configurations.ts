/** The admission webhooks that the configurations in the store name, as new as the last finished write. */
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
  /** Called when there are others. */
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

  /** Configurations by name, and within each as they stand. */
  #of(type: keyof typeof prefixes): readonly ConfiguredWebhook[] {
    return (this.#known[type] ??=
      this.#store.count(prefixes[type]) === 0
        ? []
        : this.#store.list(prefixes[type]).items.flatMap(({ object }) => webhooksOf(object)))
  }
}
