/**
 * Apps to which nothing happens. A run that found all well, and had nothing to say, would find the same again as long as it looked
 * at the same objects: so the next one only looks whether they are. What is compared is the cache, as in any other run; a lost
 * wake-up is found so within 30 s, and a watch that has gone silent is given up, and listed anew, by the cache itself.
 */
import { step, wait, when, type Live, type Step } from 'coxswain'
import type { WebApp } from '../schema/webapp.ts'
import type { Verdict } from '../state/verdict.ts'
import { look, type AppContext, type Found } from './context.ts'

interface Rest {
  readonly found: Found
  readonly checksum: string | undefined
}

/** By the app's very version: the cache has one object for each. */
const resting = new WeakMap<Live<WebApp>, Rest>()

/** The app rests from now on, if this run has found nothing to do, to tell or to wait for. */
export function noteRest({ object: app, run }: AppContext, verdict: Verdict): void {
  const { found, config, synced } = run
  const isDone = synced?.every(({ outcome }) => outcome === 'unchanged') === true
  if (verdict.state === 'Ready' && found !== undefined && isDone) resting.set(app, { found, checksum: config.checksum })
}

async function isAtRest(context: AppContext): Promise<boolean> {
  const { object: app, run } = context
  const rest = resting.get(app)
  if (rest === undefined || app.metadata.deletionTimestamp !== undefined) return false
  return rest.checksum === run.config.checksum && run.config.missing.length === 0 && isSame(rest.found, await look(context))
}

function isSame({ pods, ...children }: Found, { pods: podsNow, ...childrenNow }: Found): boolean {
  const names = Object.keys(childrenNow) as (keyof typeof children)[]
  return names.every((name) => children[name] === childrenNow[name]) && pods.length === podsNow.length && pods.every((pod, index) => pod === podsNow[index])
}

const restOn: Step<AppContext> = step('check health', ({ run }, scope) => {
  run.isAtRest = true
  scope.note({ state: 'Ready', message: 'nothing is different since it was found so' })
  return wait(run.settings.checkEvery, 'health and drift are looked at again')
})

export const unlessDifferent: Step<AppContext> = when('at rest', isAtRest, restOn)
