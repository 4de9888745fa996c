import { expect, test } from 'vitest';
import { Log } from '../operate/log.ts';
import type { Door } from '../sign-in/door.ts';
import type { State } from '../state.ts';
import { Revocations } from './revocations.ts';

function begin() {
  const lines: Record<string, unknown>[] = [];
  const log = new Log(
    'info',
    () => new Date(0),
    line => lines.push(JSON.parse(line)),
  );
  const asked: unknown[] = [];
  const answers: (() => void)[] = [];
  const door = {
    id: 'corp',
    vouchesFor: (issuer: string) => issuer === 'https://op.example',
    revoke: (record: unknown) => {
      asked.push(record);
      return new Promise<void>(resolve => answers.push(resolve));
    },
  } as unknown as Door;
  const state = { doors: new Map([['corp', door]]) } as unknown as State;
  const session = (record: string, issuer = 'https://op.example', provider = 'corp') =>
    ({ identity: { provider, issuer }, record }) as never;
  return { revocations: new Revocations(log), lines, asked, answers, state, session };
}

test('one at a time, and never at a provider that did not issue the token', async () => {
  const { revocations, lines, asked, answers, state, session } = begin();
  const others = [session('b', 'https://other.example'), session('c', 'https://op.example', 'gone')];
  revocations.revokeLater([session('a'), ...others, session('d')], state);
  expect(asked).toEqual(['a']);
  answers[0]?.();
  await expect.poll(() => asked).toEqual(['a', 'd']);
  answers[1]?.();
  await revocations.close();
  expect(lines).toEqual([]);
});

test('a gate that stops waits for what is asked and says how many sessions are left', async () => {
  const { revocations, lines, asked, answers, state, session } = begin();
  revocations.revokeLater([session('a'), session('b'), session('c')], state);
  const closed = revocations.close();
  answers[0]?.();
  await closed;
  expect(asked).toEqual(['a']);
  expect(lines).toMatchObject([{ message: 'stopped before all tokens were revoked', provider: 'corp', sessions: 2 }]);
});
