/**
 * Clusters that scenarios share, one after the other, as they share the real one: a new cluster costs more than most
 * scenarios.
 */
import { embeddedSite } from './embedded-site.ts'
import type { Scenario } from './scenario.ts'
import type { Site } from './site.ts'

export class SharedSites {
  readonly #perSite: number
  /** With the number of scenarios that each may still serve. With and without authorization by RBAC. */
  readonly #sites = new Map<boolean, { readonly site: Site; left: number }>()

  /** `perSite`: how many scenarios share a cluster. */
  constructor(perSite: number) {
    this.#perSite = perSite
  }

  async of(scenario: Scenario): Promise<Site> {
    const { rights = false } = scenario
    const shared = this.#sites.get(rights)
    if (shared !== undefined && shared.left-- > 0) return shared.site
    await shared?.site.stop()
    const site = await embeddedSite(scenario)
    this.#sites.set(rights, { site, left: this.#perSite - 1 })
    return site
  }

  /** The next scenarios get new clusters. */
  async stop(): Promise<void> {
    const sites = [...this.#sites.values()]
    this.#sites.clear()
    for (const { site } of sites) await site.stop()
  }
}
