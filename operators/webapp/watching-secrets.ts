/** The WebApp operator with the permission to watch Secrets: it reacts at once when one changes. */
import { webAppOperator } from './operator.ts'

export default webAppOperator({ watchSecrets: true })
