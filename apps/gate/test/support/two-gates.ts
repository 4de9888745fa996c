import { startGate, type TestGate } from './gate.ts';
import { shownOn } from './shown.ts';
import { corpProvider, type SmallProvider, startSmallProvider } from './small-provider.ts';

export interface TwoGates {
  readonly provider: SmallProvider;
  /** Two providers; the first one by email, too. */
  readonly gate: TestGate;
  /** One provider, on https. */
  readonly secure: TestGate;
}

/** For tests that compare whole answers: a provider that anyone may ask, and two gates in front of it. */
export async function startTwoGates(): Promise<TwoGates> {
  const rules = [{ paths: ['/**'], allow: 'signed-in' }];
  const provider = await startSmallProvider();
  const corp = corpProvider(provider, { emailDomains: ['corp.example'] });
  const lab = corpProvider(provider, { id: 'lab', name: 'Lab', clientId: 'lab' });
  const gate = await startGate({ providers: [corp, lab], rules });
  const secure = await startGate({ publicUrl: 'https://notes.example.org', providers: [corpProvider(provider)], rules });
  return { provider, gate, secure };
}

/** As before the first test: the provider is there and refuses codes, and nothing has been logged. */
export function resetTwoGates({ provider, gate, secure }: TwoGates): void {
  provider.answers.isDown = false;
  provider.answers.token = async () => ({ status: 400, body: { error: 'invalid_grant' } });
  for (const one of [gate, secure]) one.log.length = 0;
}

export async function stopTwoGates({ provider, gate, secure }: TwoGates): Promise<void> {
  for (const one of [secure, gate, provider]) await one?.[Symbol.asyncDispose]();
}

/** What the page says, without the name of the site. */
export const linesOf = async (answer: Response): Promise<string[]> => shownOn(await answer.text()).slice(1);

export const audits = (one: TestGate, event: string) => one.log.filter(line => line.audit === event);

/** Lines of the metrics: `corp ok 1`. */
export async function signIns(one: TestGate): Promise<string[]> {
  const metrics = await (await one.fetch('/gate/metrics')).text();
  return [...metrics.matchAll(/^gate_sign_ins_total\{provider="(\w+)",outcome="([\w-]+)"\} (\d+)$/gm)].map(
    ([, id, outcome, count]) => `${id} ${outcome} ${count}`,
  );
}

/** How many sign-ins at Corp ended this way, those of earlier tests included. */
export async function countSignIns(one: TestGate, outcome: string): Promise<number> {
  const line = (await signIns(one)).find(each => each.startsWith(`corp ${outcome} `));
  return Number(line?.split(' ')[2] ?? 0);
}
