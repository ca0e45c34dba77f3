import { describe, expect, it } from 'vitest'
import { requestInfo } from './request-info.ts'

const info = (method: string, url: string) => {
  const [path, query] = url.split('?')
  return requestInfo(method, path as string, new URLSearchParams(query ?? ''))
}

describe('requestInfo', () => {
  it.each([
    [
      'GET',
      '/api/v1/namespaces/default/pods',
      { verb: 'list', group: '', namespace: 'default', resource: 'pods', name: '' },
    ],
    ['GET', '/api/v1/pods?watch=1', { verb: 'watch', namespace: '', resource: 'pods' }],
    ['GET', '/api/v1/pods?watch=false', { verb: 'list' }],
    ['GET', '/api/v1/namespaces/default/pods/a?watch=1', { verb: 'get', name: 'a' }],
    ['GET', '/api/v1/watch/namespaces/default/pods/a', { verb: 'watch', namespace: 'default', name: 'a' }],
    [
      'GET',
      '/api/v1/namespaces/default',
      { verb: 'get', resource: 'namespaces', namespace: 'default', name: 'default' },
    ],
    [
      'PUT',
      '/api/v1/namespaces/default/finalize',
      { verb: 'update', resource: 'namespaces', name: 'default', subresource: 'finalize' },
    ],
    ['GET', '/api/v1/namespaces/default/status', { resource: 'namespaces', subresource: 'status' }],
    [
      'PATCH',
      '/apis/apps/v1/namespaces/x/deployments/d/scale',
      { verb: 'patch', group: 'apps', subresource: 'scale', name: 'd' },
    ],
    ['DELETE', '/apis/apps/v1/namespaces/x/deployments', { verb: 'deletecollection' }],
    ['DELETE', '/apis/apps/v1/namespaces/x/deployments/d', { verb: 'delete' }],
    ['GET', '/api/v1/namespaces/a%20b/pods', { namespace: 'a b' }],
  ])('requestInfo: %s %s', (method, url, expected) => {
    expect(info(method, url)).toMatchObject({ isResource: true, ...expected })
  })

  it('requestInfo reads paths of a collection that it has met as it reads the first', () => {
    const paths = [
      '/apis/ex.io/v1/namespaces/x/widgets/a',
      '/apis/ex.io/v1/namespaces/x/widgets/b',
      '/apis/ex.io/v1/namespaces/x/widgets/a/status',
      '/apis/ex.io/v1/namespaces/x/widgets',
      '/apis/ex.io/v1/namespaces/x/widgets/',
      '/apis/ex.io/v1/namespaces/x/widgets//a',
      '/apis/ex.io/v1/namespaces/x/widgets/a%2Fb',
      '/apis/ex.io/v1/namespaces/x/widgets/a/status/more',
      '/apis/ex.io/v1/watch/widgets',
      '/apis/ex.io/v1/watch/widgets/a',
      '/api/v1/namespaces/x',
      '/api/v1/namespaces/x/pods',
      '/api/v1/nodes/n',
      '/api/v1/nodes/n/proxy/x',
    ]
    const read = (all: readonly string[]) => Object.fromEntries(all.map((path) => [path, info('GET', path)]))
    const first = read(paths)
    expect(read(paths)).toEqual(first)
    expect(read(paths.toReversed())).toEqual(first)
    expect(first['/apis/ex.io/v1/namespaces/x/widgets/a/status']).toEqual({
      isResource: true,
      verb: 'get',
      group: 'ex.io',
      version: 'v1',
      namespace: 'x',
      resource: 'widgets',
      name: 'a',
      subresource: 'status',
      rest: '',
    })
    expect(first['/apis/ex.io/v1/namespaces/x/widgets/a%2Fb']).toMatchObject({ name: 'a', subresource: 'b' })
    expect(first['/apis/ex.io/v1/watch/widgets/a']).toMatchObject({ verb: 'watch', resource: 'widgets', name: 'a' })
  })

  it.each(['/', '/api', '/api/v1', '/apis', '/apis/apps', '/apis/apps/v1', '/version', '/healthz/x'])(
    'requestInfo: %s is no resource',
    (path) => {
      expect(info('GET', path)).toEqual({ isResource: false, verb: 'get', path })
    },
  )

  it('requestInfo refuses paths that are not UTF-8', () => {
    expect(() => info('GET', '/api/v1/%ff')).toThrow(/percent-encoded/)
    expect(() => info('GET', '/api/v1/%zz')).toThrow(/percent-encoded/)
  })
})
