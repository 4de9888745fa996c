import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fencedPart, startCaddy, startNginx } from '../support/fronts.ts';
import { corp, startGate, type TestGate } from '../support/gate.ts';
import { isInstalled } from '../support/program.ts';
import { freePort } from '../support/servers.ts';
import { sessionCookie } from '../support/session.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

const fronts = [
  ['nginx', startNginx, 'nginx'],
  ['caddy', startCaddy, 'caddyfile'],
] as const;

// Radicale tells nobody what it was sent, so that a server which does stands in its place.
describe.each(fronts)('%s in front of Radicale', (program, start, language) => {
  const absent = !isInstalled(program) && `${program} is not installed`;
  /** @param work gets this front, a gate behind it, and an application that records what it was sent */
  const inFront = async (
    rules: object[],
    work: (parts: { origin: string; gate: TestGate; application: Upstream }) => Promise<void>,
  ) => {
    const folder = mkdtempSync(join(tmpdir(), 'octavo-radicale-cookie-'));
    try {
      await using application = await startUpstream();
      const ports = { front: await freePort(), gate: await freePort(), application: Number(new URL(application.origin).port) };
      const origin = `http://127.0.0.1:${ports.front}`;
      await using gate = await startGate({ publicUrl: origin, providers: [corp], rules }, { port: ports.gate });
      await using _front = await start(folder, ports, fencedPart('radicale.md', language));
      await work({ origin, gate, application });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };

  test.skipIf(absent)("removes only the gate's cookie", () =>
    inFront([{ paths: ['/**'], allow: 'signed-in' }], async ({ origin, gate, application }) => {
      const session = await sessionCookie(gate);
      const other = await sessionCookie(gate);
      for (const cookie of [`a=1; ${session}; b=2`, `${session}; a=1; b=2`, `${other}; a=1; ${session}; b=2`]) {
        expect((await fetch(`${origin}/x`, { headers: { cookie } })).status).toBe(200);
        expect(application.seen.at(-1)?.headers.cookie?.split(/;\s*/)).toEqual(['a=1', 'b=2']);
      }
    }),
  );

  test.skipIf(absent)('sends no name without a trusted address', () => {
    const rules = [{ paths: ['/**'], allow: 'signed-in', headers: { 'X-Remote-User': 'email' } }];
    return inFront(rules, async ({ origin, gate, application }) => {
      const heard = async (cookie: string) => {
        expect((await fetch(`${origin}/x`, { headers: { cookie } })).status).toBe(200);
        return Object.entries(application.seen.at(-1)?.headers ?? {}).filter(([name]) => name.includes('remote'));
      };
      expect(await heard(await sessionCookie(gate))).toEqual([['x-remote-user', 'ada@example.org']]);
      expect(await heard(await sessionCookie(gate, { subject: 'bob', isEmailTrusted: false }))).toEqual([]);
    });
  });
});
