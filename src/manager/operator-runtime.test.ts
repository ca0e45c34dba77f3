import { describe, expect, it } from 'vitest'
import { inProcessTransport } from '../client/in-process-transport.ts'
import { controller } from '../controller/builder.ts'
import { createControlPlane } from '../controlplane/index.ts'
import { realEnv } from '../env/real.ts'
import { ConfigMap } from '../schema/builtin/kinds.ts'
import { createLogger } from '../telemetry/log-writer.ts'
import { ConfigurationError, readConfiguration } from './configuration.ts'
import { OperatorRuntime, type OperatorRuntimeOptions } from './operator-runtime.ts'

const anyPorts = ['--metrics-bind-address=127.0.0.1:0', '--health-probe-bind-address=127.0.0.1:0']

function programOf(args: readonly string[], options: Partial<OperatorRuntimeOptions> = {}): OperatorRuntime {
  const env = realEnv()
  return new OperatorRuntime({
    name: 'maps',
    namespace: 'default',
    env,
    controllers: [controller(ConfigMap).reconcile(() => undefined)],
    log: createLogger({ env, write: () => undefined }),
    transport: { request: () => Promise.reject(new Error('not used')), close: () => Promise.resolve() },
    configuration: readConfiguration({ args: [...anyPorts, ...args] }),
    ...options,
  })
}

describe('a program', () => {
  it('a program follows its settings and runs the checks of its author', async () => {
    const { manager } = programOf(['--concurrency=3', '--leader-elect', '--leader-election-id=other'], {
      healthChecks: { disk: () => 'full' },
      readyChecks: { mail: () => undefined },
    })
    expect(manager.metrics.text()).toContain('controller_runtime_max_concurrent_reconciles{controller="configmap"} 3')
    expect(manager.metrics.text()).toContain('leader_election_master_status{name="other"} 0')
    expect((await manager.healthz.answer('healthz')).body).toContain('[-]disk failed: full')
    expect((await manager.readyz.answer('readyz', { name: 'mail' })).body).toBe('ok')
  })

  it.each<[readonly string[], string]>([
    [['--profiling-address=:6060'], '":6060" can be reached from elsewhere'],
    [['--metrics-bind-address=nonsense'], '"nonsense" is no address'],
    [['--metrics-bind-address=:8081', '--health-probe-bind-address=:8081'], 'are both :8081'],
    [['--leader-elect', '--leader-elect-lease-duration=1s'], 'each must be longer than the next'],
    [['--wait-for=the-other-one'], '"the-other-one" cannot be waited for'],
    [['--qps=1', '--burst=0', '--wait-for=crd/nodots'], '"crd/nodots" cannot be waited for'],
  ])('a program refuses %j as a wrong setting', (args, message) => {
    expect(() => programOf(args)).toThrow(ConfigurationError)
    expect(() => programOf(args)).toThrow(message)
  })

  it('a program does not blame settings for what is wrong in the program', () => {
    const twice = controller(ConfigMap).reconcile(() => undefined)
    expect(() => programOf([], { controllers: [twice, twice] })).not.toThrow(ConfigurationError)
    expect(() => programOf([], { controllers: [twice, twice] })).toThrow('two controllers are called configmap')
  })

  it('a program opens a port for each thing, none for 0, and closes them whatever ends it', async () => {
    const plane = createControlPlane()
    const failing = { name: 'mailer', start: () => Promise.reject(new Error('no mail today')) }
    const seen: Readonly<Record<string, string>>[] = []
    const program: OperatorRuntime = programOf(['--profiling-address=127.0.0.1:0'], {
      transport: inProcessTransport(plane.transport()),
      tasks: [
        {
          name: 'look',
          when: 'always',
          start: () => {
            seen.push(program.urls)
            return Promise.resolve()
          },
        },
        failing,
      ],
    })
    await expect(program.run(new AbortController().signal)).rejects.toThrow('no mail today')
    expect(Object.keys(seen[0] ?? {})).toEqual(['metrics', 'probes', 'debug'])
    expect(new Set(Object.values(seen[0] ?? {})).size).toBe(3)
    for (const url of Object.values(seen[0] ?? {})) await expect(fetch(url)).rejects.toThrow()
    expect(programOf(['--metrics-bind-address=0', '--health-probe-bind-address=0']).urls).toEqual({})
    await plane.close()
  })
})
