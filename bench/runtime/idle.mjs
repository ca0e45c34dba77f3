// A manager as users build it, from the built package: `idle.mjs INDEX KUBECONFIG`. Says when it has settled.
const [index, kubeconfig] = process.argv.slice(2)
const { clusterTransport, controller, kind, loadAccess, Manager, realEnv } = await import(index)
const App = kind({ apiVersion: 'bench.coxswain.dev/v1', kind: 'App', plural: 'apps', namespaced: true })
const env = realEnv()
const transport = clusterTransport(env, await loadAccess({ env, kubeconfig }))
const manager = new Manager({ transport, controllers: [controller(App).reconcile(() => undefined)] })
const ended = manager.run(new AbortController().signal)
await Promise.race([manager.whenWorking(), ended])
setTimeout(() => process.send('idle'), 2000)
await ended
