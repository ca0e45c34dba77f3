/** Escalation checks: users cannot grant permissions that they do not have, unless they have `escalate` or `bind`. */
import { goQuote } from '../../api/go-format.ts'
import type { RegistryCall } from '../registry/call.ts'
import type { RequestVerb } from '../registry/request-info.ts'
import type { EscalationChecks } from '../contract/resource.ts'
import { joinReasons, type Authorizer, type UserRules } from './authorizer.ts'
import { describeRights, missingRights, quotedList } from './policy-rule.ts'

export function escalationChecksOf(
  call: RegistryCall,
  authorizer: Authorizer,
  rulesOfUser: () => UserRules,
): EscalationChecks {
  const { user, resource, namespace } = call
  const may = (verb: string, group: string, plural: string, name: string, within = namespace) =>
    authorizer.allows(user, {
      isResource: true,
      verb: verb as RequestVerb,
      group,
      version: '*',
      namespace: within,
      resource: plural,
      subresource: '',
      name,
      rest: '',
      form: 'plain',
    })
  return {
    mayEscalate: () => may('escalate', resource.group, resource.plural, call.name),
    mayBind: (group, plural, name) => may('bind', group, plural, name),
    mayRead: (verb, group, plural, within, name) => may(verb, group, plural, name, within),
    resourceOf: (apiVersion, kind) =>
      call.backend.catalog.all().find((each) => each.apiVersion === apiVersion && each.kind === kind)?.plural,
    rejection(rules) {
      const { rules: owned, errors } = rulesOfUser()
      const missing = missingRights(owned, rules)
      if (missing.length === 0) return undefined
      const issue = errors.length === 0 ? '' : `; resolution errors: [${joinReasons(errors)}]`
      return (
        `user ${goQuote(user.name)} (groups=${quotedList(user.groups)}) is attempting to grant RBAC permissions ` +
        `not currently held:\n${describeRights(missing)}${issue}`
      )
    },
  }
}
