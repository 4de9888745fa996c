import * as calls from '../../api/reading-calls.ts';
import { ApiProblem, call } from './api-client.ts';

/**
 * Why an edit link no longer works, as a code of errors.ts. Asked by the link alone, the server answers 404 whether the notebook is deleted
 * or the link was replaced. Asked by the slug as well, it names a replaced link where anyone with the view link may read.
 */
export async function whyGone({ code }: ApiProblem, slug: string | undefined, editToken: string | undefined): Promise<string> {
  if (code !== 'not_found' || slug === undefined || editToken === undefined) return code;
  const answer = await call(calls.readNotebook, [slug], { editToken }).catch((problem: unknown) => problem);
  return answer instanceof ApiProblem && answer.code === 'edit_token_invalid' ? answer.code : code;
}
