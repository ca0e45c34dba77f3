/** Reads a Dockerfile, and follows the files through its stages as a build would, without running anything. */

export interface Instruction {
  readonly name: string
  readonly rest: string
}

export interface Stage {
  readonly base: string
  readonly name: string | undefined
  readonly instructions: readonly Instruction[]
}

const known = new Set(['FROM', 'WORKDIR', 'COPY', 'RUN', 'ENV', 'USER', 'ENTRYPOINT'])

export function stagesOf(dockerfile: string): readonly Stage[] {
  const stages: { base: string; name: string | undefined; instructions: Instruction[] }[] = []
  for (const line of dockerfile.split('\n').filter((each) => each.trim() !== '' && !each.startsWith('#'))) {
    const [, name = '', rest = ''] = /^([A-Z]+) (\S.*)$/.exec(line) ?? []
    if (!known.has(name)) throw new Error(`not an instruction: ${line}`)
    if (name === 'FROM') {
      const [, base = '', as] = /^(\S+:\S+)(?: AS ([a-z]+))?$/.exec(rest) ?? []
      if (base === '') throw new Error(`FROM without a tag: ${line}`)
      stages.push({ base, name: as, instructions: [] })
    } else {
      const stage = stages.at(-1)
      if (stage === undefined) throw new Error(`before FROM: ${line}`)
      stage.instructions.push({ name, rest })
    }
  }
  return stages
}

/** What a command of `RUN` makes from the files of its working directory; throws if it lacks one. */
export type Command = (files: ReadonlySet<string>) => readonly string[]

export interface Image {
  /** Absolute. A folder is one file. */
  readonly files: ReadonlySet<string>
  readonly last: ReadonlyMap<string, string>
}

/** The last stage. `context` are the files beside the Dockerfile that are not ignored. */
export function built(
  stages: readonly Stage[],
  context: ReadonlySet<string>,
  commands: Readonly<Record<string, Command>>,
): Image {
  const images = new Map<string, Image>()
  let image: Image = { files: new Set(), last: new Map() }
  for (const { name, instructions } of stages) {
    image = stage(instructions, { context, commands, images })
    if (name !== undefined) images.set(name, image)
  }
  return image
}

interface Inputs {
  readonly context: ReadonlySet<string>
  readonly commands: Readonly<Record<string, Command>>
  readonly images: ReadonlyMap<string, Image>
}

function stage(instructions: readonly Instruction[], { context, commands, images }: Inputs): Image {
  const files = new Set<string>()
  const last = new Map<string, string>()
  for (const { name, rest } of instructions) {
    last.set(name, rest)
    const folder = last.get('WORKDIR')
    if (folder === undefined) throw new Error(`${name} before WORKDIR`)
    const from = name === 'COPY' ? /^--from=(\S+) /.exec(rest)?.[1] : undefined
    const source = from === undefined ? context : images.get(from)?.files
    if (source === undefined) throw new Error(`no stage ${from} before: ${rest}`)
    if (name === 'COPY') copy(rest.replace(/^--from=\S+ /, ''), { source, folder, files })
    if (name !== 'RUN') continue
    const command = commands[rest]
    if (command === undefined) throw new Error(`RUN of an unknown command: ${rest}`)
    const own = [...files].filter((file) => file.startsWith(`${folder}/`)).map((file) => file.slice(folder.length + 1))
    for (const made of command(new Set(own))) files.add(`${folder}/${made}`)
  }
  return { files, last }
}

interface Copied {
  readonly source: ReadonlySet<string>
  readonly folder: string
  readonly files: Set<string>
}

function copy(operands: string, { source, folder, files }: Copied): void {
  const paths = operands.split(' ')
  const target = paths.pop() ?? ''
  if (!target.startsWith('./')) throw new Error(`COPY to ${target}`)
  for (const path of paths) {
    if (!source.has(path)) throw new Error(`COPY of ${path}, which does not exist`)
    files.add(`${folder}/${target === './' ? path : target.slice(2)}`)
  }
}
