/** The real kubectl as several users: auth whoami, auth can-i, tokens of service accounts. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { kubectlVersion, startKubectl, type Kubectl } from './kubectl.ts'

const version = kubectlVersion()

describe.skipIf(version === undefined)(`kubectl ${version ?? ''} and who may do what`, () => {
  let kubectl: Kubectl
  beforeAll(async () => {
    kubectl = await startKubectl({ authorization: 'RBAC' })
  })
  afterAll(() => kubectl.close())

  it('kubectl tells users apart, by token, by certificate and when acting as others', async () => {
    expect(await kubectl.ok('auth whoami')).toMatch(/Groups +\[system:masters system:authenticated\]/)
    const alice = await kubectl.ok('--context alice auth whoami')
    expect(alice).toMatch(/Username +alice/)
    expect(alice).toMatch(/Groups +\[dev system:authenticated\]/)
    expect(await kubectl.ok('--as bob --as-group ops --as-uid 7 auth whoami')).toMatch(
      /Groups +\[ops system:authenticated\]/,
    )
    expect((await kubectl.run('--context alice --as bob get --raw /version')).stderr).toContain(
      'cannot impersonate resource "users"',
    )
  })

  it('kubectl answers what one may, by itself and as a list', async () => {
    expect((await kubectl.run('--context alice auth can-i get pods')).stdout).toBe('no\n')
    expect(await kubectl.ok('auth can-i get pods')).toBe('yes\n')
    await kubectl.ok('create role reader --verb=get,list --resource=pods')
    await kubectl.ok('create rolebinding reader --role=reader --group=dev')
    expect(await kubectl.ok('--context alice auth can-i list pods')).toBe('yes\n')
    expect((await kubectl.run('--context alice auth can-i list pods -n kube-system')).stdout).toBe('no\n')
    expect(await kubectl.ok('--context alice auth can-i --list')).toMatch(/^pods +\[\] +\[\] +\[get list\]$/m)
    expect(await kubectl.ok('--context alice get pods')).toBe('')
    expect((await kubectl.run('--context alice get secrets')).stderr).toContain('cannot list resource "secrets"')
  })

  it('kubectl makes tokens for service accounts', async () => {
    await kubectl.ok('create serviceaccount robot')
    await kubectl.ok('create rolebinding robot --role=reader --serviceaccount=default:robot')
    const token = (await kubectl.ok('create token robot --duration=1h')).trim()
    expect(token.split('.')).toHaveLength(3)
    expect(await kubectl.ok(`--token ${token} auth whoami`)).toMatch(/Username +system:serviceaccount:default:robot/)
    expect(await kubectl.ok(`--token ${token} auth can-i get pods`)).toBe('yes\n')
    expect((await kubectl.run('create token robot --duration=1m')).stderr).toContain(
      'may not specify a duration less than 10 minutes',
    )
    await kubectl.ok('delete serviceaccount robot')
    expect((await kubectl.run(`--token ${token} get pods`)).stderr).toContain('Unauthorized')
  })
})
