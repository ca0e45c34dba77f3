/** The users of a reference cluster, with their tokens, and the kubeconfig for them. */
import { randomBytes } from 'node:crypto'

export interface User {
  readonly name: string
  readonly uid: string
  readonly groups: readonly string[]
  readonly token: string
}

const known = {
  /** May do anything. */
  admin: { name: 'admin', groups: ['system:masters'] },
  /** Has only the rights of every authenticated user. */
  alice: { name: 'alice', groups: [] },
  /** For tests that grant rights to a user or to a group. */
  bob: { name: 'bob', groups: ['developers'] },
  carol: { name: 'carol', groups: ['developers', 'operators'] },
  /** Has the name and groups of a service account and of a node, for role bindings. */
  robot: {
    name: 'system:serviceaccount:default:robot',
    groups: ['system:serviceaccounts', 'system:serviceaccounts:default'],
  },
  node: { name: 'system:node:node-0', groups: ['system:nodes'] },
} as const

export type UserName = keyof typeof known

export type Users = Readonly<Record<UserName, User>>

/** Tokens are random per cluster: other users of the machine can reach its port. */
export function createUsers(): Users {
  const users = Object.entries(known).map(([id, user]) => {
    return [id, { ...user, uid: id, token: `${id}-${randomBytes(16).toString('hex')}` }]
  })
  return Object.fromEntries(users) as Users
}

/** The format of kube-apiserver's `--token-auth-file`. */
export function tokenFile(users: Users): string {
  const line = ({ token, name, uid, groups }: User): string => {
    return [token, name, uid, ...(groups.length === 0 ? [] : [`"${groups.join(',')}"`])].join(',')
  }
  return `${Object.values(users).map(line).join('\n')}\n`
}

/** A context for each user; that of the admin is current. */
export function kubeconfigFile(url: string, ca: string, users: Users): string {
  const names = Object.keys(users) as UserName[]
  const cluster = { server: url, 'certificate-authority-data': Buffer.from(ca).toString('base64') }
  return JSON.stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'admin',
      clusters: [{ name: 'reference', cluster }],
      users: names.map((name) => ({ name, user: { token: users[name].token } })),
      contexts: names.map((name) => ({ name, context: { cluster: 'reference', user: name } })),
    },
    null,
    2,
  )
}
