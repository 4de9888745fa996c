import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hostileTexts } from '../linear/hostile-texts.ts';
import { type Database, engines } from '../support/engines.ts';
import { create, doors } from './doors.ts';
import { referenceMillis } from './longest-turn.ts';
import { type MeasuredService, startMeasured } from './measured-service.ts';

/** A door is too slow when its longest turn is this many times one linear look at the text. */
const mostTimes = 12;
/** So many texts share a notebook; those of one that is slow are looked at one by one. */
const together = 3;
const only = process.env.DOORS_TEXTS ?? '';

interface Seen {
  readonly door: string;
  readonly text: string;
  readonly chars: number;
  readonly millis: number;
}

const chosen = hostileTexts.filter(([name]) => name.includes(only));
const groups = Array.from({ length: Math.ceil(chosen.length / together) }, (_, at) =>
  chosen.slice(at * together, (at + 1) * together),
);

/** UTF-8 bytes count, and what JSON makes of them: a text of other letters, or of line ends, has fewer characters. */
function fit(text: string, bytes: number): string {
  const most = 2 * bytes;
  const inJson = JSON.stringify(text).length;
  if (inJson > most) return fit(text.slice(0, Math.floor((text.length * most) / inJson) - 1), bytes);
  if (Buffer.byteLength(text) <= bytes) return text.toWellFormed();
  return Buffer.from(text)
    .subarray(0, bytes)
    .toString()
    .replace(/\ufffd+$/, '')
    .slice(0, bytes);
}

function tableOf(engine: string, seen: readonly Seen[]): string[] {
  const rows = seen
    .filter(({ millis }) => millis >= 10)
    .sort((one, other) => other.millis - one.millis)
    .map(({ door, text, chars, millis }) => `| ${door} | ${text.replaceAll('|', '\\|')} | ${chars} | ${millis.toFixed(0)} |`);
  return [`${engine}: longest turn in ms, worst first`, '', '| door | text | bytes | ms |', '|---|---|---|---|', ...rows];
}

describe.each(engines.filter(({ name }) => name.includes(process.env.DOORS_ENGINE ?? '')))('every door on $name', engine => {
  let database: Database;
  let service: MeasuredService;
  const seen: Seen[] = [];
  beforeAll(async () => {
    database = await engine.createDatabase();
    service = await startMeasured(database.url);
    // What is compiled and loaded at first is not the text's.
    const warm = await create(service.ask, ['# Warm\n\nwords'.repeat(100)]);
    for (let round = 0; round < 3; round++) for (const visit of Object.values(doors)) await visit(service.ask, warm!);
  });
  afterAll(async () => {
    console.log(tableOf(engine.name, seen).slice(0, 60).join('\n'));
    await service.stop();
    database.remove();
  });

  async function measure(texts: readonly (readonly [string, (chars: number) => string])[], bytes: number): Promise<Seen[]> {
    const name = texts.map(([name]) => name).join(' & ');
    // What went before is not the text's.
    await service.longest();
    const subject = await create(
      service.ask,
      texts.map(([, make]) => fit(make(bytes), bytes)),
    );
    const found = [{ door: 'create', text: name, chars: bytes, millis: await service.longest() }];
    if (!subject) return found;
    for (const [door, visit] of Object.entries(doors)) {
      await service.longest();
      await visit(service.ask, subject);
      found.push({ door, text: name, chars: bytes, millis: await service.longest() });
    }
    return found;
  }

  describe.each([65_536, 1_048_576])('%s bytes', bytes => {
    it.each(groups.map(group => [group.map(([name]) => name).join(' & '), group] as const))(
      '%s',
      async (_, group) => {
        const most = mostTimes * referenceMillis(bytes);
        const all = await measure(group, bytes);
        seen.push(...all);
        const file = process.env.DOORS_TABLE;
        if (file) writeFileSync(`${file}-${engine.name}.md`, tableOf(engine.name, seen).join('\n'));
        const slow = all.filter(({ millis }) => millis > most && millis > 50);
        expect(slow).toEqual([]);
      },
      600_000,
    );
  });
});
