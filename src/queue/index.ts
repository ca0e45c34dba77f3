/** Work queues and rate limiters. */
export { bucketLimiter, exponentialLimiter, fastSlowLimiter, limiterWithMaxWait, maxOfLimiters } from './limiters.ts'
export type { ExponentialOptions } from './limiters.ts'
export type { AddOptions, Item, QueueObserver, RateLimiter, WorkLoad, WorkQueue } from './queue.ts'
export { fifoQueue, priorityQueue } from './work-queue.ts'
export type { PriorityQueueOptions, QueueOptions } from './work-queue.ts'
