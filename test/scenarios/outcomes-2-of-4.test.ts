import { endAsRecorded } from './recorded-outcomes.ts'

endAsRecorded(2, 4)
