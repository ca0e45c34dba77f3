import { describe, expect, it } from 'vitest'
import { neededPrograms, partsOf, startCluster } from './cluster.ts'
import { apiserverArgs } from './commands.ts'
import { ClusterError } from './errors.ts'
import { parseCommand, UsageError } from './options.ts'
import { clusterPrograms } from './programs.ts'
import { createUsers, kubeconfigFile, tokenFile } from './users.ts'

const parse = (line: string) => parseCommand(line.split(' ').filter((word) => word !== ''))

describe('npm run cluster', () => {
  it.each([
    ['up', { command: 'up', name: 'default', parts: {} }],
    [
      'up --with controllers,scheduler,nodes=3',
      { command: 'up', name: 'default', parts: { controllers: true, scheduler: true, nodes: 3 } },
    ],
    ['up --name a --with kubectl --with nodes=0', { command: 'up', name: 'a', parts: { kubectl: true, nodes: 0 } }],
    ['down', { command: 'down', name: 'default', all: false }],
    ['down --all', { command: 'down', name: 'default', all: true }],
    ['status', { command: 'status' }],
    ['build', { command: 'build', programs: clusterPrograms }],
    ['build e2e.test', { command: 'build', programs: ['e2e.test'] }],
    ['build etcd kubectl', { command: 'build', programs: ['etcd', 'kubectl'] }],
    ['--help', { command: 'help' }],
    ['up --help', { command: 'help' }],
  ])('npm run cluster understands %s', (line, command) => {
    expect(parse(line)).toEqual(command)
  })

  it.each([
    ['', 'a command is missing'],
    ['start', "'start' is no command"],
    ['constructor', "'constructor' is no command"],
    ['up now', "'up' takes no 'now'"],
    ['up --all', "'up' takes no --all"],
    ['status --name x', "'status' takes no --name"],
    ['up --with nodes', "'nodes' is none of"],
    ['up --with nodes=251', "'nodes=251' is none of"],
    ['up --with __proto__', "'__proto__' is none of"],
    ['up --name ../x', "'../x' is not a valid name"],
    ['build etcdx', "'etcdx' is none of"],
    ['up --nonsense', '--nonsense'],
  ])('npm run cluster refuses %s', (line, words) => {
    expect(() => parse(line)).toThrow(UsageError)
    expect(() => parse(line)).toThrow(words)
  })
})

describe('a cluster', () => {
  it('a reference cluster needs only the programs of its parts', () => {
    expect(neededPrograms({})).toEqual(['etcd', 'kube-apiserver'])
    expect(neededPrograms({ nodes: 1, scheduler: true })).toEqual(['etcd', 'kube-apiserver', 'kube-scheduler', 'kwok'])
    expect(neededPrograms({ controllers: true, kubectl: true })).toEqual([
      'etcd',
      'kube-apiserver',
      'kube-controller-manager',
      'kubectl',
    ])
    expect(partsOf({ controllers: true, nodes: 2 })).toEqual(['controllers', 'nodes=2'])
  })

  it('a reference cluster refuses a number of nodes that it has no addresses for', async () => {
    for (const nodes of [-1, 251, 1.5]) await expect(startCluster({ nodes })).rejects.toThrow(ClusterError)
  })

  it('a reference cluster needs service accounts only where somebody creates them', () => {
    const flag = '--disable-admission-plugins=ServiceAccount'
    expect(apiserverArgs('/f', { port: 1, serviceAccounts: false, more: ['--v=2'] })).toEqual(
      expect.arrayContaining([flag, '--v=2']),
    )
    expect(apiserverArgs('/f', { port: 1, serviceAccounts: true, more: [] })).not.toContain(flag)
  })
})

describe('users', () => {
  it('users of the reference cluster are in the token file and in the kubeconfig, with tokens of their own', () => {
    const users = createUsers()
    const { admin, alice, carol } = users
    const lines = tokenFile(users).split('\n')
    expect(lines).toContain(`${admin.token},admin,admin,"system:masters"`)
    expect(lines).toContain(`${alice.token},alice,alice`)
    expect(lines).toContain(`${carol.token},carol,carol,"developers,operators"`)
    expect(createUsers().admin.token).not.toBe(admin.token)
    const config = JSON.parse(kubeconfigFile('https://127.0.0.1:1', 'PEM', users)) as Record<string, unknown>
    expect(config).toMatchObject({
      'current-context': 'admin',
      clusters: [
        {
          cluster: {
            server: 'https://127.0.0.1:1',
            'certificate-authority-data': Buffer.from('PEM').toString('base64'),
          },
        },
      ],
    })
    expect(config['users']).toContainEqual({ name: 'alice', user: { token: alice.token } })
  })
})
