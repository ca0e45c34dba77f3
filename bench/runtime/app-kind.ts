/** The measured kind: objects of about 1.1 kB, as small operators have. */
import type { ObjectOf } from '../../src/index.ts'
import type { Package } from '../baseline/entry-points.ts'

/** Uses the schema functions of the measured package. */
export function appKind({ resource, t }: Pick<Package, 'resource' | 't'>) {
  return resource('bench.coxswain.dev/v1', 'App', {
    spec: t.object({
      image: t.string(),
      replicas: t.int(),
      port: t.int(),
      env: t.array(t.object({ name: t.string(), value: t.string() })),
    }),
    status: t.object({ phase: t.string().optional(), round: t.int().optional() }),
  })
}

export type App = ObjectOf<ReturnType<typeof appKind>>

export function app(index: number): App {
  const name = `app-${String(index).padStart(6, '0')}`
  const env = Array.from({ length: 8 }, (_, i) => ({
    name: `VARIABLE_${i}`,
    value: `the value of variable ${i} of ${name}`,
  }))
  return {
    apiVersion: 'bench.coxswain.dev/v1',
    kind: 'App',
    metadata: { name, namespace: 'default', labels: { app: name, tier: `tier-${index % 10}` } },
    spec: { image: `registry.example/${name}:1.0.${index % 50}`, replicas: index % 5, port: 8080, env },
  }
}
