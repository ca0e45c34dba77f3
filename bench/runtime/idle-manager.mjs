// An idle manager from the built package, in a process with nothing else: `idle-manager.mjs KUBECONFIG ENTRY_POINT…`.
// Sends `idle` two seconds after the manager has started working.
import { pathToFileURL } from 'node:url'

const [kubeconfig, ...files] = process.argv.slice(2)
const modules = await Promise.all(files.map((file) => import(pathToFileURL(file).href)))
const { clusterTransport, controller, kind, loadAccess, Manager, realEnv } = Object.assign({}, ...modules)
const App = kind({ apiVersion: 'bench.coxswain.dev/v1', kind: 'App', plural: 'apps', namespaced: true })
const env = realEnv()
const transport = clusterTransport(env, await loadAccess({ env, kubeconfig }))
const manager = new Manager({ transport, controllers: [controller(App).reconcile(() => undefined)] })
const ended = manager.run(new AbortController().signal)
await Promise.race([manager.whenWorking(), ended])
setTimeout(() => process.send('idle'), 2000)
await ended
