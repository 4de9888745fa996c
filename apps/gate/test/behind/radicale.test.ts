import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { limits } from '../../src/limits.ts';
import { readEmail } from '../../src/model/email.ts';
import { fencedPart, startCaddy, startNginx } from '../support/fronts.ts';
import { startGate, type TestGate } from '../support/gate.ts';
import { isInstalled, startProgram } from '../support/program.ts';
import { raw, sendRaw } from '../support/raw-request.ts';
import { freePort } from '../support/servers.ts';
import { sessionCookie } from '../support/session.ts';
import { corpProvider, type SmallProvider, startSmallProvider } from '../support/small-provider.ts';

// A real application, unchanged: it believes X-Remote-User, and the gate is the only one that says it. As docs/gate/radicale.md shows.

const missing = ['radicale'].find(program => !isInstalled(program));
const event = [
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  'PRODID:-//Octavo//Test//EN',
  'BEGIN:VEVENT',
  'UID:lunch',
  'DTSTAMP:20261101T000000Z',
  'DTSTART:20261101T120000Z',
  'SUMMARY:Lunch',
  'END:VEVENT',
  'END:VCALENDAR',
  '',
].join('\r\n');

type Start = (
  folder: string,
  ports: { front: number; gate: number; application: number },
) => Promise<AsyncDisposable | undefined>;
const fronts: [string, Start][] = [
  ['nginx', (folder, ports) => startNginx(folder, ports, fencedPart('radicale.md', 'nginx'))],
  ['caddy', (folder, ports) => startCaddy(folder, ports, fencedPart('radicale.md', 'caddyfile'))],
  ['the gate itself', async () => undefined],
];

describe.each(fronts)('Radicale behind %s', (front, start) => {
  const absent = missing ?? (/^\w+$/.test(front) && !isInstalled(front) ? front : undefined);
  describe.skipIf(absent !== undefined)(absent === undefined ? 'unchanged' : `(skipped: ${absent} is not installed)`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'octavo-radicale-'));
    const running: (AsyncDisposable | undefined)[] = [];
    let provider: SmallProvider;
    let gate: TestGate;
    let origin: string;

    beforeAll(async () => {
      const ports = { front: await freePort(), gate: await freePort(), application: await freePort() };
      const isOwnFront = front === 'the gate itself';
      origin = `http://127.0.0.1:${isOwnFront ? ports.gate : ports.front}`;
      mkdirSync(join(folder, 'collections'));
      const settings = fencedPart('radicale.md', 'ini')
        .replace('127.0.0.1:5232', `127.0.0.1:${ports.application}`)
        .replace('/var/lib/radicale/collections', join(folder, 'collections'));
      writeFileSync(join(folder, 'radicale.conf'), settings);
      running.push(
        await startProgram(
          'radicale',
          ['--config', join(folder, 'radicale.conf')],
          `http://127.0.0.1:${ports.application}/.web/`,
        ),
      );
      provider = await startSmallProvider();
      const { rules } = JSON.parse(fencedPart('radicale.md', 'json'));
      // As the page says for calendar programs.
      rules[0].accessTokens = [{ provider: 'corp' }];
      const providers = [corpProvider(provider, { accessTokens: { audience: 'calendars', introspection: true } })];
      const upstream = isOwnFront ? { upstream: `http://127.0.0.1:${ports.application}` } : {};
      gate = await startGate({ publicUrl: origin, providers, rules, ...upstream }, { port: ports.gate });
      running.push(provider, gate, await start(folder, ports));
    }, 60_000);

    afterAll(async () => {
      for (const one of running.reverse()) await one?.[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    });

    /** Methods of CalDAV, which fetch does not send. */
    function ask(
      method: string,
      path: string,
      headers: Record<string, string>,
      body = '',
    ): Promise<{ status: number; retryAfter: string | undefined; text: string }> {
      return new Promise((resolve, reject) => {
        const outgoing = request(`${origin}${path}`, { method, headers, agent: false }, response => {
          let text = '';
          response.on('data', chunk => {
            text += chunk;
          });
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'], text }),
          );
        });
        outgoing.on('error', reject);
        outgoing.end(body);
      });
    }

    const as = async (name: string) => ({
      cookie: await sessionCookie(gate, { issuer: provider.issuer, subject: name, email: readEmail(`${name}@example.org`) }),
    });

    test('gives a person a calendar that no one else can read', async () => {
      const [ada, bob] = [await as('ada'), await as('bob')];
      expect((await ask('MKCALENDAR', '/ada@example.org/work/', ada)).status).toBe(201);
      const put = await ask('PUT', '/ada@example.org/work/lunch.ics', { ...ada, 'content-type': 'text/calendar' }, event);
      expect(put.status).toBe(201);
      expect((await ask('GET', '/ada@example.org/work/lunch.ics', ada)).text).toContain('SUMMARY:Lunch');
      const listed = await ask('PROPFIND', '/ada@example.org/', { ...ada, depth: '1' });
      expect(listed.status).toBe(207);
      expect(listed.text).toMatch(/\/ada(?:@|%40)example\.org\/work\//);
      expect((await ask('GET', '/ada@example.org/work/lunch.ics', bob)).status).toBe(403);
    });

    test('lets no one in without a session, whatever headers they send', async () => {
      expect((await ask('PROPFIND', '/ada@example.org/', {})).status).toBe(401);
      const page = await ask('GET', '/.web/', { accept: 'text/html' });
      expect([302, 303]).toContain(page.status);
      const { cookie } = await as('bob');
      for (const name of ['X-Remote-User', 'x_remote_user', 'X_REMOTE_USER', 'X-Remote_User', 'X_Remote-User', 'X-REMOTE-USER']) {
        const spoofed = raw('GET', '/ada@example.org/work/lunch.ics', [`Cookie: ${cookie}`, `${name}: ada@example.org`]);
        const answer = await sendRaw(origin, spoofed.replace('gate.example', new URL(origin).host));
        expect([name, answer.status]).toEqual([name, 403]);
      }
    });

    test('signs no one in to Radicale by an untrusted address', async () => {
      const cookie = await sessionCookie(gate, {
        issuer: provider.issuer,
        email: readEmail('ada@example.org'),
        isEmailTrusted: false,
      });
      expect((await ask('GET', '/ada@example.org/work/lunch.ics', { cookie })).status).toBe(403);
    });

    test('tells a calendar program to come back later: 503 if its token cannot be checked, 429 for too many', async () => {
      let made = 0;
      const sync = () => {
        made += 1;
        return ask('PROPFIND', '/ada@example.org/', { authorization: `Bearer opaque-${made}`, depth: '1' });
      };
      provider.answers.isDown = true;
      expect(await sync()).toMatchObject({ status: 503, retryAfter: '5' });
      provider.answers.isDown = false;
      let last = await sync();
      while (last.status !== 429 && made <= 2 * limits.maxUnknownTokensOfASource) last = await sync();
      expect(last).toMatchObject({ status: 429, retryAfter: '2' });
    });
  });
});
