/** Running an operator, and its manifests as files. */
export type { ManifestOptions, Manifests } from '../manifests/manifests.ts'
export { manifestDifferences, writeManifests } from './manifest-files.ts'
export type { Surroundings } from './run-operator.ts'
