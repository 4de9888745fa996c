import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { expect, test } from 'vitest';
import { createApp as createExpressApp } from '../examples/express.ts';
import { createApp as createFastifyApp } from '../examples/fastify.ts';
import { createApp as createHonoApp } from '../examples/hono.ts';
import type { RelyingParty } from '../src/index.ts';
import { FakeOp } from './support/fake-op.ts';
import { serve } from './support/http-server.ts';

const examples: Record<string, (rp: RelyingParty) => Promise<RequestListener>> = {
  fastify: async rp => {
    const app = createFastifyApp(rp);
    await app.ready();
    return app.routing;
  },
  express: async rp => createExpressApp(rp),
  hono: async rp => getRequestListener(createHonoApp(rp).fetch),
};

test.each(Object.keys(examples))(
  'the example for %s signs a person in, and nobody without the cookie of the start',
  async name => {
    const op = await FakeOp.start();
    await using server = await serve(await examples[name]!(op.relyingParty()));
    const get = (path: string, cookie = '') => fetch(`${server.origin}${path}`, { headers: { cookie }, redirect: 'manual' });
    const start = async () => {
      const response = await get('/sign-in');
      const cookie = response.headers.get('set-cookie')!;
      const callback = new URL(op.authorize(new URL(response.headers.get('location')!)));
      return { cookie, pending: cookie.split(';')[0]!, callback: callback.pathname + callback.search };
    };
    const { cookie, pending, callback } = await start();
    for (const word of [/^__Host-pending=/, /HttpOnly/, /Secure/, /SameSite=Lax/, /Path=\//]) expect(cookie).toMatch(word);

    expect((await get(callback)).status).toBe(400);
    const back = await get(callback, pending);
    expect([back.status, back.headers.get('location')]).toEqual([302, '/']);
    const session = back.headers.get('set-cookie')!.split(';')[0]!;
    expect(await (await get('/', session)).json()).toEqual({ signedIn: { issuer: op.issuer, subject: 'sub-1' } });
    expect(await (await get('/')).json()).toEqual({ signedIn: null });

    const again = await get(callback, pending);
    expect([again.status, await again.json()]).toEqual([400, { code: 'OIDC_CALLBACK_STATE' }]);
    const other = await start();
    expect(await (await get(other.callback, pending)).json()).toEqual({ code: 'OIDC_CALLBACK_STATE' });
  },
);

test.each(Object.keys(examples))('the README shows the example for %s as it is', name => {
  const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
  const code = read(`examples/${name}.ts`).replaceAll("'../src/index.ts'", "'@octavo/oidc-rp'");
  expect(read('README.md')).toContain(`\`\`\`ts\n${code}\`\`\``);
});

test.each(Object.keys(examples))('the sign-in of %s is about twenty lines', name => {
  const code = readFileSync(new URL(`../examples/${name}.ts`, import.meta.url), 'utf8');
  const body = /export function createApp[\s\S]*?\n}\n/.exec(code)![0];
  expect(body.trimEnd().split('\n').length).toBeLessThanOrEqual(24);
});
