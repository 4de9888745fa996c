import { describe, expect, it } from 'vitest';

const again = './skip-reasons.ts?again';

it('explains skips once in each worker, though it runs before every file', async () => {
  const { skipIf } = describe;
  await import(again);
  expect(describe.skipIf).toBe(skipIf);
});
