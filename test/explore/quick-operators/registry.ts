/** The registry in which Caches are entered, outside of the cluster: what operators call, and a model in memory. */
export interface RegistryEntry {
  readonly endpoint: string
  readonly version: string
}

export interface Registry {
  put(id: string, entry: RegistryEntry): Promise<void>
  delete(id: string): Promise<void>
}

/** Both calls do the same when repeated. */
export class RegistryModel implements Registry {
  readonly entries = new Map<string, RegistryEntry>()

  async put(id: string, entry: RegistryEntry): Promise<void> {
    this.entries.set(id, entry)
  }

  async delete(id: string): Promise<void> {
    this.entries.delete(id)
  }
}
