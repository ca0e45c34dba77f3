/** Shares the schedules of an exploration over processes: this program again, for each part. */
import { fork } from 'node:child_process'

/** Part `index` of `of`. */
export interface Part {
  readonly index: number
  readonly of: number
}

type Message =
  | { readonly type: 'progress'; readonly done: number; readonly of: number }
  | { readonly type: 'report'; readonly report: unknown }

const partVariable = 'COXSWAIN_EXPLORE_PART'

/** The part that this process was started for. Undefined: it was started by a user. */
export function ownPart(): Part | undefined {
  const [index, of] = (process.env[partVariable] ?? '').split('/').map(Number)
  return process.send === undefined || index === undefined || of === undefined ? undefined : { index, of }
}

export function sendProgress(done: number, of: number): void {
  process.send?.({ type: 'progress', done, of } satisfies Message)
}

/** Resolves when the parent has the report: the process may end then. */
export function sendReport(report: unknown): Promise<void> {
  return new Promise((resolve) => process.send?.({ type: 'report', report } satisfies Message, () => resolve()))
}

/** Runs this program with the same arguments in so many processes. They end with `stopped`. */
export async function exploreApart<Report>(
  processes: number,
  onProgress: (done: number, of: number) => void,
  stopped: Promise<void>,
): Promise<readonly Report[]> {
  const progress = Array.from({ length: processes }, () => ({ done: 0, of: 0 }))
  const children = progress.map((_, index) =>
    fork(process.argv[1] ?? '', process.argv.slice(2), {
      env: { ...process.env, [partVariable]: `${index}/${processes}` },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    }),
  )
  const end = (): void => children.forEach((child) => void child.kill('SIGKILL'))
  void stopped.then(end)
  try {
    return await Promise.all(
      children.map(
        (child, index) =>
          new Promise<Report>((resolve, reject) => {
            child.on('error', reject)
            child.on('exit', (code) =>
              reject(new Error(`a process of the exploration ended with ${code ?? 'a signal'}`)),
            )
            child.on('message', (message: Message) => {
              if (message.type === 'report') return resolve(message.report as Report)
              progress[index] = message
              const sum = (of: 'done' | 'of'): number => progress.reduce((total, each) => total + each[of], 0)
              // Until all have begun, the sum says nothing.
              if (progress.every(({ of }) => of > 0)) onProgress(sum('done'), sum('of'))
            })
          }),
      ),
    )
  } finally {
    end()
  }
}
