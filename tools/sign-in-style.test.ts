import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import * as oidc from '../packages/oidc-rp/src/index.ts';
import * as saml from '../packages/saml-sp/src/index.ts';

const packages = path.join(import.meta.dirname, '../packages');
const read = (pattern: string) =>
  globSync(pattern, { cwd: packages, exclude: ['**/node_modules/**', '**/*.generated.ts'] }).map(
    file => [file, readFileSync(path.join(packages, file), 'utf8')] as const,
  );

/** The places where a text matches, as `file: text`. */
const found = (pattern: string, wrong: RegExp): string[] =>
  read(pattern).flatMap(([file, text]) => (text.match(wrong) ?? []).map(what => `${file}: ${what}`));

describe('one house style in both sign-in packages', () => {
  it('one store serves both, in types too', async () => {
    const ofOidc: saml.ReplayStore = new oidc.MemoryReplayStore();
    const ofSaml: oidc.ReplayStore = new saml.MemoryReplayStore();
    for (const store of [ofOidc, ofSaml]) {
      const until = new Date(Date.now() + 60_000);
      expect([await store.claim('key', until), await store.claim('key', until)]).toEqual([true, false]);
      await store.release('key');
      expect(await store.claim('key', until)).toBe(true);
    }
  });

  it.each(['startSignIn', 'finishSignIn', 'startSignOut'])('both begin and end alike: %s', method => {
    expect(oidc.RelyingParty.prototype).toHaveProperty(method);
    expect(saml.ServiceProvider.prototype).toHaveProperty(method);
  });

  it.each(['PendingCookies', 'readReturnTo', 'MemoryReplayStore'])('both call it %s', name => {
    expect([typeof (oidc as never)[name], typeof (saml as never)[name]]).toEqual(['function', 'function']);
  });

  it.each(['clockToleranceSeconds', 'replayStore', 'now', 'randomBytes', 'fetch'])('both take the option %s', name => {
    const member = new RegExp(`^  ${name}\\??: `, 'm');
    const options = [...read('oidc-rp/src/client/options.ts'), ...read('saml-sp/src/sp/configuration.ts')];
    expect(options.map(([, text]) => member.test(text))).toEqual([true, true]);
  });

  it.each(['startedAt', 'expiresAt', 'returnTo'])('pending data has %s in both', name => {
    const member = new RegExp(`^  ${name}\\??: `, 'm');
    const pending = read('{oidc-rp,saml-sp}/src/sign-in/pending{,-sign-in}.ts');
    expect(pending.map(([, text]) => member.test(text))).toEqual([true, true]);
  });

  it('an error has the status to answer with, 503 for an outage', () => {
    expect(new oidc.OidcError('OIDC_STORE_UNAVAILABLE', { check: 'a store' }).status).toBe(503);
    expect(new saml.SamlError('SAML_STORE_UNAVAILABLE', 'a store').status).toBe(503);
  });

  it('the old names are gone', () => {
    expect(found('{oidc-rp,saml-sp}/{src,examples}/**/*.ts', /\breturnPath\b|\bskew(?:Seconds)?\b\??:|\buse\(key/g)).toEqual([]);
    expect(found('{oidc-rp,saml-sp}/README.md', /\breturnPath\b|\bskew(?:Seconds)?\b:/g)).toEqual([]);
  });

  it('tests and comments say what a case means, not its number in a list', () => {
    expect(found('{oidc-rp,saml-sp}/{src,test,examples}/**/*.ts', /\b(?:V(?!8 )|M|R|X)\d{1,2}\b/g)).toEqual([]);
  });
});
