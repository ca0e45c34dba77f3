/**
 * Shows validation by CEL rules, which the API server checks by itself: no webhook, no code in the controller. Rules
 * compare fields, make a field immutable, require a field only in one case, and name the field that is wrong.
 *
 * Run it: `npm run -s coxswain -- demo examples/cel-rules.ts`
 */
import { age, column, controller, operator, resource, t, type OperatorDemo } from 'coxswain'

const scaling = t
  .object({ min: t.int().min(0).default(1), max: t.int().min(1).default(10) })
  .rule('self.min <= self.max', {
    messageExpression: "'min %d is more than max %d'.format([self.min, self.max])",
    fieldPath: '.min',
  })

const storage = t
  .object({ type: t.enum('disk', 'memory'), diskGiB: t.int().min(1).optional() })
  // A field that is required in one case and forbidden in all others.
  .rule("(self.type == 'disk') == has(self.diskGiB)", {
    message: 'set diskGiB for the type disk, and only then',
    fieldPath: '.diskGiB',
  })
  // `has` is needed: a rule of a field is skipped when the field is added or removed.
  .rule('!has(self.diskGiB) || !has(oldSelf.diskGiB) || self.diskGiB >= oldSelf.diskGiB', {
    message: 'a disk cannot shrink',
    fieldPath: '.diskGiB',
  })

export const Pool = resource('example.dev/v1', 'Pool', {
  spec: t.object({
    zone: t.string().maxLength(63).rule('self == oldSelf', { message: 'the zone cannot change' }),
    scaling: scaling.default({ min: 1, max: 10 }),
    storage,
    // Give lists and texts a maximum: the server limits what a rule may cost in the worst case.
    tags: t
      .array(t.string().maxLength(32))
      .maxItems(20)
      .rule("self.all(tag, tag.matches('^[a-z]+(-[a-z]+)*$'))", { message: 'tags are lower-case words with dashes' })
      .default([]),
  }),
  status: t.object({
    observedGeneration: t.int64().optional(),
    size: t.int().optional(),
    conditions: t.conditions().optional(),
  }),
  // A rule of the whole object may use its name.
  rules: [{ rule: 'self.metadata.name.size() <= 20', message: 'the name has at most 20 characters' }],
  columns: [column('Zone', '.spec.zone'), column('Size', '.status.size'), age()],
})

/** Relies on the rules: every Pool that it sees is valid. */
export const pools = controller(Pool).reconcile(({ object, status }) => {
  status.set({ size: object.spec.scaling.min })
  status.condition({ type: 'Ready', status: true, reason: 'Accepted', message: 'the pool has its minimal size' })
})

export default operator({ name: 'pools', controllers: [pools] })

const patch = (spec: object): string => `kubectl patch pool small --type merge -p '${JSON.stringify({ spec })}'`

export const demo: OperatorDemo = {
  samples: [
    {
      apiVersion: 'example.dev/v1',
      kind: 'Pool',
      metadata: { name: 'small' },
      spec: { zone: 'a', storage: { type: 'disk', diskGiB: 10 } },
    },
  ],
  tries: [
    ['refused: immutable', patch({ zone: 'b' })],
    ['refused: min is more than max', patch({ scaling: { min: 11 } })],
    ['refused: a disk cannot shrink', patch({ storage: { diskGiB: 5 } })],
    ['allowed', patch({ storage: { diskGiB: 20 } })],
  ],
}
