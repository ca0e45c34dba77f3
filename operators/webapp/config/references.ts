/** What an app refers to: ConfigMaps and Secrets, with the field of the spec that does. */
import type { DeepReadonly } from 'coxswain/api'
import type { Live } from 'coxswain'
import type { WebApp, WebAppSpec } from '../schema/webapp.ts'

export interface Reference {
  readonly kind: 'ConfigMap' | 'Secret'
  readonly name: string
  /** One key; undefined: all of them. */
  readonly key?: string | undefined
  readonly optional: boolean
  /** `spec.envFrom[0].configMapRef` */
  readonly path: string
}

export function references(spec: DeepReadonly<WebAppSpec>): readonly Reference[] {
  return [...variableReferences(spec), ...listReferences(spec), ...fileReferences(spec)]
}

function variableReferences({ envValueFrom = {} }: DeepReadonly<WebAppSpec>): Reference[] {
  return Object.entries(envValueFrom).flatMap(([variable, { configMapKeyRef, secretKeyRef }]) => [
    ...reference('ConfigMap', configMapKeyRef, `spec.envValueFrom.${variable}.configMapKeyRef`),
    ...reference('Secret', secretKeyRef, `spec.envValueFrom.${variable}.secretKeyRef`),
  ])
}

function listReferences({ envFrom = [] }: DeepReadonly<WebAppSpec>): Reference[] {
  return envFrom.flatMap(({ configMapRef, secretRef }, index) => [
    ...reference('ConfigMap', configMapRef, `spec.envFrom[${index}].configMapRef`),
    ...reference('Secret', secretRef, `spec.envFrom[${index}].secretRef`),
  ])
}

function fileReferences({ files = [] }: DeepReadonly<WebAppSpec>): Reference[] {
  return files.flatMap(({ configMap, secret, optional }, index) => [
    ...reference('ConfigMap', named(configMap, optional), `spec.files[${index}].configMap`),
    ...reference('Secret', named(secret, optional), `spec.files[${index}].secret`),
  ])
}

function named(name: string | undefined, optional: boolean): { name: string; optional: boolean } | undefined {
  return name === undefined ? undefined : { name, optional }
}

function reference(
  kind: Reference['kind'],
  to: { readonly name: string; readonly key?: string; readonly optional?: boolean } | undefined,
  path: string,
): Reference[] {
  return to === undefined ? [] : [{ kind, name: to.name, key: to.key, optional: to.optional ?? false, path }]
}

/** Finds the apps that refer to an object, by {@link referenceKey}. */
export const referenceIndex = 'references'

export function referenceKey(kind: Reference['kind'], name: string): string {
  return `${kind}/${name}`
}

export function referenceKeys({ spec }: Live<WebApp>): readonly string[] {
  return [...new Set(references(spec).map(({ kind, name }) => referenceKey(kind, name)))]
}
