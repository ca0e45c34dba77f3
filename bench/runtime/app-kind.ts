/** The kind that is measured: objects of about 1.1 kB, as a small operator has them. */
import { resource, t, type Kind } from '../../src/index.ts'

export const App = resource('bench.coxswain.dev/v1', 'App', {
  spec: t.object({
    image: t.string(),
    replicas: t.int(),
    port: t.int(),
    env: t.array(t.object({ name: t.string(), value: t.string() })),
  }),
  status: t.object({ phase: t.string().optional(), round: t.int().optional() }),
})

export type AppObject = typeof App extends Kind<infer T> ? T : never

export function app(index: number): AppObject {
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
