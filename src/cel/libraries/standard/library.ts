/** The standard functions of CEL, except operators. */
import type { Library } from '../../library.ts'
import { conversionFunctions } from './conversion-functions.ts'
import { textFunctions } from './text-functions.ts'
import { timeFunctions } from './time-functions.ts'

export const standardLibrary: Library = {
  name: 'stdlib',
  functions: [...textFunctions, ...conversionFunctions, ...timeFunctions],
}
