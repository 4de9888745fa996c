import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { startCaddy, startNginx } from './fronts.ts';
import { corp, startGate, type TestGate } from './gate.ts';
import { isInstalled } from './program.ts';
import { freePort } from './servers.ts';
import { startUpstream, type Upstream } from './upstream.ts';

/** Where the web server in front, the gate and the application are. Set before the first test. */
export interface BehindFront {
  /** The web server's origin. */
  origin: string;
  gate: TestGate;
  upstream: Upstream;
}

export const rules = [
  { paths: ['/public/**'], allow: 'anyone' },
  { paths: ['/admin/**'], allow: { provider: 'corp', groups: ['admin'] } },
  { paths: ['/**'], allow: 'signed-in' },
];

/** The same tests behind each web server with the configuration of docs/gate, unchanged but for addresses and certificates. */
export function describeBehindFronts(tests: (all: BehindFront) => void): void {
  describe.each([
    ['nginx', startNginx],
    ['caddy', startCaddy],
  ])('behind %s', (program, start) => {
    const here = isInstalled(program);
    describe.skipIf(!here)(here ? 'as docs/gate shows it' : `(skipped: ${program} is not installed)`, () => {
      const all = {} as BehindFront;
      let front: AsyncDisposable;
      const folder = mkdtempSync(join(tmpdir(), `octavo-${program}-`));

      beforeAll(async () => {
        all.upstream = await startUpstream();
        const application = Number(new URL(all.upstream.origin).port);
        const ports = { front: await freePort(), gate: await freePort(), application };
        all.origin = `http://127.0.0.1:${ports.front}`;
        all.gate = await startGate({ publicUrl: all.origin, providers: [corp], rules }, { port: ports.gate });
        front = await start(folder, ports);
      }, 60_000);

      afterAll(async () => {
        for (const one of [front, all.gate, all.upstream]) await one?.[Symbol.asyncDispose]();
        rmSync(folder, { recursive: true, force: true });
      });

      tests(all);
    });
  });
}
