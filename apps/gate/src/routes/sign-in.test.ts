import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { postScript } from '../views/message.tsx';
import { postPage } from './sign-in.ts';

// Chromium applies `form-action` to the redirects after a post: https://github.com/w3c/webappsec-csp/issues/8
test.each([
  ['https://idp.example/sso?a=1', "'self' https:"],
  ['http://localhost:8080/sso', "'self' https: http://localhost:8080"],
  ['/notes/new', "'self'"],
])('a form that posts itself to %s may lead to %s', (target, allowed) => {
  const { headers } = postPage('<form></form>', target);
  const policy = String(headers?.['content-security-policy']).split('; ');
  expect(policy.filter(directive => directive.startsWith('form-action'))).toEqual([`form-action ${allowed}`]);
  expect(policy).toContain("default-src 'none'");
});

test('such a page runs the script that sends its form, and no other', () => {
  const hash = (script: string) => `script-src 'sha256-${createHash('sha256').update(script).digest('base64')}'`;
  const scriptsOf = (...given: Parameters<typeof postPage>) =>
    String(postPage(...given).headers?.['content-security-policy'])
      .split('; ')
      .filter(directive => directive.startsWith('script-src'));
  expect(scriptsOf('<form></form>', '/x')).toEqual([hash(postScript)]);
  expect(scriptsOf('<form></form>', '/x', 'another()')).toEqual([hash('another()')]);
});
