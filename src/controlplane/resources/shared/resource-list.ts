/** Rounds the quantities of resource lists, as upstream's defaulting does. */
import type { JsonObject } from '../../../api/json.ts'
import { struct, text } from './values.ts'

/** Rounds up to milli-units: `100u` becomes `1m`. */
export function roundResourceList(list: unknown): void {
  const given = struct(list)
  if (given === undefined) return
  for (const name of Object.keys(given)) {
    const fine = /^(-?[0-9]+)([nu])$/.exec(text(given[name]))
    if (fine === null || name === '__proto__') continue
    const milli = Math.ceil(Number(fine[1]) / (fine[2] === 'n' ? 1e6 : 1e3))
    given[name] = milli % 1000 === 0 ? String(milli / 1000) : `${milli}m`
  }
}

/** Rounds the limits and requests of resource requirements. */
export function roundRequirements(requirements: JsonObject | undefined): void {
  if (requirements === undefined) return
  roundResourceList(requirements.limits)
  roundResourceList(requirements.requests)
}
