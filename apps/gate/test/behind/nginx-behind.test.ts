import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { corp, startGate, type TestGate } from '../support/gate.ts';
import { isInstalled, startProgram } from '../support/program.ts';
import { raw, sendRaw } from '../support/raw-request.ts';
import { freePort } from '../support/servers.ts';
import { sessionCookie } from '../support/session.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

// The gate in front of an nginx that lets every header name through and makes CGI names of them: what it passes on is what reaches the application.

const here = isInstalled('nginx');
describe.skipIf(!here)(here ? 'nginx behind the gate' : '(skipped: nginx is not installed)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'octavo-nginx-behind-'));
  let upstream: Upstream;
  let nginx: AsyncDisposable;
  let gate: TestGate;

  beforeAll(async () => {
    upstream = await startUpstream();
    const port = await freePort();
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map(name => `${name}_temp_path ${folder}/${name};`)
      .join(' ');
    writeFileSync(
      join(folder, 'nginx.conf'),
      `daemon off; pid ${folder}/pid; error_log stderr crit; events {} http { access_log off; ${paths}
        underscores_in_headers on; ignore_invalid_headers off;
        server { listen 127.0.0.1:${port}; location / {
          proxy_pass ${upstream.origin}; proxy_http_version 1.1;
          proxy_set_header Connection ""; proxy_set_header Host $http_host;
          proxy_set_header Cgi-Subject $http_x_auth_subject; proxy_set_header Cgi-Remote-User $http_x_remote_user; } } }`,
    );
    nginx = await startProgram('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], `http://127.0.0.1:${port}`);
    gate = await startGate({
      upstream: `http://127.0.0.1:${port}`,
      providers: [corp],
      rules: [
        { paths: ['/free/**'], allow: 'anyone' },
        { paths: ['/**'], allow: 'signed-in', headers: { 'X-Remote-User': 'email' } },
      ],
    });
  }, 60_000);

  afterAll(async () => {
    for (const one of [gate, nginx, upstream]) await one?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  const subjects = ['X-Auth-Subject', 'x_auth_subject', 'X.Auth.Subject', 'X-Auth_Subject', 'X_AUTH-SUBJECT', 'X~Auth~Subject'];
  const users = ['X-Remote-User', 'X_Remote_User', 'x.remote.user', 'X-REMOTE_USER', 'X!Remote!User'];

  test.each([...subjects, ...users])('keeps %s from the application, with a session and without', async name => {
    for (const [path, more] of [
      ['/free/x', []],
      ['/x', [`Cookie: ${await sessionCookie(gate)}`]],
    ] as const) {
      const before = upstream.seen.length;
      const answer = await sendRaw(gate.origin, raw('GET', path, [...more, `${name}: evil`, `${name}: evil twice`]));
      expect(answer.status).toBe(200);
      expect(upstream.seen.length).toBe(before + 1);
      expect(upstream.seen.at(-1)?.rawHeaders.join('\n')).not.toContain('evil');
    }
    expect(upstream.seen.at(-1)?.headers).toMatchObject({ 'cgi-subject': 'ada', 'cgi-remote-user': 'ada@example.org' });
  });

  test.each([
    'X-Forwarded-For',
    'X_Forwarded_Host',
    'X-Original-URL',
    'X_Real_IP',
    'Forwarded',
    'X-HTTP-Method-Override',
    'X-Accel-Redirect',
  ])('does not pass on %s of a client', async name => {
    await sendRaw(gate.origin, raw('GET', '/free/x', [`${name}: 6.6.6.6`]));
    const { rawHeaders, headers } = upstream.seen.at(-1) as { rawHeaders: readonly string[]; headers: Record<string, unknown> };
    if (name === 'X-Forwarded-For') expect(headers['x-forwarded-for']).toMatch(/127\.0\.0\.1$/);
    else expect(rawHeaders.join('\n')).not.toContain('6.6.6.6');
  });
});
