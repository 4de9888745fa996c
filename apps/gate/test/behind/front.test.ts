import { expect, test } from 'vitest';
import { describeBehindFronts, rules } from '../support/behind-fronts.ts';
import { corp, startGate } from '../support/gate.ts';
import { raw, sendRaw } from '../support/raw-request.ts';
import { sessionCookie } from '../support/session.ts';
import type { Seen } from '../support/upstream.ts';

describeBehindFronts(all => {
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${all.origin}${path}`, { redirect: 'manual', headers });

  test('opens free paths, and leads to the sign-in page and back from others', async () => {
    expect((await get('/public/x')).status).toBe(200);
    const page = await get('/private?a=1&b=/x', { accept: 'text/html' });
    expect(new URL(page.headers.get('location') ?? '', all.origin).href).toBe(
      `${all.origin}/gate/sign-in?returnTo=%2Fprivate%3Fa%3D1%26b%3D%2Fx`,
    );
    expect((await get('/private', { accept: 'application/json' })).status).toBe(401);
    expect((await get('/gate/sign-in?notice=over', { accept: 'text/html' })).status).toBe(200);
  });

  test('lets a signed-in person through with their identity, but not one of another group', async () => {
    const cookie = await sessionCookie(all.gate);
    expect((await get('/private', { cookie })).status).toBe(200);
    expect(all.upstream.seen.at(-1)?.headers).toMatchObject({
      'x-auth-subject': 'ada',
      'x-auth-email': 'ada@example.org',
      'x-auth-groups': 'staff',
    });
    expect((await get('/admin/x', { cookie })).status).toBe(403);
    const posted = await fetch(`${all.origin}/private`, { method: 'POST', headers: { cookie }, body: 'kept' });
    expect(posted.status).toBe(200);
    expect(all.upstream.seen.at(-1)).toMatchObject({ method: 'POST', body: 'kept' });
  });

  test('keeps the session cookie from the application and passes on the others', async () => {
    const session = await sessionCookie(all.gate);
    const sent = async (cookie: string) => {
      expect((await get('/private', { cookie, proxy: 'evil' })).status).toBe(200);
      expect(all.upstream.seen.at(-1)?.rawHeaders).not.toContain('evil');
      return all.upstream.seen.at(-1)?.headers.cookie ?? '';
    };
    expect(await sent(session)).toBe('');
    for (const cookie of [`a=1; ${session}; b=2`, `${session}; a=1; b=2`, `a=1;${session};b=2`])
      expect((await sent(cookie)).split(/;\s*/)).toEqual(['a=1', 'b=2']);
    expect((await sent(`a=1; ${session}`)).replace(/;\s*$/, '')).toBe('a=1');
    // A browser has two if one of them is partitioned. The other one is older, and may belong to another session.
    const other = await sessionCookie(all.gate);
    for (const cookie of [
      `a=1; ${other}; b=2; ${session}; c=3`,
      `${other}; ${session}; a=1; b=2; c=3`,
      `a=1;${other};${session};b=2;c=3`,
    ])
      expect((await sent(cookie)).split(/;\s*/)).toEqual(['a=1', 'b=2', 'c=3']);
    // No browser has more: such a request may lose all cookies, but must not bring one of the gate's.
    for (const cookie of [`${other}; a=1; ${other}; ${session}; b=2; ${other}`, Array(9).fill(session).join(';')])
      expect(await sent(cookie)).not.toContain('gate=');
  });

  test('removes spoofed identity headers under every alias', async () => {
    const names = ['X-Auth-Subject', 'x-auth-email', 'X-AUTH-GROUPS', 'X-Auth-Name', 'X-Auth-Issuer'];
    const aliases = ['X_Auth_Subject', 'x_auth_groups', 'X-Auth_Name', 'X_Auth-Email', 'X_AUTH_ISSUER', 'x-AUTH_groups'];
    // PHP turns a dot into an underscore, too.
    aliases.push('X.Auth.Subject', 'x.auth.name', 'X.AUTH_EMAIL', 'X.Auth-Groups', 'X-Auth.Issuer', 'X_Auth.Subject');
    const cookie = await sessionCookie(all.gate);
    for (const more of [[], [`Cookie: ${cookie}`]]) {
      await sendRaw(
        all.origin,
        raw('GET', '/public/x', [...more, ...[...names, ...aliases].map(name => `${name}: evil`)]).replace(
          'gate.example',
          new URL(all.origin).host,
        ),
      );
      expect(all.upstream.seen.at(-1)?.rawHeaders.join('\n')).not.toContain('evil');
    }
  });

  test('sends no header for what the gate does not know about a person', async () => {
    const heard = () =>
      Object.keys(all.upstream.seen.at(-1)?.headers ?? {})
        .filter(name => name.startsWith('x-auth-'))
        .sort();
    expect((await get('/public/x')).status).toBe(200);
    expect(heard()).toEqual([]);
    const cookie = await sessionCookie(all.gate, { email: undefined, isEmailTrusted: false, name: undefined, groups: [] });
    for (const path of ['/public/x', '/private']) {
      expect((await get(path, { cookie })).status).toBe(200);
      expect(heard()).toEqual(['x-auth-issuer', 'x-auth-subject']);
    }
  });

  test("ignores a client's forwarded headers", async () => {
    const headers = {
      'x-forwarded-uri': '/public/x',
      'x-original-uri': '/public/x',
      'x-forwarded-method': 'GET',
      'x-original-method': 'GET',
      'x-forwarded-host': 'x',
      'x-rewrite-url': '/public/x',
    };
    expect((await get('/private', headers)).status).toBe(401);
    expect((await get('/gate/check', headers)).status).toBe(404);
    expect((await get('/gate/forward', headers)).status).toBe(404);
    expect((await get('/gate/metrics')).status).toBe(404);
  });

  test('no header makes another request of it than the one that was allowed', async () => {
    const names = ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override', 'X-Original-URL', 'X-Rewrite-URL'];
    names.push('X-Original-URI', 'X-Forwarded-Prefix');
    // PHP, CGI and WSGI take a dot, an underscore and a hyphen for the same.
    for (const name of [...names])
      names.push(name.replaceAll('-', '_'), name.replace('-', '_'), name.replace(/-(?=\w+$)/, '_'), name.replaceAll('-', '.'));
    names.push('x_http_method_override', 'X_METHOD_OVERRIDE');
    const headers = [...names.map(name => `${name}: /evil`), 'X-Forwarded-Host: evil.example'];
    const text = raw('POST', '/public/x', [...headers, 'Content-Length: 0']).replace('gate.example', new URL(all.origin).host);
    const before = all.upstream.seen.length;
    const { status } = await sendRaw(all.origin, text);
    // Contradictions are refused; what gets through has none of it.
    expect([200, 403]).toContain(status);
    expect(
      all.upstream.seen
        .slice(before)
        .map(one => one.rawHeaders.join('\n').toLowerCase())
        .join('\n'),
    ).not.toContain('evil');
    const kept = names.filter(name => !/^x.(?:original|forwarded)/i.test(name)).map(name => `${name}: EVIL`);
    const plain = raw('POST', '/public/x', [...kept, 'Content-Length: 0']);
    expect((await sendRaw(all.origin, plain.replace('gate.example', new URL(all.origin).host))).status).toBe(200);
    expect(all.upstream.seen.at(-1)?.rawHeaders.join('\n').toLowerCase()).not.toContain('evil');
  });

  test('only the web server tells the application which request it is, and who asks', async () => {
    const names = ['X-Forwarded-Uri', 'X-Forwarded-Method', 'X-Forwarded-Host', 'X-Forwarded-Proto', 'X-Forwarded-Port'];
    names.push('X-Forwarded-Server', 'X-Forwarded-Ssl', 'X-Forwarded-Scheme', 'X-Forwarded-Prefix', 'X-Forwarded', 'Forwarded');
    names.push('X-Original-Method', 'X-Original-Host', 'X-Override-URL', 'X-Real-IP', 'X-Host', 'X-Scheme', 'X-URL-Scheme');
    names.push('X-Script-Name', 'Front-End-Https', 'X-Accel-Mapping', 'X-Sendfile-Type');
    for (const name of [...names, 'X-Forwarded-For'].filter(one => one.includes('-')))
      names.push(name.replaceAll('-', '_'), name.replace('-', '_'), name.replace(/-(?=\w+$)/, '_'), name.replaceAll('-', '.'));
    names.push('x_forwarded_uri', 'x.forwarded.method', 'X_FORWARDED_HOST');
    // One of a contradiction is refused.
    const spoofed = names.map(
      name => `${name}: ${/uri$/i.test(name) ? '/public/x' : /method$/i.test(name) ? 'GET' : 'evil'}-spoofed`,
    );
    const text = raw('GET', '/public/x?kept', spoofed).replace('gate.example', new URL(all.origin).host);
    expect((await sendRaw(all.origin, text)).status).toBe(200);
    const { rawHeaders, headers, url } = all.upstream.seen.at(-1) as Seen;
    expect(rawHeaders.map((one, at) => (one.includes('spoofed') ? rawHeaders[at - 1] : '')).filter(Boolean)).toEqual([]);
    const own = { 'x-forwarded-host': new URL(all.origin).host, 'x-forwarded-proto': 'http', 'x-forwarded-for': '127.0.0.1' };
    expect([url, headers]).toMatchObject(['/public/x?kept', own]);
  });

  test('does not let Connection remove an identity header', async () => {
    const cookie = await sessionCookie(all.gate);
    for (const listed of ['X-Auth-Subject', 'keep-alive, x-auth-subject', 'X-Auth-Subject, Upgrade']) {
      const before = all.upstream.seen.length;
      const text = raw('GET', '/private', [`Cookie: ${cookie}`]).replace('gate.example', new URL(all.origin).host);
      const { status } = await sendRaw(all.origin, text.replace('Connection: close', `Connection: close, ${listed}`));
      const subjects = all.upstream.seen.slice(before).map(one => one.headers['x-auth-subject']);
      expect([status, subjects]).toEqual(status === 400 ? [400, []] : [200, ['ada']]);
    }
  });

  test.each([
    '/public/..%2fadmin/x',
    '/public/%2e%2e/admin/x',
    '/public/..;/admin/x',
    '/public//admin',
    '/public%2f..%2fadmin',
    '/public/%252e%252e/admin',
  ])('stops %s', async target => {
    const before = all.upstream.seen.length;
    const answer = await sendRaw(all.origin, raw('GET', target).replace('gate.example', new URL(all.origin).host));
    expect([400, 401, 403]).toContain(answer.status);
    expect(all.upstream.seen.length).toBe(before);
  });

  test('closes everything while the gate is down', async () => {
    const port = Number(new URL(all.gate.origin).port);
    await all.gate.app.close();
    expect((await get('/public/x')).status).toBeGreaterThanOrEqual(500);
    all.gate = await startGate({ publicUrl: all.origin, providers: [corp], rules }, { port });
    await expect.poll(async () => (await get('/public/x')).status).toBe(200);
  });
});
