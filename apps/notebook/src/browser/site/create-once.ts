import { randomKey } from '../device/random-key.ts';

/** What was sent and is not answered. */
let open: { readonly request: string; readonly key: string } | undefined;

/**
 * The same request again, after an answer that was lost, is the same notebook and no second one.
 * @param request what tells it from another one
 * @param send gets the key, and whether it was sent before
 */
export async function createOnce<Answer>(
  request: string,
  send: (key: string, again: boolean) => Promise<Answer>,
): Promise<Answer> {
  const again = open?.request === request;
  if (!again) open = { request, key: randomKey(16) };
  const answer = await send(open!.key, again);
  open = undefined;
  return answer;
}
