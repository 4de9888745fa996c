import type { ServerResponse } from 'node:http';
import { describe, expect, test, vi } from 'vitest';
import { type Answer, formTargets, json, page, pagePolicy, pageWithForm, redirect, sendAnswer } from './answer.ts';

function sent(answer: Answer, { method = 'GET', cookies = [] as string[], headersSent = false } = {}) {
  const response = { headersSent, destroyed: false, req: { method }, writeHead: vi.fn(), end: vi.fn(), destroy: vi.fn() };
  sendAnswer(response as unknown as ServerResponse, answer, cookies);
  const [status, headers] = response.writeHead.mock.calls[0] ?? [];
  return { status, headers, body: response.end.mock.calls[0]?.[0]?.toString(), response };
}

describe('an answer of the gate', () => {
  test.each([
    ['a page', page(200, '<p>')],
    ['JSON', json(401, {})],
    ['a redirect', redirect('/x')],
  ])('%s is kept by no cache, framed by nobody, taken for nothing else, and tells the next site nothing', (_name, answer) => {
    expect(sent(answer).headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
    });
  });

  test('may say another thing of these, or nothing', () => {
    const { headers } = sent(json(200, {}, { 'cache-control': 'public, max-age=300', 'x-frame-options': undefined }));
    expect(headers).toMatchObject({ 'cache-control': 'public, max-age=300', 'x-content-type-options': 'nosniff' });
    expect(headers).not.toHaveProperty('x-frame-options');
  });

  test('has its length in bytes, and none where there may be no body', () => {
    expect(sent({ status: 200, body: 'é' })).toMatchObject({ status: 200, headers: { 'content-length': '2' }, body: 'é' });
    expect(sent({ status: 200, body: 'é' }, { method: 'HEAD' })).toMatchObject({
      headers: { 'content-length': '2' },
      body: undefined,
    });
    expect(sent(redirect('/x'))).toMatchObject({ status: 303, headers: { location: '/x', 'content-length': '0' } });
    expect(sent({ status: 204 }).headers).not.toHaveProperty('content-length');
  });

  test('has its cookies, each in a header of its own', () => {
    expect(sent(redirect('/x'), { cookies: ['a=1', 'b=2'] }).headers).toMatchObject({ 'set-cookie': ['a=1', 'b=2'] });
    expect(sent(redirect('/x')).headers).not.toHaveProperty('set-cookie');
  });

  test('leaves out a header that is empty, and sends a list as one', () => {
    const { headers } = sent({ status: 200, headers: { 'x-a': '', 'x-frame-options': '', 'x-list': ['1', '2'] } });
    expect(headers).not.toHaveProperty('x-a');
    expect(headers).not.toHaveProperty('x-frame-options');
    expect(headers).toMatchObject({ 'x-list': ['1', '2'] });
    expect(sent({ status: 204, body: 'x' }).headers).toMatchObject({ 'content-length': '1' });
  });

  test('says what it is', () => {
    expect(sent(json(200, { a: 1 }))).toMatchObject({ headers: { 'content-type': 'application/json' }, body: '{"a":1}\n' });
    expect(sent(page(200, '<p>'))).toMatchObject({ headers: { 'content-type': 'text/html; charset=utf-8' }, body: '<p>' });
    expect(sent(redirect('/x', { 'x-a': '1' })).headers).toMatchObject({ location: '/x', 'x-a': '1' });
  });

  test('breaks off one that has begun', () => {
    const { response, status } = sent(page(500, ''), { headersSent: true });
    expect(response.destroy).toHaveBeenCalledOnce();
    expect(status).toBeUndefined();
  });
});

describe('a page of the gate', () => {
  const policyOf = ({ headers }: Answer) => String(headers?.['content-security-policy']).split('; ');

  test('runs no script, loads only from here, has no other base and is in no frame', () => {
    expect(policyOf(page(200, ''))).toEqual([
      "default-src 'none'",
      "style-src 'self'",
      "img-src 'self'",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ]);
    expect(policyOf(pageWithForm(200, ''))).toContain("form-action 'self' https: http:");
  });

  test('runs the one script that it names', () => {
    expect(pagePolicy({ script: "'sha256-x'" }).split('; ')).toContain("script-src 'sha256-x'");
  });

  test.each([
    ['https://idp.example/sso', ['https:']],
    ['http://127.0.0.1:8080/sso', ['https:', 'http://127.0.0.1:8080']],
    ['/x', []],
  ])('whose form goes to %s may lead to %j', (url, targets) => expect(formTargets(url)).toEqual(targets));
});
