/**
 * NamespaceLifecycle: rejects writes in missing namespaces, creates in terminating ones, and deletes of system
 * namespaces.
 */
import { apiError } from '../../api/status.ts'
import { struct } from '../resources/shared/values.ts'
import type { AdmissionRequest } from '../registry/admission.ts'
import { rejected, type AdmissionPlugin } from './plugin.ts'

const protectedNamespaces = new Set(['default', 'kube-system', 'kube-public'])

function checkNamespace(request: AdmissionRequest): void {
  const { namespace, operation } = request
  if (namespace === '') return
  const found = request.context.lookup('', 'namespaces', '', namespace)
  if (found === undefined) throw apiError.notFound({ group: '', resource: 'namespaces' }, namespace)
  if (operation !== 'CREATE' || struct(found.status)?.phase !== 'Terminating') return
  const error = rejected(
    request,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
  )
  error.status.details = {
    ...error.status.details,
    causes: [
      {
        reason: 'NamespaceTerminating',
        message: `namespace ${namespace} is being terminated`,
        field: 'metadata.namespace',
      },
    ],
  }
  throw error
}

function checkDelete(request: AdmissionRequest): void {
  if (protectedNamespaces.has(request.name)) throw rejected(request, 'this namespace may not be deleted')
}

export const namespaceLifecycle: AdmissionPlugin = {
  name: 'NamespaceLifecycle',
  mutate: {
    concerns: ({ resource, operation }) => {
      if (resource.group === '' && resource.plural === 'namespaces') return operation === 'DELETE'
      if (resource.plural === 'localsubjectaccessreviews') return false
      return resource.namespaced && (operation === 'CREATE' || operation === 'UPDATE')
    },
    run: (request) => {
      if (request.operation === 'DELETE') checkDelete(request)
      else checkNamespace(request)
    },
  },
}
