/** What is refused, and in which words. */
import type { Topic } from '../case.ts'
import { asAlice, get, request, resource } from '../steps.ts'

const configMaps = resource('configmaps')
const configMap = (name: string, data = { a: '1' }, metadata = {}) => ({
  apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, data,
})

export const errors: Topic = {
  name: 'errors',
  cases: [
    {
      name: 'what is missing',
      steps: [
        configMaps.get('absent'),
        configMaps.replace('absent', configMap('absent')),
        configMaps.merge('absent', {}),
        configMaps.delete('absent'),
        get('/api/v1/namespaces/{{ns}}/nothings'),
        get('/apis/nothing.example.com/v1/nothings'),
        get('/nowhere'),
      ],
    },
    {
      name: 'a second create',
      steps: [configMaps.create(configMap('a')), configMaps.create(configMap('a')), configMaps.create(configMap('a', { a: '2' }), 'dryRun=All')],
    },
    {
      name: 'a stale resourceVersion',
      steps: [
        configMaps.create(configMap('a')),
        configMaps.merge('a', { data: { a: '2' } }),
        configMaps.replace('a', configMap('a', { a: '3' }, { resourceVersion: '{{0.metadata.resourceVersion}}' })),
        configMaps.replace('a', configMap('a', { a: '3' }, { uid: '{{0.metadata.uid}}x' })),
        configMaps.replace('a', configMap('a', { a: '3' }, { resourceVersion: '{{1.metadata.resourceVersion}}' })),
      ],
    },
    {
      name: 'no rights',
      steps: [
        asAlice(configMaps.get('a')), asAlice(configMaps.list()), asAlice(configMaps.create(configMap('a'))),
        asAlice(get('/api/v1/nodes')), asAlice(get('/metrics')), asAlice(request('POST', '/api/v1/nodes', {})),
      ],
    },
  ],
}
