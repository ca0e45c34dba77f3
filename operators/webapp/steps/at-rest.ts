/**
 * Apps to which nothing happens. A run that found all well would find the same again as long as it looked at the same
 * objects, and at a status that says so: the next one only looks whether they are. What is compared is the cache, as in
 * any other run; a lost wake-up is found so within 30 s, and a watch that has gone silent is given up, and listed anew,
 * by the cache itself.
 */
import { isDeepStrictEqual } from 'node:util'
import { Deployment, type Live } from 'coxswain'
import { step, wait, when, type Step } from 'coxswain/flow'
import type { DeepReadonly } from 'coxswain/api'
import type { WebAppStatus } from '../schema/webapp.ts'
import { specChanged } from '../state/facts.ts'
import type { Verdict } from '../state/verdict.ts'
import { look, type AppContext, type Found } from './context.ts'
import { isAskedFor } from './resolve.ts'

interface Rest {
  readonly found: Found
  readonly checksum: string | undefined
  /** As the run has left it. */
  status: DeepReadonly<WebAppStatus>
}

/**
 * By the very version of the Deployment: the cache has one object for each, and one that is another app's is never
 * found.
 */
const resting = new WeakMap<Live<Deployment>, Rest>()

/**
 * The app rests from now on, if this run has found nothing to do or to wait for. `status`: what it says, once that is
 * written.
 */
export function noteRest({ run }: AppContext, verdict: Verdict, status: DeepReadonly<WebAppStatus>): void {
  const { found, config, synced } = run
  const isDone = synced?.every(({ outcome }) => outcome === 'unchanged') === true
  if (verdict.state === 'Ready' && found?.deployment !== undefined && isDone)
    resting.set(found.deployment, { found, checksum: config.checksum, status })
}

async function isAtRest(context: AppContext): Promise<boolean> {
  const { object: app, run, get } = context
  const {
    metadata: { name, deletionTimestamp },
    status,
  } = app
  if (deletionTimestamp !== undefined || specChanged(app) || isAskedFor(context)) return false
  const deployment = await get(Deployment, name)
  const rest = deployment === undefined ? undefined : resting.get(deployment)
  if (rest === undefined || rest.checksum !== run.config.checksum || run.config.missing.length > 0) return false
  if (status !== rest.status && !isDeepStrictEqual(status, rest.status)) return false
  rest.status = status ?? {}
  return isSame(rest.found, await look(context))
}

function isSame({ pods, ...children }: Found, { pods: podsNow, ...childrenNow }: Found): boolean {
  const names = Object.keys(childrenNow) as (keyof typeof children)[]
  return (
    names.every((name) => children[name] === childrenNow[name]) &&
    pods.length === podsNow.length &&
    pods.every((pod, index) => pod === podsNow[index])
  )
}

const restOn: Step<AppContext> = step('check health', ({ run }, scope) => {
  run.isAtRest = true
  scope.note({ state: 'Ready', message: 'nothing is different since it was found so' })
  return wait(run.settings.checkEvery, 'health and drift are looked at again')
})

export const unlessDifferent: Step<AppContext> = when('at rest', isAtRest, restOn)
