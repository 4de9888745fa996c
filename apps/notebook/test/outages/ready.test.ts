import { afterEach, expect, it, vi } from 'vitest';
import { type NotebookApp, startNotebookApp } from '../support/notebook-app.ts';

let app: NotebookApp | undefined;

afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  await app?.close();
});

it('readyz answers 503 after 2 s when no write is done, to everybody who asked meanwhile', async () => {
  app = await startNotebookApp({ env: { LOG_LEVEL: 'silent' } });
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const proofs = vi.spyOn(app.parts.store, 'proveWrite').mockImplementation(() => {
    begin();
    return new Promise(() => {});
  });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const answered: number[] = [];
  const asked = [app, app].map(async ({ ask }) => {
    const { statusCode, headers, body } = await ask('GET', '/readyz');
    answered.push(statusCode);
    return [statusCode, headers['retry-after'], JSON.parse(body).code];
  });
  await begun;
  await vi.advanceTimersByTimeAsync(1_999);
  expect(answered).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(await Promise.all(asked)).toEqual(Array(2).fill([503, '5', 'unavailable']));
  expect(proofs).toHaveBeenCalledTimes(1);
});
