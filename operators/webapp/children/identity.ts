/** How what belongs to an app is called and found. */
import type { Live } from 'coxswain'
import type { WebApp } from '../schema/webapp.ts'

/** Under which the operator applies what it makes. */
export const fieldManager = 'webapp'

/** On everything that the operator makes, pods included, with the app's name. Never changes: selectors cannot. */
export const appLabel = 'coxswain.dev/webapp'

/** Finds the pods of an app by its name, in the cache. */
export const podIndex = 'webapp'

export const checksumAnnotation = 'coxswain.dev/config-checksum'

export function selectorLabels(name: string): Record<string, string> {
  return { [appLabel]: name }
}

export function childLabels(name: string): Record<string, string> {
  return { ...selectorLabels(name), 'app.kubernetes.io/name': name, 'app.kubernetes.io/managed-by': 'coxswain' }
}

/** The metadata of a child: it has the app's name. */
export function childMetadata(
  { metadata: { name } }: Live<WebApp>,
  annotations?: Readonly<Record<string, string>>,
): { name: string; labels: Record<string, string>; annotations?: Readonly<Record<string, string>> } {
  return { name, labels: childLabels(name), ...(annotations === undefined ? {} : { annotations }) }
}

/** The selector of the pods as text. */
export function selectorText(name: string): string {
  return `${appLabel}=${name}`
}
