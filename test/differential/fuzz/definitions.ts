/** The custom resources of the fuzzer, with schemas of many shapes. They are created once per run, on both servers. */
import { listShapes } from './shapes/lists.ts'
import { ruleShapes } from './shapes/rules.ts'
import type { Shape } from './shapes/shape.ts'
import { valueShapes } from './shapes/values.ts'
import { versionShapes } from './shapes/versions.ts'

export { fuzzGroup } from './shapes/shape.ts'
export type { Shape } from './shapes/shape.ts'

export const shapes: readonly Shape[] = [...listShapes, ...valueShapes, ...ruleShapes, ...versionShapes]
