/** Grants: nobody gives rights away that they do not have, unless they were given `escalate` or `bind`. */
import { goQuote } from '../../api/go-format.ts'
import type { Call } from '../registry/call.ts'
import type { Verb } from '../registry/request-info.ts'
import type { Grants } from '../contract/resource.ts'
import { joinReasons, type Authorizer, type UserRules } from './authorizer.ts'
import { describeRights, missingRights, quotedList } from './policy-rule.ts'

export function grantsOf(call: Call, authorizer: Authorizer, rulesOfUser: () => UserRules): Grants {
  const { user, resource, namespace } = call
  const may = (verb: string, group: string, plural: string, name: string) =>
    authorizer.allows(user, {
      isResource: true,
      verb: verb as Verb,
      group,
      version: '*',
      namespace,
      resource: plural,
      subresource: '',
      name,
      rest: '',
    })
  return {
    mayEscalate: () => may('escalate', resource.group, resource.plural, call.name),
    mayBind: (group, plural, name) => may('bind', group, plural, name),
    refusal(rules) {
      const { rules: owned, errors } = rulesOfUser()
      const missing = missingRights(owned, rules)
      if (missing.length === 0) return undefined
      const trouble = errors.length === 0 ? '' : `; resolution errors: [${joinReasons(errors)}]`
      return (
        `user ${goQuote(user.name)} (groups=${quotedList(user.groups)}) is attempting to grant RBAC permissions ` +
        `not currently held:\n${describeRights(missing)}${trouble}`
      )
    },
  }
}
