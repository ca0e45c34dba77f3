/** Lists as sets: `sets.contains`, `sets.equivalent`, `sets.intersects`. */
import { addEstimates, multiplyEstimates, scaleEstimate } from '../../costs.ts'
import {
  actualSize,
  boolType,
  type CelList,
  type CelValue,
  type LibraryMaker,
  listType,
  paramType,
  type Runtime,
} from '../../library.ts'
import { type Costs, declare, overload } from '../declare.ts'

function has(runtime: Runtime, list: CelList, value: CelValue): boolean {
  for (let i = 0; i < list.size; i++) if (runtime.equal(list.at(i), value)) return true
  return false
}

function contains(runtime: Runtime, list: CelList, part: CelList): boolean {
  for (let i = 0; i < part.size; i++) if (!has(runtime, list, part.at(i))) return false
  return true
}

function intersects(runtime: Runtime, a: CelList, b: CelList): boolean {
  for (let i = 0; i < a.size; i++) if (has(runtime, b, a.at(i))) return true
  return false
}

/** Compares every item of one list with every item of the other, `passes` times. */
function productCosts(passes: number): Costs {
  return {
    cost: ([a, b]) => 1 + actualSize(a as CelValue) * actualSize(b as CelValue) * passes,
    estimate: (call) => {
      const [a, b] = call.args
      if (a === undefined || b === undefined) return undefined
      const product = multiplyEstimates(call.sizeOf(a), call.sizeOf(b))
      return { cost: addEstimates(scaleEstimate(product, passes), { min: 1, max: 1 }) }
    },
  }
}

export const setsLibrary: LibraryMaker = (runtime) => {
  const list = listType(paramType('T'))
  const onLists = (id: string, run: (a: CelList, b: CelList) => boolean, passes: number) =>
    overload(id, [list, list], boolType, run, productCosts(passes))
  return {
    name: 'cel.lib.ext.sets',
    functions: [
      declare(
        'sets.contains',
        onLists('list_sets_contains_list', (a, b) => contains(runtime, a, b), 1),
      ),
      declare(
        'sets.equivalent',
        onLists('list_sets_equivalent_list', (a, b) => contains(runtime, a, b) && contains(runtime, b, a), 2),
      ),
      declare(
        'sets.intersects',
        onLists('list_sets_intersects_list', (a, b) => intersects(runtime, a, b), 1),
      ),
    ],
  }
}
