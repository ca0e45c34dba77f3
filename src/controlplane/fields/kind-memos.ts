/** Memos of recent writes to one kind, for speed only: no result depends on them. */
import { perShape, type Shape } from '../../shape/shape.ts'
import { AppliedConfigurations } from './applied-configurations.ts'
import { DerivedSets } from './derived-sets.ts'
import { CreatedForms } from './created-forms.ts'
import { fitToShape } from './schema-change.ts'

export interface KindMemos {
  readonly sets: DerivedSets
  readonly configurations: AppliedConfigurations
  readonly created: CreatedForms
}

/** By the shape of whole objects. */
export const memosOf: (shape: Shape) => KindMemos = perShape((shape: Shape) => ({
  sets: new DerivedSets((set) => fitToShape(set, shape)),
  configurations: new AppliedConfigurations(),
  created: new CreatedForms(),
}))
