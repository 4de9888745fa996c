import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { openStore, type SignInStore } from '@octavo/sign-in-store';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Sessions } from '../examples/sessions.ts';
import { type SmallIdp, startSmallIdp } from './support/small-idp.ts';

// The README's example twice, with one store: an assertion is taken once, whichever process it comes to.

const file = (name: string) => fileURLToPath(new URL(`support/${name}.ts`, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'octavo-two-service-providers-'));
const address = `sqlite:${folder}/store.db`;
const stops: (() => Promise<unknown>)[] = [];
let idp: SmallIdp;
let origins: readonly [string, string];
let store: SignInStore;

async function startExample(): Promise<string> {
  const words = [
    '--import',
    join(import.meta.dirname, '../../../tools/packages-from-source.ts'),
    file('example-process'),
    address,
    join(folder, 'metadata.xml'),
  ];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  stops.push(async () => {
    const ended = once(child, 'exit');
    if (child.kill()) await ended;
  });
  const [origin] = await once(createInterface({ input: child.stdout }), 'line');
  return origin;
}

beforeAll(async () => {
  idp = await startSmallIdp();
  writeFileSync(join(folder, 'metadata.xml'), idp.metadata());
  store = await openStore(address);
  origins = [await startExample(), await startExample()];
}, 60_000);

afterAll(async () => {
  for (const stop of stops) await stop();
  await store?.close();
  await idp?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** A sign-in begun at the first process, as far as the form that the provider's page posts. */
async function begin(): Promise<{ body: URLSearchParams; cookie: string }> {
  const started = await fetch(`${origins[0]}/sign-in?returnTo=/notes`, { redirect: 'manual' });
  const page = await (await fetch(started.headers.get('location') ?? '')).text();
  const fields = [...page.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]);
  return { body: new URLSearchParams(fields), cookie: started.headers.getSetCookie()[0]?.split(';')[0] ?? '' };
}

test('an assertion is taken once, and its session is one of both', async () => {
  const sessions = new Sessions(store);
  for (let round = 0; round < 10; round += 1) {
    const { body, cookie } = await begin();
    const answers = await Promise.all(
      origins.map(origin => fetch(`${origin}/saml/acs`, { method: 'POST', headers: { cookie }, body })),
    );
    const [taken, refused] = answers.sort((one, other) => one.status - other.status) as [Response, Response];
    expect([taken.status, (await taken.json()).nameId]).toEqual([200, 'alice']);
    expect([refused.status, await refused.json()]).toEqual([403, { error: 'SAML_REPLAYED' }]);
    const cookies = [...taken.headers.getSetCookie(), ...refused.headers.getSetCookie()];
    const made = cookies.filter(line => line.startsWith('__Host-session='));
    expect(made).toHaveLength(1);
    expect(await sessions.find(made[0])).toMatchObject({ nameId: { value: 'alice' } });
  }
}, 90_000);
