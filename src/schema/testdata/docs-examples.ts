/** The examples of docs/reference/schema.md, compiled and run by its test. */
import { age, column } from '../columns.ts'
import { resource, type Infer, type Input } from '../resource.ts'
import { t } from '../t.ts'
import { Deployment } from '../builtin/kinds.ts'
import { kind } from '../kind.ts'
import type { Client, coreV1 } from '../../index.ts'

export const WebApp = resource('coxswain.dev/v1', 'WebApp', {
  shortNames: ['wa'],
  spec: t.object({
    image: t.string().minLength(1).describe('What to run.'),
    replicas: t.int().min(0).default(1),
    port: t.int().min(1).max(65535).default(80),
    env: t.env().optional(),
  }),
  status: t.object({
    phase: t.enum('Pending', 'Creating', 'Running', 'Failed').optional(),
    replicas: t.int().optional(),
    selector: t.string().optional(),
    conditions: t.conditions().optional(),
  }),
  scale: { spec: '.spec.replicas', status: '.status.replicas', selector: '.status.selector' },
  columns: [column('Phase', '.status.phase'), column('Replicas', '.spec.replicas'), age()],
})
export type WebApp = Infer<typeof WebApp>

const read = (app: WebApp): number => app.spec.replicas * app.spec.port

const written: Input<typeof WebApp> = {
  metadata: { name: 'hello', namespace: 'default' },
  spec: { image: 'hello:1' },
}

const created = async (client: Client): Promise<number> => (await client.create(WebApp, written)).spec.replicas

export const Schedule = resource('coxswain.dev/v1', 'Schedule', {
  scope: 'Cluster',
  spec: t
    .object({
      min: t.int().default(0),
      max: t.int().default(10),
      zone: t.string().maxLength(63).rule('self == oldSelf', { message: 'zone cannot change' }),
    })
    .rule('self.min <= self.max', { message: 'min is more than max', fieldPath: '.min' }),
})

const ThingBeta = resource('coxswain.dev/v1beta1', 'Thing', { spec: t.object({ size: t.int() }), deprecated: true })
export const Thing = resource('coxswain.dev/v1', 'Thing', {
  spec: t.object({ size: t.int(), color: t.string().optional() }),
  versions: [ThingBeta],
})

const app = WebApp.defaulted({ metadata: { name: 'hello' }, spec: { image: 'hello:1' } })
const problems = await WebApp.validate({ metadata: { name: 'hello' }, spec: { image: '', port: 0 } })

const container: coreV1.Container = { name: 'app', image: 'hello:1', resources: { limits: { memory: '64Mi' } } }
const deployment: Deployment = {
  metadata: { name: 'hello' },
  spec: {
    selector: { matchLabels: { app: 'hello' } },
    template: { metadata: { labels: { app: 'hello' } }, spec: { containers: [container] } },
  },
}

const Certificate = kind({
  apiVersion: 'cert-manager.io/v1',
  kind: 'Certificate',
  plural: 'certificates',
  namespaced: true,
})

export { app, Certificate, created, Deployment, deployment, problems, read, written }
