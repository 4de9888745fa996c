import * as fs from 'node:fs';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { compileSchemas } from '../src/xml/schema.ts';
import { buildResponse } from './support/response.ts';
import { attempt, buildFault, collectRules } from './support/rule.ts';

const require = createRequire(import.meta.url);
const opened: string[] = [];
const restore: (() => void)[] = [];

/** Replaces a function of a built-in module by one that writes down that it was called. */
function watch(module: string, names: readonly string[]): void {
  const target = require(module) as Record<string, unknown>;
  for (const name of names) {
    const original = target[name];
    if (typeof original !== 'function') continue;
    target[name] = (...given: unknown[]) => {
      opened.push(`${module}.${name}(${String(given[0]).slice(0, 80)})`);
      return (original as (...args: unknown[]) => unknown)(...given);
    };
    restore.push(() => {
      target[name] = original;
    });
  }
  syncBuiltinESMExports();
}

function watchEverything(): void {
  watch('node:fs', ['open', 'openSync', 'readFile', 'readFileSync', 'createReadStream', 'statSync', 'existsSync', 'readdirSync']);
  watch('node:fs/promises', ['open', 'readFile', 'stat', 'readdir']);
  watch('node:net', ['connect', 'createConnection']);
  watch('node:http', ['request', 'get']);
  watch('node:https', ['request', 'get']);
  watch('node:dns', ['lookup', 'resolve', 'resolve4']);
  watch('node:tls', ['connect']);
  const net = require('node:net') as { Socket: { prototype: { connect: (...args: unknown[]) => unknown } } };
  const { connect } = net.Socket.prototype;
  net.Socket.prototype.connect = function (...given: unknown[]) {
    opened.push('socket');
    return connect.apply(this, given);
  };
  const { fetch } = globalThis;
  globalThis.fetch = ((...given: Parameters<typeof fetch>) => {
    opened.push('fetch');
    return fetch(...given);
  }) as typeof fetch;
  restore.push(() => {
    net.Socket.prototype.connect = connect;
    globalThis.fetch = fetch;
  });
}

beforeEach(() => {
  opened.length = 0;
});
afterEach(() => {
  for (const undo of restore.splice(0)) undo();
  syncBuiltinESMExports();
});

test('the watch sees a file that is read and a socket that is opened', async () => {
  watchEverything();
  fs.existsSync('/');
  await fetch('http://127.0.0.1:1/').catch(() => {});
  expect(opened.some(one => one.startsWith('node:fs'))).toBe(true);
  expect(opened).toContain('fetch');
});

test('zero files and zero sockets while verifying, whatever the message asks for (outbound requests, XXE)', async () => {
  const rules = collectRules();
  await Promise.all([
    import('./rules/plain-bytes.test.ts'),
    import('./rules/key-info.test.ts'),
    import('./rules/reference.test.ts'),
    import('./rules/transforms.test.ts'),
    import('./rules/encryption.test.ts'),
  ]);
  const faults = rules.flatMap(rule => rule.faults);
  expect(faults.length).toBeGreaterThan(100);
  const fixtures = faults.map(fault => ({ fault, xml: buildFault(fault, fault.modes?.[0] ?? 'plain') }));
  fixtures.push({ fault: { name: 'honest', code: 'accepted' }, xml: buildResponse() });
  for (const set of ['protocol', 'metadata', 'soap'] as const) compileSchemas(set);
  await attempt(buildResponse());
  watchEverything();
  for (const { fault, xml } of fixtures) await attempt(xml, fault);
  expect(opened).toEqual([]);
});
