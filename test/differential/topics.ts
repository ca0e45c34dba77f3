/** All topics of the suite. */
import type { Topic } from './case.ts'
import { errors } from './cases/errors.ts'

export const topics: readonly Topic[] = [errors]
