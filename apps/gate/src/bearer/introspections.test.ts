import { expect, test } from 'vitest';
import type { OidcDoor } from '../sign-in/oidc.ts';
import { Introspections } from './introspections.ts';

const config = { id: 'corp', groupsClaim: 'groups', claims: [], trustedEmailDomains: [], clockToleranceSeconds: 30 };

test('a flood of refused tokens does not push out what is known of an accepted one', async () => {
  let asked = 0;
  const door = {
    id: 'corp',
    issuer: 'https://op.example',
    config: { ...config, accessTokens: { audience: 'api', introspection: true, cacheSeconds: 60 } },
    introspect: async (token: string) => {
      asked += 1;
      return token === 'good' ? { active: true, sub: 'robot' } : { active: false };
    },
  } as unknown as OidcDoor;
  const introspections = new Introspections(() => new Date(0));
  expect((await introspections.read('good', door, 'a'))?.identity.subject).toBe('robot');
  for (let at = 0; at < 10_001; at += 1) expect(await introspections.read(`bad-${at}`, door, `source ${at}`)).toBeUndefined();
  const before = asked;
  expect((await introspections.read('good', door, 'a'))?.identity.subject).toBe('robot');
  expect(asked).toBe(before);
});
