/** The WebApp operator: what `coxswain run` and `coxswain manifests` take. Nothing runs when this is imported. */
import { operator, type Operator } from 'coxswain'
import { webAppController } from './controller.ts'
import type { WebAppOptions } from './options.ts'

export function webAppOperator(options: WebAppOptions = {}): Operator {
  return operator({ name: 'webapp', version: '0.1.0', controllers: [webAppController(options)] })
}

export default webAppOperator()
