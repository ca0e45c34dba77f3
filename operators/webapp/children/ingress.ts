/** The Ingress of an app: there when the spec asks for one. */
import type { Ingress, Live } from 'coxswain'
import type { Partially } from 'coxswain/client'
import type { WebApp } from '../schema/webapp.ts'
import { childMetadata } from './identity.ts'
import { portName } from './pod-template.ts'

export function ingress(app: Live<WebApp>): Partially<Ingress> | undefined {
  const desired = app.spec.ingress
  if (desired === undefined) return undefined
  const { host, path, className, tlsSecret, annotations } = desired
  const backend = { service: { name: app.metadata.name, port: { name: portName } } }
  return {
    metadata: childMetadata(app, annotations),
    spec: {
      rules: [{ host, http: { paths: [{ path, pathType: 'Prefix', backend }] } }],
      ...(className === undefined ? {} : { ingressClassName: className }),
      ...(tlsSecret === undefined ? {} : { tls: [{ hosts: [host], secretName: tlsSecret }] }),
    },
  }
}
