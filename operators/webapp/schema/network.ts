/** How the app is reached. */
import { t } from 'coxswain'

const hostname = '^(\\*\\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$'

export const service = () =>
  t
    .object({
      type: t.enum('ClusterIP', 'NodePort', 'LoadBalancer').default('ClusterIP'),
      port: t.int().min(1).max(65535).optional().describe('Default: the port of the app.'),
      annotations: t.annotations().optional(),
    })
    .default({})
    .describe('The Service in front of the pods.')

export const ingress = () =>
  t
    .object({
      host: t.string().minLength(1).maxLength(253).pattern(hostname),
      path: t.string().minLength(1).maxLength(253).pattern('^/').default('/'),
      className: t.string().minLength(1).maxLength(253).optional(),
      tlsSecret: t
        .string()
        .minLength(1)
        .maxLength(253)
        .optional()
        .describe('A Secret with a certificate: the app is served by HTTPS.'),
      annotations: t.annotations().optional(),
    })
    .optional()
    .describe('An Ingress in front of the Service. Default: none.')
