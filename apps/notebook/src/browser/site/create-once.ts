import { creatingPrefix, removeKey, writeKey } from '../device/device-storage.ts';
import { randomKey } from '../device/random-key.ts';

/** The request that was sent but not answered. */
let open: { readonly request: string; readonly key: string } | undefined;

/**
 * Sends a request so that repeating it after a lost answer gives the same notebook, not a second one. The key outlives the page:
 * find-created.ts uses it to find a notebook whose answer was lost.
 * @param request what tells this request from others
 * @param send gets the key, and whether the request was sent before
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
