import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bridgeCookies, cookieNames } from '../../src/http/cookies.ts';
import { fencedPart, readDocument, startCaddy, startNginx } from '../support/fronts.ts';
import { corp, startGate } from '../support/gate.ts';
import { isInstalled } from '../support/program.ts';
import { freePort } from '../support/servers.ts';
import { sessionCookie } from '../support/session.ts';
import { startUpstream } from '../support/upstream.ts';

// No cookie of the gate reaches the application behind a web server, under the names that cookies have on https.

const fronts = [
  ['nginx', 'nginx.conf', startNginx, () => readDocument('nginx.conf')],
  ['nginx', 'radicale.md', startNginx, () => fencedPart('radicale.md', 'nginx')],
  ['caddy', 'Caddyfile', startCaddy, () => readDocument('Caddyfile')],
  ['caddy', 'radicale.md', startCaddy, () => fencedPart('radicale.md', 'caddyfile')],
] as const;

const { session: _, ...others } = cookieNames(true);
const bridge = Object.values(bridgeCookies(true));
const names = [...Object.values(others), `${others.browser}-0123456789ab`, ...bridge, ...bridge.map(name => `${name}.sig`)];

describe.each(fronts)('%s as in %s', (program, _file, start, settings) => {
  const absent = !isInstalled(program) && `${program} is not installed`;

  test.skipIf(absent)('passes on the cookies of the application alone', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'octavo-front-cookies-'));
    try {
      await using application = await startUpstream();
      const ports = { front: await freePort(), gate: await freePort(), application: Number(new URL(application.origin).port) };
      const rules = [{ paths: ['/**'], allow: 'signed-in' }];
      // What the gate is told of itself: the web server listens on plain http.
      const publicUrl = `https://127.0.0.1:${ports.front}`;
      await using gate = await startGate({ publicUrl, providers: [corp], rules }, { port: ports.gate });
      await using _front = await start(folder, ports, settings(), { isHttps: true });
      const session = `__Host-${await sessionCookie(gate)}`;
      const received = async (cookie: string) => {
        const before = application.seen.length;
        expect((await fetch(`http://127.0.0.1:${ports.front}/x`, { headers: { cookie } })).status).toBe(200);
        expect(application.seen.length).toBe(before + 1);
        const left = application.seen.at(-1)?.headers.cookie ?? '';
        return left.split(/;\s*/).filter(Boolean);
      };

      const ours = names.map(name => `${name}=secret`);
      expect(await received([session, ...ours].join('; '))).toEqual([]);
      for (const one of ours) {
        const all = [`a=1; ${session}; ${one}; b=2`, `${one}; a=1; b=2; ${session}`, `a=1;${session};b=2;${one}`];
        for (const cookie of all) expect(await received(cookie)).toEqual(['a=1', 'b=2']);
      }
      // In eight places, as browsers never mix them.
      const mixed = [session, ...ours.slice(0, 7)].flatMap((one, at) => [one, `a${at}=${at}`]);
      expect(await received(mixed.join('; '))).toEqual([0, 1, 2, 3, 4, 5, 6, 7].map(at => `a${at}=${at}`));
      // In more, nginx passes on none.
      const more = await received([session, ...ours].flatMap((one, at) => [one, `a${at}=${at}`]).join('; '));
      expect(more).toEqual(program === 'nginx' ? [] : [session, ...ours].map((_one, at) => `a${at}=${at}`));
      // Names that only look like those of the gate.
      const theirs = ['my__Host-gate=1', '__Host-gateway=2', 'gate=3', 'gate-browser=4', 'b=__Host-gate-ways=5'];
      expect(await received(`${session}; ${theirs.join('; ')}`)).toEqual(theirs);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
