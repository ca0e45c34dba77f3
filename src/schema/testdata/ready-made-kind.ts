/** A kind that uses every feature: all ready-made nodes, columns, scale, selectable fields, rules, several versions. */
import { age, column } from '../columns.ts'
import { resource } from '../resource.ts'
import { t } from '../t.ts'

const spec = t
  .object({
    image: t.string().minLength(1).maxLength(500).describe('What to run.'),
    replicas: t.int().min(0).default(1),
    suspended: t.boolean().default(false),
    env: t.env().optional(),
    resources: t.resources().default({}),
    readiness: t.probe().optional(),
    credentials: t.keyReference().optional(),
    config: t.localReference().optional(),
    target: t.objectReference().optional(),
    selector: t.labelSelector().optional(),
    labels: t.labels().optional(),
    annotations: t.annotations().optional(),
    timeout: t.duration().default('30s'),
    template: t.embedded().optional(),
    settings: t.json().optional(),
    mode: t.enum('Fast', 'Safe').nullable().optional(),
    host: t.string().maxLength(253).optional(),
  })
  .rule('self.replicas > 0 || self.suspended', {
    message: 'nothing to run',
    reason: 'FieldValueForbidden',
    fieldPath: '.replicas',
  })

const status = t.object({
  phase: t.enum('Pending', 'Running').optional(),
  replicas: t.int().optional(),
  selector: t.string().optional(),
  since: t.time().optional(),
  conditions: t.conditions().optional(),
})

const names = { plural: 'everythings', shortNames: ['et'], categories: ['all'] } as const

export const EverythingBeta = resource('samples.test.io/v1beta1', 'Everything', {
  ...names,
  spec: t.object({ image: t.string() }),
  deprecated: 'samples.test.io/v1beta1 is deprecated; use v1',
})

export const Everything = resource('samples.test.io/v1', 'Everything', {
  ...names,
  spec,
  status,
  description: 'Uses all that there is.',
  rules: [{ rule: 'self.metadata.name.size() <= 63', message: 'a name of at most 63 characters' }],
  scale: { spec: '.spec.replicas', status: '.status.replicas', selector: '.status.selector' },
  selectableFields: ['.spec.host', '.spec.suspended'],
  columns: [
    column('Phase', '.status.phase'),
    column('Replicas', '.spec.replicas'),
    column('Ready', '.status.conditions[?(@.type=="Ready")].status'),
    column('Since', '.status.since', { priority: 1, description: 'When it began.' }),
    age(),
  ],
  versions: [EverythingBeta],
})
