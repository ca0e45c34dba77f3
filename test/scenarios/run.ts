/** Runs a scenario at a site and returns its outcome in normal form. */
import type { Json, JsonObject } from '../../src/api/json.ts'
import { fill, type Known, type Step as Request } from '../differential/case.ts'
import { normalForm } from './normal-form.ts'
import type { Act, Outcome, Scenario, Seen } from './scenario.ts'
import type { Reply, Site } from './site.ts'

/** The resources of a namespace that are recorded. */
const kinds = [
  ...['pods', 'services', 'endpoints', 'configmaps', 'secrets', 'serviceaccounts', 'resourcequotas'].map(
    (plural) => ['/api/v1', plural] as const,
  ),
  ...['deployments', 'replicasets'].map((plural) => ['/apis/apps/v1', plural] as const),
  ...['statefulsets', 'daemonsets', 'controllerrevisions'].map((plural) => ['/apis/apps/v1', plural] as const),
  ...['persistentvolumeclaims', 'replicationcontrollers'].map((plural) => ['/api/v1', plural] as const),
  ['/apis/batch/v1', 'jobs'],
  ['/apis/batch/v1', 'cronjobs'],
  ['/apis/discovery.k8s.io/v1', 'endpointslices'],
  ['/apis/policy/v1', 'poddisruptionbudgets'],
  ['/api/v1', 'events'],
] as const

export async function runScenario(site: Site, scenario: Scenario, prefix = 's'): Promise<Outcome> {
  const run = new Run(site, scenario, `${prefix}-${scenario.name}`)
  return run.all()
}

class Run {
  readonly #site: Site
  readonly #scenario: Scenario
  readonly #namespace: string
  readonly #answers: { body: Json; headers: Record<string, Json> }[] = []
  readonly #refused: string[] = []
  readonly #looks: Record<string, Seen> = {}

  constructor(site: Site, scenario: Scenario, namespace: string) {
    this.#site = site
    this.#scenario = scenario
    this.#namespace = namespace
  }

  async all(): Promise<Outcome> {
    const { name, steps } = this.#scenario
    try {
      await this.#site.send({
        method: 'POST',
        path: '/api/v1/namespaces',
        body: { metadata: { name: this.#namespace } },
      })
      // Pods need their service account.
      const account = `/api/v1/namespaces/${this.#namespace}/serviceaccounts/default`
      await this.#site.until('the service account is there', async () => (await this.#get(account)) !== null)
      for (const step of [...steps, { look: 'end' }]) await this.#do(step)
    } catch (error) {
      throw new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
    } finally {
      await this.#cleanUp()
    }
    return { refused: this.#refused, looks: this.#looks }
  }

  /**
   * Deletes the pods, which occupy resources of shared nodes, and the namespace, so that controllers stop syncing it.
   */
  async #cleanUp(): Promise<void> {
    await this.#site.send({ method: 'DELETE', path: `/api/v1/namespaces/${this.#namespace}/pods?gracePeriodSeconds=0` })
    await this.#site.send({ method: 'DELETE', path: `/api/v1/namespaces/${this.#namespace}` })
    await this.#site.send({ method: 'DELETE', path: `/api/v1/nodes/${this.#namespace}` })
  }

  async #do(act: Act): Promise<void> {
    if ('method' in act) return this.#send(act)
    if ('rest' in act) return this.#rest()
    if ('look' in act) return this.#look(act.look)
    if ('until' in act) {
      const path = this.#fill(act.until)
      return this.#site.until(`${path} ${act.says}`, async () => act.holds(await this.#get(path)))
    }
    const found = (await this.#list(this.#fill(act.each))).slice(0, act.most)
    for (const [index, object] of found.entries()) for (const inner of act.acts(object, index)) await this.#do(inner)
  }

  async #send(request: Request): Promise<void> {
    const { method } = request
    const path = this.#fill(request.path)
    const { status, body } = await this.#sendOnceServed({
      ...request,
      path,
      ...(request.body === undefined ? {} : { body: this.#fill(request.body) }),
    })
    this.#answers.push({ body, headers: {} })
    if (status < 400) return
    const { reason = '', message = '' } = body as JsonObject
    this.#refused.push(
      (
        `${this.#answers.length} ${method} ${path.split('/').slice(-2).join('/')}: ${status} ${String(reason)} ` +
        String(message)
      ).replaceAll(this.#namespace, '{{ns}}'),
    )
  }

  /** Retries while a real server initializes the storage of a new definition, as clients do. */
  async #sendOnceServed(request: Request): Promise<Reply> {
    let reply = await this.#site.send(request)
    const isPutOff = (): boolean =>
      reply.status === 429 && String((reply.body as JsonObject)['message']).includes('(re)initializing')
    if (isPutOff()) {
      await this.#site.until(`${request.path} is served`, async () => {
        reply = await this.#site.send(request)
        return !isPutOff()
      })
    }
    return reply
  }

  #fill<T extends Json>(value: T): T {
    const known: Known = { namespace: this.#namespace, answers: this.#answers }
    const time = new Date(this.#site.now()).toISOString()
    return JSON.parse(
      JSON.stringify(fill(value, known))
        .replaceAll('{{now}}', `${time.slice(0, 19)}Z`)
        .replaceAll('{{microtime}}', time.replace('Z', '000Z')),
    ) as T
  }

  async #get(path: string): Promise<JsonObject | null> {
    const { status, body } = await this.#site.send({ method: 'GET', path })
    // The kind of a new definition is not served yet.
    if (status === 404 || status === 429) return null
    if (status >= 400) throw new Error(`GET ${path}: ${status} ${JSON.stringify(body)}`)
    return body as JsonObject
  }

  /** The object at a path, or the items of a list, oldest first. */
  async #list(path: string): Promise<JsonObject[]> {
    const found = await this.#get(path)
    if (found === null) return []
    if (!Array.isArray(found['items'])) return [found]
    const kind = String(found['kind']).replace(/List$/, '')
    const time = (item: JsonObject): string => String((item['metadata'] as JsonObject)['creationTimestamp'])
    return (found['items'] as JsonObject[])
      .map((item) => ({ kind, ...item }))
      .sort((a, b) => (time(a) < time(b) ? -1 : time(a) > time(b) ? 1 : 0))
  }

  async #everything(): Promise<JsonObject[]> {
    const paths = [
      `/api/v1/namespaces/${this.#namespace}`,
      ...kinds.map(([root, plural]) => `${root}/namespaces/${this.#namespace}/${plural}`),
      ...(this.#scenario.also ?? []).map((path) => this.#fill(path)),
    ]
    return (await Promise.all(paths.map((path) => this.#list(path)))).flat()
  }

  #rest(): Promise<void> {
    const version = ({ metadata }: JsonObject): string =>
      `${String((metadata as JsonObject)['uid'])}@${String((metadata as JsonObject)['resourceVersion'])}`
    return this.#site.rest(async () => (await this.#everything()).map(version).sort().join())
  }

  async #look(name: string): Promise<void> {
    await this.#rest()
    const { places = false, anyNumber = [], byChance = [] } = this.#scenario
    this.#looks[name] = normalForm(await this.#everything(), {
      namespace: this.#namespace,
      places,
      anyNumber,
      byChance,
    })
  }
}
