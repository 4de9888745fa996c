import { creatingPrefix, removeKey, writeKey } from '../device/device-storage.ts';
import { randomKey } from '../device/random-key.ts';

/** What was sent and is not answered. */
let open: { readonly request: string; readonly key: string } | undefined;

/**
 * The same request again, after an answer that was lost, is the same notebook and no second one. Its key outlives the page: what it made and
 * nobody was told of is found by find-created.ts.
 * @param request what tells it from another one
 * @param send gets the key, and whether it was sent before
 */
export async function createOnce<Answer>(
  request: string,
  send: (key: string, again: boolean) => Promise<Answer>,
): Promise<Answer> {
  const again = open?.request === request;
  if (!again) open = { request, key: randomKey(16) };
  const { key } = open!;
  writeKey(creatingPrefix + key, String(Date.now()));
  const answer = await send(key, again);
  removeKey(creatingPrefix + key);
  open = undefined;
  return answer;
}
