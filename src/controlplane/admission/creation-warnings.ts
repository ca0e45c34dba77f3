/** Warns about each created object of certain resources. Not a plugin of upstream: the embedder gives the texts. */
import type { Resource } from '../contract/resource.ts'
import type { AdmissionPlugin } from './plugin.ts'

/** Texts of warnings by plural and group: `statefulsets.apps`, `pods`. */
export type CreationWarnings = ReadonlyMap<string, string>

export function creationWarnings(texts: CreationWarnings): AdmissionPlugin {
  const textFor = ({ plural, group }: Resource) => texts.get(group === '' ? plural : `${plural}.${group}`)
  return {
    name: 'CreationWarnings',
    validate: {
      concerns: ({ resource, subresource, operation }) =>
        operation === 'CREATE' && subresource === '' && textFor(resource) !== undefined,
      run: ({ resource, context }) => context.warn(textFor(resource) as string),
    },
  }
}
