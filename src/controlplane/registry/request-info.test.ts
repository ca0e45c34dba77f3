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
      form: 'plain',
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

  it.each([
    ['GET', '/api/v1/pods', 'list pods '],
    ['GET', '/api/v1/pods?watch=FALSE', 'list pods '],
    ['GET', '/api/v1/pods?fieldSelector=metadata.name%3Dx', 'list pods x'],
    ['GET', '/api/v1/pods?fieldSelector=metadata.name%3Dx&watch=1', 'watch pods x'],
    ['GET', '/api/v1/pods?fieldSelector=metadata.name%3Dx&limit=y', 'list pods '],
    ['GET', '/api/v1/pods?fieldSelector=metadata.name%3Dx&labelSelector=!!', 'list pods '],
    ['GET', '/api/v1/pods?fieldSelector=metadata.name!%3Dx', 'list pods '],
    ['GET', '/api/v1/pods?fieldSelector=metadata.name%3Da%2Fb', 'list pods '],
    ['GET', '/api/v1/pods?fieldSelector=%3D%3D%3D', 'list pods '],
    ['DELETE', '/api/v1/namespaces/n/pods?fieldSelector=metadata.name%3Dx', 'deletecollection pods '],
    ['GET', '/api/v1/watch/pods?fieldSelector=metadata.name%3Dx', 'watch pods '],
    ['POST', '/api/v1/watch/pods', 'watch pods '],
    ['DELETE', '/api/v1/%77atch/pods/x', 'watch pods x'],
    ['DELETE', '/api/v1/watch/namespaces/n/pods', 'watch pods '],
    ['GET', '/apis/apps/v1/watch/deployments/x', 'watch deployments x'],
    ['GET', '/apis/apps/v1/watch/watch/x', 'watch watch x'],
    ['GET', '/api/v1/proxy/foo/bar', 'proxy foo bar'],
    ['GET', '/api/v1/proxy/namespaces/n/pods/x/log', 'proxy pods x'],
    ['GET', '/api/v1/namespaces/n/watch', 'list watch '],
    ['GET', '/api/v1/namespaces/n/pods//log', 'list pods '],
    ['GET', '//api/v1/pods//', 'list pods '],
    ['OPTIONS', '/api/v1/pods', ' pods '],
    ['HEAD', '/api/v1/pods/x', 'get pods x'],
  ])('requestInfo: %s %s is: %s', (method, url, expected) => {
    const read = info(method, url)
    expect(read?.isResource === true && `${read.verb} ${read.resource} ${read.name}`).toBe(expected)
  })

  it.each([
    ['/api/v1/pods/x', 'plain'],
    ['/api/v1/watch/pods', 'verb'],
    ['/api/v1/proxy/pods', 'verb'],
    ['//api/v1/pods', 'unserved'],
    ['/%2Fapi/v1/watch/pods', 'unserved'],
    ['/apis//v1/pods', 'unserved'],
  ])('requestInfo: %s has the form %s', (path, form) => {
    expect(info('GET', path)).toMatchObject({ form })
  })

  it.each(['/api/v1/watch', '/api/v1/proxy/', '/apis/apps/v1/watch//'])('requestInfo: %s lacks a resource', (path) => {
    expect(info('GET', path)).toBeUndefined()
  })

  it('requestInfo does not take a namespace for a collection after a path without a resource', () => {
    expect(info('POST', '/api/v1/namespaces/n//x')).toMatchObject({ resource: '', name: 'x' })
    expect(info('POST', '/api/v1/namespaces/n/')).toMatchObject({ resource: 'namespaces', name: 'n' })
  })

  it('requestInfo refuses paths that are not UTF-8', () => {
    expect(() => info('GET', '/api/v1/%ff')).toThrow(/percent-encoded/)
    expect(() => info('GET', '/api/v1/%zz')).toThrow(/percent-encoded/)
  })
})
