/** Public names of the environment: time, randomness and ids. */
export { timestamp } from './env.ts'
export type { Env, Timer } from './env.ts'
export { pause } from './pause.ts'
export { realEnv } from './real.ts'
export { simulatedEnv } from './simulated.ts'
export type { SimulatedEnv, SimulatedEnvOptions } from './simulated.ts'
