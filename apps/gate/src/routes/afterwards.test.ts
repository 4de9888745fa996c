import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { framesPage } from './afterwards.ts';
import type { Context } from './context.ts';

const context = { state: { config: { publicUrl: 'https://gate.example' } } } as unknown as Context;
const frames = ['https://wiki.example/out?sid=1', 'https://board.example:8443/out', 'https://wiki.example/other'];
const policyOf = (...[given, next]: [readonly string[], Parameters<typeof framesPage>[2]]) => {
  const { headers, body } = framesPage(context, given, next);
  const policy = String((headers as Record<string, unknown>)['content-security-policy']).split('; ');
  const directive = (name: string) => policy.find(one => one.startsWith(`${name} `))?.slice(name.length + 1);
  return { directive, body: String(body) };
};

test('the page that tells applications of a sign-out shows their frames and runs its own script, and nothing else', () => {
  const { directive, body } = policyOf(frames, { kind: 'redirect', url: 'https://idp.example/end?state=1' });
  expect(directive('frame-src')).toBe('https://wiki.example https://board.example:8443');
  expect(directive('default-src')).toBe("'none'");
  const script = /<script>([^<]*)<\/script>/.exec(body)?.[1] ?? '';
  expect(script).toContain('click()');
  expect(directive('script-src')).toBe(`'sha256-${createHash('sha256').update(script).digest('base64')}'`);
  expect(directive('form-action')).toBe("'self'");
  expect([...body.matchAll(/<iframe[^>]* src="([^"]*)"/g)].map(([, url]) => url)).toEqual(frames);
  expect(body).toContain('href="https://idp.example/end?state=1"');
});

test('where the way on is a form, it may be sent to the provider', () => {
  const next = { kind: 'post', url: 'https://idp.example/slo', fields: { SAMLRequest: 'x' } } as const;
  const { directive, body } = policyOf(frames.slice(0, 1), next);
  expect(directive('form-action')).toBe("'self' https:");
  expect(directive('frame-src')).toBe('https://wiki.example');
  expect(body).toContain('action="https://idp.example/slo"');
});
