/** The module of an operator, for `coxswain run` and `coxswain manifests`. */
import { operator } from '../../../src/operator/operator.ts'
import { greetings } from './greeting.ts'

export default operator({ name: 'greeter', version: '1.2.3', controllers: [greetings('module')] })
