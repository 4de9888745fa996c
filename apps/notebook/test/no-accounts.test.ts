import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { urls } from '../src/urls.ts';

const migrations = (engine: string) => globSync(fileURLToPath(new URL(`../migrations/${engine}/*.sql`, import.meta.url)));
const ofPeople = /user|account|member|person|profile|login|sign|session/i;

// Spec 1 §1 and §5: no account, sign-up form or user table, no sessions, no password recovery.
describe('the service knows nobody', () => {
  it.each(['sqlite', 'postgres'])('%s has no table of people or their sessions', engine => {
    const sql = migrations(engine).map(file => readFileSync(file, 'utf8'));
    const tables = [...sql.join('\n').matchAll(/CREATE\s+(?:VIRTUAL\s+)?TABLE\s+(\w+)/gi)].map(match => match[1]!);
    expect(tables.length).toBeGreaterThan(3);
    expect(tables.filter(table => ofPeople.test(table))).toEqual([]);
  });

  // Spec 1: the notebook service itself uses neither OpenID Connect nor SAML 2.0.
  it('depends on no package of a sign-in standard', () => {
    const { dependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
    expect(Object.keys(dependencies).length).toBeGreaterThan(10);
    const standards = /openid|oidc|oauth|saml|passport|jose|xml-?(crypto|dsig|enc)|^@octavo\//;
    expect(Object.keys(dependencies).filter(name => standards.test(name))).toEqual([]);
  });

  it('has no path to sign up, sign in or recover anything', () => {
    const paths: string[] = [];
    const collect = (table: object) => {
      for (const make of Object.values(table)) typeof make === 'function' ? paths.push(make('x', 'x', 'x')) : collect(make);
    };
    collect(urls);
    expect(paths.length).toBeGreaterThan(20);
    const doors = /^(sign-?(up|in|out)|log-?(in|out)|accounts?|users?|sessions?|register|recover|reset)$/;
    expect(paths.flatMap(path => path.split(/[/?]/)).filter(segment => doors.test(segment))).toEqual([]);
  });
});
