/** The program of docs/how-to/build-the-image.md. */
import operator from './several-namespaces.ts'

await operator.run()
