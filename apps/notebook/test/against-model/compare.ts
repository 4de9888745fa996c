import { isDeepStrictEqual } from 'node:util';
import type { Expected, Told } from './calls.ts';
import { wordsIn } from './shown.ts';

const list = <Item>(value: Item | readonly Item[]): readonly Item[] => (Array.isArray(value) ? value : [value as Item]);

/** In an answer from a clock that the model does not know. */
export const someTime = 'some time';

/** How an answer differs from what the model expects; nothing when it does not. */
export function differences(expected: Expected, told: Told): string[] {
  const code = (told.json as { code?: string } | undefined)?.code;
  const found: string[] = [];
  const expectThat = (isTrue: boolean, text: () => string) => isTrue || found.push(text());
  const { status, headers = {}, words, includes = [], excludes = [] } = expected;
  expectThat(
    list(status).includes(told.status),
    () => `status ${told.status} ${code ?? ''}, not ${list(status).join(' or ')} ${expected.code ?? ''}`,
  );
  if (found.length > 0) return [`${found[0]}: ${told.text.slice(0, 300)}`];
  if (expected.code !== undefined)
    expectThat(list(expected.code).includes(code ?? ''), () => `code ${code}, not ${list(expected.code!).join(' or ')}`);
  for (const [name, value] of Object.entries(headers))
    expectThat(matches(told.headers[name], value), () => `header ${name} is ${told.headers[name]}, not ${value}`);
  if (expected.json !== undefined) found.push(...differencesOf(expected.json, told.json, ''));
  if (expected.empty) expectThat(told.text === '', () => `has a body: ${told.text.slice(0, 100)}`);
  if (words && !expected.empty) {
    const there = new Set(wordsIn(told.text));
    const may = new Set(words.may);
    for (const word of words.must) expectThat(there.has(word), () => `does not show ${word}`);
    for (const word of there) expectThat(may.has(word), () => `shows ${word}`);
  }
  for (const part of includes) expectThat(told.text.includes(part), () => `does not have ${part}`);
  for (const part of excludes) expectThat(!told.text.includes(part), () => `has ${part}`);
  return found;
}

function matches(value: string | undefined, expected: string | RegExp | null): boolean {
  if (expected === null || value === undefined) return expected === null && value === undefined;
  return typeof expected === 'string' ? value === expected : expected.test(value);
}

/** A problem's answer has more than the page that the model knows of. */
function differencesOf(expected: unknown, told: unknown, path: string): string[] {
  if (isDeepStrictEqual(expected, told) || (told === someTime && typeof expected === 'string')) return [];
  if (!isRecord(expected) || !isRecord(told))
    return [`${path || 'body'} is ${JSON.stringify(told)}, not ${JSON.stringify(expected)}`];
  const names = new Set([...Object.keys(expected), ...('code' in told ? [] : Object.keys(told))]);
  return [...names].flatMap(name => differencesOf(expected[name], told[name], path ? `${path}.${name}` : name));
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
