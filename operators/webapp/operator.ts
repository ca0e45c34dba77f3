/** The WebApp operator: what `coxswain run` and `coxswain manifests` take. Nothing runs when this is imported. */
import { operator } from 'coxswain'
import { webAppController } from './controller.ts'

export default operator({ name: 'webapp', version: '0.1.0', controllers: [webAppController()] })
