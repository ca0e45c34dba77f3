/** A Tenant gets a Role, a RoleBinding for its members, a ResourceQuota, and a ConfigMap for each of its settings. */
import { ConfigMap, controller, resource, ResourceQuota, Role, RoleBinding, t } from 'coxswain'

export const Tenant = resource('quick.example.dev/v1', 'Tenant', {
  spec: t.object({
    members: t.array(t.string()).default([]),
    cpu: t.quantity().default('2'),
    settings: t
      .array(t.object({ name: t.string(), data: t.map(t.string()) }))
      .mapBy('name')
      .default([]),
  }),
  status: t.object({
    observedGeneration: t.int64().optional(),
    members: t.int().optional(),
    settings: t.array(t.string()).optional(),
    conditions: t.conditions().optional(),
  }),
})

export const tenants = controller(Tenant)
  .owns(Role, RoleBinding, ResourceQuota, ConfigMap)
  .may('delete', RoleBinding, ConfigMap)
  .reconcile(async ({ object, apply, owned, delete: remove, status }) => {
    const { name } = object.metadata
    const { members, cpu, settings } = object.spec

    await apply(ResourceQuota, { metadata: { name }, spec: { hard: { 'requests.cpu': cpu } } })
    await apply(Role, {
      metadata: { name },
      rules: [{ apiGroups: [''], resources: ['pods', 'configmaps'], verbs: ['get', 'list', 'watch'] }],
    })
    if (members.length > 0)
      await apply(RoleBinding, {
        metadata: { name },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
        subjects: members.map((member) => ({ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: member })),
      })
    else await remove(RoleBinding, name)

    for (const setting of settings)
      await apply(ConfigMap, { metadata: { name: `${name}-${setting.name}` }, data: setting.data })
    const wanted = new Set(settings.map((setting) => `${name}-${setting.name}`))
    for (const { metadata } of await owned(ConfigMap))
      if (!wanted.has(metadata.name)) await remove(ConfigMap, metadata.name)

    status.set({ members: members.length, settings: settings.map((setting) => setting.name) })
    status.condition({ type: 'Ready', status: true, reason: 'Applied', message: 'all objects are there' })
  })
