import { answersAsRecorded } from './recorded-answers.ts'

answersAsRecorded(4, 4)
