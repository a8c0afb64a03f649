import * as z from 'zod';
import { openEnumeration, QUESTION_TYPES } from './enumerations.ts';

export const documentedQuestionAnswerSchema = z.object({
  type: z.literal('question_answer').default('question_answer'),
  question_text: z.string(),
  question_description: z.string(),
  question_type: openEnumeration(QUESTION_TYPES),
  /** The answer as text, or the options selected. */
  answers: z.array(z.string()),
});
