/** The Service of an app. Always there. */
import type { Live, Service } from 'coxswain'
import type { Partially } from 'coxswain/client'
import type { WebApp } from '../schema/webapp.ts'
import { childMetadata, selectorLabels } from './identity.ts'
import { portName } from './pod-template.ts'

export function servicePort({ spec }: Live<WebApp>): number {
  return spec.service.port ?? spec.port
}

export function service(app: Live<WebApp>): Partially<Service> {
  const { type, annotations } = app.spec.service
  const own = { name: portName, port: servicePort(app), targetPort: portName, protocol: 'TCP' } as const
  const others = (app.spec.ports ?? []).map(({ name, port, protocol }) => ({ name, port, targetPort: name, protocol }))
  return {
    metadata: childMetadata(app, annotations),
    spec: { type, selector: selectorLabels(app.metadata.name), ports: [own, ...others] },
  }
}
