/** Device selectors: CEL expressions about one device. */
import { fieldError, type FieldError } from '../../../api/field-error.ts'
import type { JsonObject } from '../../../api/json.ts'
import { compileExpression, kubernetesEnvironment } from '../../../cel/expression.ts'
import type { Estimate } from '../../../cel/costs.ts'
import { dynType, mapType, stringType, type CelType } from '../../../cel/library.ts'
import { quantityType } from '../../../cel/libraries/quantity/library.ts'
import { typeText } from '../../../cel/types.ts'
import { struct, text } from '../shared/values.ts'
import { checkList } from './lists.ts'

const maxSelectors = 32
const maxExpressionLength = 10 * 1024
const maxCost = 1_000_000

/** Limits of the API: number of attributes and of capacities, and lengths of domain, identifier and attribute value. */
const maxEntries = 32
const maxDomain = 63
const maxIdentifier = 32
const maxAttribute = 64

const byName = (values: CelType): CelType => mapType(stringType, mapType(stringType, values))

const device: CelType = {
  kind: 'object',
  name: 'kubernetes.DRADevice',
  fields: new Map([
    ['driver', { type: stringType }],
    ['attributes', { type: byName(dynType) }],
    ['capacity', { type: byName(quantityType) }],
  ]),
}

const variables = new Map([['device', device]])

export function checkSelectors(errors: FieldError[], field: string, selectors: readonly JsonObject[]): void {
  checkList(errors, field, selectors, maxSelectors, (selector, at) => {
    const cel = struct(selector.cel)
    if (cel === undefined) errors.push(fieldError.required(`${at}.cel`))
    else checkExpression(errors, `${at}.cel.expression`, text(cel.expression))
  })
}

function checkExpression(errors: FieldError[], field: string, expression: string): void {
  if (Buffer.byteLength(expression) > maxExpressionLength) {
    errors.push(fieldError.tooLong(field, maxExpressionLength))
    return
  }
  const compiled = compileExpression(expression, variables, kubernetesEnvironment())
  if (typeof compiled === 'string')
    errors.push(fieldError.invalid(field, expression, `compilation failed: ${compiled}`))
  else if (compiled.type.kind !== 'bool' && compiled.type.kind !== 'dyn') {
    errors.push(
      fieldError.invalid(
        field,
        expression,
        `must evaluate to bool or the unknown type, not ${typeText(compiled.type)}`,
      ),
    )
  } else if (compiled.estimate(sizeOf).max > maxCost) {
    errors.push(fieldError.forbidden(field, 'too complex, exceeds cost limit'))
  }
}

/** The maximum size of a part of a device, for cost estimates. */
function sizeOf([root, part, ...below]: readonly string[]): Estimate | undefined {
  if (root !== 'device') return undefined
  const most = part === undefined ? 0 : part === 'driver' ? maxDomain : sizeInMap(part, below)
  return most === undefined ? undefined : { min: 0, max: most }
}

function sizeInMap(part: string, [domain, name]: readonly string[]): number | undefined {
  if (domain === undefined) return maxEntries
  if (domain === '@keys') return maxDomain
  if (domain !== '@values') return undefined
  if (name === undefined) return maxEntries
  if (name === '@keys') return maxIdentifier
  if (part === 'attributes') return maxAttribute
  return name === '@values' ? 0 : undefined
}
