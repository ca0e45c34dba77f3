import { describe, expect, it } from 'vitest'
import { requestInfo } from './request-info.ts'

const info = (method: string, url: string) => {
  const [path, query] = url.split('?')
  return requestInfo(method, path as string, new URLSearchParams(query ?? ''))
}

describe('requestInfo', () => {
  it.each([
    ['GET', '/api/v1/namespaces/default/pods', { verb: 'list', group: '', namespace: 'default', resource: 'pods', name: '' }],
    ['GET', '/api/v1/pods?watch=1', { verb: 'watch', namespace: '', resource: 'pods' }],
    ['GET', '/api/v1/pods?watch=false', { verb: 'list' }],
    ['GET', '/api/v1/namespaces/default/pods/a?watch=1', { verb: 'get', name: 'a' }],
    ['GET', '/api/v1/watch/namespaces/default/pods/a', { verb: 'watch', namespace: 'default', name: 'a' }],
    ['GET', '/api/v1/namespaces/default', { verb: 'get', resource: 'namespaces', namespace: 'default', name: 'default' }],
    ['PUT', '/api/v1/namespaces/default/finalize', { verb: 'update', resource: 'namespaces', name: 'default', subresource: 'finalize' }],
    ['GET', '/api/v1/namespaces/default/status', { resource: 'namespaces', subresource: 'status' }],
    ['PATCH', '/apis/apps/v1/namespaces/x/deployments/d/scale', { verb: 'patch', group: 'apps', subresource: 'scale', name: 'd' }],
    ['DELETE', '/apis/apps/v1/namespaces/x/deployments', { verb: 'deletecollection' }],
    ['DELETE', '/apis/apps/v1/namespaces/x/deployments/d', { verb: 'delete' }],
    ['GET', '/api/v1/namespaces/a%20b/pods', { namespace: 'a b' }],
  ])('%s %s', (method, url, expected) => {
    expect(info(method, url)).toMatchObject({ isResource: true, ...expected })
  })

  it.each(['/', '/api', '/api/v1', '/apis', '/apis/apps', '/apis/apps/v1', '/version', '/healthz/x'])('%s is no resource', (path) => {
    expect(info('GET', path)).toEqual({ isResource: false, verb: 'get', path })
  })

  it('refuses paths that are not UTF-8', () => {
    expect(() => info('GET', '/api/v1/%ff')).toThrow(/percent-encoded/)
    expect(() => info('GET', '/api/v1/%zz')).toThrow(/percent-encoded/)
  })
})
