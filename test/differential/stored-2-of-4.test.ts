import { answersAsRecorded } from './recorded-answers.ts'

answersAsRecorded(2, 4)
