import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createUnlockCookie, hashReaderCookie } from '../../src/model/cookies.ts';
import type { Notebook } from '../../src/model/notebook.ts';
import { openOnce } from '../../src/operations/open-once.ts';
import {
  findWithAccess,
  ownedBy,
  type PresentedCredentials,
  requireOwner,
  requireReadable,
  requireWriter,
} from '../../src/operations/require-access.ts';
import { requireRateSlot, writeSlot } from '../../src/operations/require-rate-slot.ts';
import { waitForGuess } from '../../src/operations/slow-guesses.ts';
import { unlockNotebook } from '../../src/operations/unlock-notebook.ts';
import { day, minute, noon } from '../store/contract/subject.ts';
import { type OpenParts, openParts } from '../support/parts-in-memory.ts';

let open: OpenParts;
beforeEach(async () => {
  open = await openParts();
});
afterEach(() => open.close());

const codeOf = (asked: Promise<unknown>) =>
  asked.then(
    () => 'ok',
    (error: { code?: string }) => error.code,
  );

const wrongToken = 'w'.repeat(43);
const states: Record<string, Partial<Notebook>> = {
  plain: {},
  private: { visibility: 'private' },
  expired: { expiresAt: noon - 1 },
  pastGrace: { expiresAt: noon - 4 * day },
  takenDown: { takenDownAt: noon },
  locked: { passwordHash: 'hash' },
  lockedOpen: { passwordHash: 'hash', openEditing: true },
  burning: { burnAfterRead: true },
  burned: { burnAfterRead: true, openedAt: noon - 1, readerHash: hashReaderCookie('the reader') },
  readOnly: { readOnly: true },
  openEditing: { openEditing: true },
  readOnlyOpen: { readOnly: true, openEditing: true },
};

/** For each state: what a reader, one with a wrong token and the owner are told when they read, own and write. */
const answers: Record<keyof typeof states, readonly [string, string, string]> = {
  plain: ['ok edit_token_missing edit_token_missing', 'edit_token_invalid edit_token_invalid edit_token_invalid', 'ok ok ok'],
  private: ['not_found not_found not_found', 'not_found not_found not_found', 'ok ok ok'],
  expired: ['not_found not_found not_found', 'not_found not_found not_found', 'ok ok ok'],
  pastGrace: ['not_found not_found not_found', 'not_found not_found not_found', 'not_found not_found not_found'],
  takenDown: ['taken_down taken_down taken_down', 'taken_down taken_down taken_down', 'taken_down taken_down taken_down'],
  locked: [
    'password_required edit_token_missing edit_token_missing',
    'edit_token_invalid edit_token_invalid edit_token_invalid',
    'ok ok ok',
  ],
  lockedOpen: [
    'password_required edit_token_missing password_required',
    'edit_token_invalid edit_token_invalid edit_token_invalid',
    'ok ok ok',
  ],
  burning: ['not_found edit_token_missing not_found', 'edit_token_invalid edit_token_invalid edit_token_invalid', 'ok ok ok'],
  burned: ['not_found not_found not_found', 'not_found not_found not_found', 'ok ok ok'],
  readOnly: [
    'ok edit_token_missing edit_token_missing',
    'edit_token_invalid edit_token_invalid edit_token_invalid',
    'ok ok read_only',
  ],
  openEditing: ['ok edit_token_missing ok', 'edit_token_invalid edit_token_invalid edit_token_invalid', 'ok ok ok'],
  readOnlyOpen: [
    'ok edit_token_missing read_only',
    'edit_token_invalid edit_token_invalid edit_token_invalid',
    'ok ok read_only',
  ],
};

describe('the gate', () => {
  it.each(Object.keys(states))('of a notebook that is %s', async state => {
    const { notebook, editToken } = await open.keep(states[state]);
    const ask = async (presented: PresentedCredentials) => {
      const asked = [requireReadable, requireOwner, requireWriter].map(require =>
        codeOf(require(open.parts, notebook.slug, presented)),
      );
      return (await Promise.all(asked)).join(' ');
    };
    expect([await ask({}), await ask({ editToken: wrongToken }), await ask({ editToken })]).toEqual(answers[state]);
  });

  it('is there for no other notebook', async () => {
    await open.keep();
    for (const slug of ['no-such-notebook', 'not a slug', '']) {
      expect(await findWithAccess(open.parts, slug, {})).toBeUndefined();
      for (const require of [requireReadable, requireOwner, requireWriter])
        expect(await codeOf(require(open.parts, slug, {}))).toBe('not_found');
    }
  });

  it('answers with the notebook and the right to it', async () => {
    const { notebook, editToken } = await open.keep({ openEditing: true });
    const { slug, id } = notebook;
    expect(await requireReadable(open.parts, slug, {})).toEqual({ notebook, access: { kind: 'reader' } });
    const owned = await requireOwner(open.parts, slug, { editToken });
    expect([owned.notebook.id, owned.owner.kind, owned.owner.notebookId]).toEqual([id, 'owner', id]);
    expect((await requireWriter(open.parts, slug, { editToken })).writer.kind).toBe('owner');
    const visitor = await requireWriter(open.parts, slug, {});
    expect([visitor.notebook.id, visitor.writer.kind]).toEqual([id, 'visitor']);
  });

  it('knows the unlock cookie and the reader cookie, each for its time', async () => {
    const locked = await open.keep({ passwordHash: 'hash' });
    const unlockCookie = createUnlockCookie(open.parts.secretKey, locked.notebook, noon);
    const burned = await open.keep(states.burned);
    const asks = async () => [
      await codeOf(requireReadable(open.parts, locked.notebook.slug, { unlockCookie })),
      await codeOf(requireReadable(open.parts, burned.notebook.slug, { readerCookie: 'the reader' })),
    ];
    expect(await asks()).toEqual(['ok', 'ok']);
    expect(await codeOf(requireReadable(open.parts, burned.notebook.slug, { readerCookie: 'another' }))).toBe('not_found');
    open.clock.now = noon + day;
    expect(await asks()).toEqual(['password_required', 'not_found']);
  });

  it('of the notebook that a token alone owns', async () => {
    const { notebook, editToken } = await open.keep();
    expect(ownedBy(undefined, editToken, noon)).toBeUndefined();
    expect(ownedBy(notebook, wrongToken, noon)).toBeUndefined();
    expect(ownedBy(notebook, editToken, noon)).toMatchObject({ notebook, owner: { kind: 'owner' } });
    const down = { ...notebook, takenDownAt: noon };
    expect(ownedBy(down, editToken, noon)).toBe('taken-down');
    expect(ownedBy(down, wrongToken, noon)).toBeUndefined();
    expect(ownedBy({ ...notebook, expiresAt: noon - 4 * day }, editToken, noon)).toBeUndefined();
  });
});

describe('a password', () => {
  const client = '203.0.113.7';
  const unlock = (slug: string, password: string, presented: PresentedCredentials = {}, from = client) =>
    unlockNotebook(open.parts, slug, password, presented, { key: from, networks: [from] });
  const lockedWith = async (password: string, over: Partial<Notebook> = {}) =>
    (await open.keep({ passwordHash: await open.parts.passwords.hash(password), ...over })).notebook;

  it('that is right opens for a day; a wrong one does not', async () => {
    const { slug } = await lockedWith('right');
    const unlockCookie = await unlock(slug, 'right');
    expect(await codeOf(requireReadable(open.parts, slug, { unlockCookie }))).toBe('ok');
    expect(await codeOf(unlock(slug, 'wrong'))).toBe('password_wrong');
  });

  it('opens nothing where nothing is locked, and tells of nothing that is hidden', async () => {
    expect(await unlock((await open.keep()).notebook.slug, 'any')).toBeUndefined();
    const { slug } = await lockedWith('right', { visibility: 'private' });
    expect(await codeOf(unlock(slug, 'right'))).toBe('not_found');
    expect(await codeOf(unlock('no-such-notebook', 'right'))).toBe('not_found');
    expect(await codeOf(unlock((await lockedWith('right', { takenDownAt: noon })).slug, 'right'))).toBe('taken_down');
    const burned = await lockedWith('right', states.burned);
    expect(await unlock(burned.slug, 'right', { readerCookie: 'the reader' })).toBeUndefined();
    expect(await codeOf(unlock(burned.slug, 'right'))).toBe('not_found');
  });

  it('may be tried ten times in ten minutes from one address, right or wrong', async () => {
    const { slug, id } = await lockedWith('right');
    for (let tries = 0; tries < 9; tries++)
      expect(await codeOf(unlock(slug, tries === 4 ? 'right' : 'wrong'))).not.toBe('rate_limited');
    expect(await open.parts.store.countRateUses({ name: 'password', key: `${client} ${id}` }, noon)).toBe(9);
    // A right password gives its try at the notebook back, while others try too.
    expect(await open.parts.store.countRateUses({ name: 'notebookPassword', key: id }, noon)).toBe(8);
    expect(await codeOf(unlock(slug, 'wrong'))).toBe('password_wrong');
    expect(await codeOf(unlock(slug, 'right'))).toBe('rate_limited');
    expect(await codeOf(unlock(slug, 'right', {}, '203.0.113.8'))).toBe('ok');
    open.clock.now += 10 * minute;
    expect(await codeOf(unlock(slug, 'right'))).toBe('ok');
  });
});

describe('guesses from many addresses', () => {
  const guess = (notebook: string, client: string, networks: readonly string[] = [client]) =>
    waitForGuess(open.parts, notebook, { key: `${client} ${notebook}`, networks });
  /** The clock of those who wait stands still, or a busy machine would send them away before their turn. */
  let waited: number;
  beforeEach(() => {
    waited = 1_000;
    vi.spyOn(performance, 'now').mockImplementation(() => waited);
  });
  afterEach(() => void vi.restoreAllMocks());
  /** Those who wait have waited for long enough. */
  const hurry = () => {
    waited += 1_000;
  };
  const fill = async (notebook: string) => {
    for (let tries = 0; tries < 10; tries++) await guess(notebook, `${tries}`);
  };
  const tried = (client: string, notebook: string, times: number) =>
    Promise.all(
      Array.from({ length: times }, () =>
        open.parts.store.takeRateSlot(
          { name: 'password', key: `${client} ${notebook}`, max: 10, windowSeconds: 600 },
          open.clock.now,
        ),
      ),
    );

  it('are checked at once, the first ten; one that was right is given back', async () => {
    const uses = (key: string) => open.parts.store.countRateUses({ name: 'notebookPassword', key }, noon);
    const giveBack = await guess('a', 'first');
    expect(await uses('a')).toBe(1);
    await giveBack();
    expect(await uses('a')).toBe(0);
    await fill('a');
    expect(await uses('a')).toBe(10);
    expect(await uses('b')).toBe(0);
  });

  it('then a new address has a turn, the newest first; the others wait and are told to come back', async () => {
    await fill('a');
    const order: string[] = [];
    const ask = (client: string) =>
      guess('a', client).then(
        () => order.push(`${client} goes`),
        error => order.push(`${client} ${error.code} ${error.extras.retryAfterSeconds}`),
      );
    for (const old of ['old', 'older']) await tried(old, 'a', 2);
    await tried('new', 'a', 1);
    for (const name of ['newGuess', 'anotherGuess'])
      await open.parts.store.takeRateSlot({ name, key: 'a', max: 1, windowSeconds: 1 }, noon);
    const asked = vi.spyOn(open.parts.store, 'countRateUses');
    const all = Promise.all([ask('older'), ask('old'), ask('new'), ask('newest')]);
    await expect.poll(() => asked.mock.results.length, { interval: 1 }).toBe(4);
    await Promise.all(asked.mock.results.map(({ value }) => value));
    // All of them wait. The clock goes on by one turn of each limit, and stands still again.
    open.clock.now += 1_000;
    await expect.poll(() => order.length, { interval: 1 }).toBe(2);
    hurry();
    await all;
    expect(order.slice(0, 2)).toEqual(['newest goes', 'old goes']);
    expect(order.slice(2).toSorted()).toEqual(['new rate_limited 1', 'older rate_limited 1']);
  });

  it('give way to the newest where too many wait', async () => {
    await fill('b');
    await open.parts.store.takeRateSlot({ name: 'newGuess', key: 'b', max: 1, windowSeconds: 600 }, noon);
    const answers: number[] = [];
    const all = Array.from({ length: 66 }, (_, at) => guess('b', `c${at}`).catch(() => answers.push(at)));
    await expect.poll(() => answers.length).toBe(2);
    expect(answers).toEqual([0, 1]);
    hurry();
    await Promise.all(all);
    expect(answers).toHaveLength(66);
  });

  it('of one large network have turns behind a reader of another one, and make room for one', async () => {
    await fill('e');
    const order: string[] = [];
    const ask = (client: string, ...networks: string[]) =>
      guess('e', client, networks).then(
        () => order.push(client),
        () => {},
      );
    const asked = vi.spyOn(open.parts.store, 'countRateUses');
    const allWait = async (count: number) => {
      await expect.poll(() => asked.mock.results.length, { interval: 1 }).toBe(count);
      await Promise.all(asked.mock.results.map(({ value }) => value));
    };
    const turn = async () => {
      const before = order.length;
      open.clock.now += 250;
      await expect.poll(() => order.length, { interval: 1 }).toBe(before + 1);
    };
    await open.parts.store.takeRateSlot({ name: 'newGuess', key: 'e', max: 1, windowSeconds: 1 }, open.clock.now);
    open.clock.now += 750;
    const all = [ask('reader', 'w2', 'n2'), ask('neighbor', 'w1', 'n3')];
    await allWait(2);
    // More than may wait: those of the network itself give way.
    for (let at = 0; at < 80; at += 1) all.push(ask(`crowd ${at}`, 'w1', 'n1'));
    await allWait(82);
    await turn();
    expect(order).toEqual(['crowd 79']);
    await turn();
    await turn();
    expect(order).toEqual(['crowd 79', 'reader', 'neighbor']);
    hurry();
    await Promise.all(all);
  });

  it('are all told to come back when the database does not answer, and are counted anew', async () => {
    await fill('c');
    const { takeRateSlot } = open.parts.store;
    const store = {
      ...open.parts.store,
      takeRateSlot: async (slot: { name: string }, now: number) => {
        if (slot.name !== 'notebookPassword') throw new Error('no database');
        return takeRateSlot(slot as never, now);
      },
    };
    const ask = () => codeOf(waitForGuess({ ...open.parts, store }, 'c', { key: 'x c', networks: ['x'] }));
    expect(await Promise.all([ask(), ask()])).toEqual(['rate_limited', 'rate_limited']);
    expect(await codeOf(guess('c', 'new'))).toBe('ok');
  });

  it('give the address its try back when nothing was tried', async () => {
    const { notebook } = await open.keep({ passwordHash: await open.parts.passwords.hash('right') });
    await fill(notebook.id);
    await open.parts.store.takeRateSlot({ name: 'newGuess', key: notebook.id, max: 1, windowSeconds: 600 }, noon);
    const asked = vi.spyOn(open.parts.store, 'countRateUses');
    const answer = codeOf(unlockNotebook(open.parts, notebook.slug, 'right', {}, { key: 'x', networks: ['x'] }));
    await expect.poll(() => asked.mock.calls.length, { interval: 1 }).toBe(1);
    await asked.mock.results[0]!.value;
    setImmediate(hurry);
    expect(await answer).toBe('rate_limited');
    expect(await open.parts.store.countRateUses({ name: 'password', key: `x ${notebook.id}` }, noon)).toBe(0);
  });

  it('are not counted where limits are off', async () => {
    const off = { ...open.parts, rateLimits: 'off' as const };
    for (let tries = 0; tries < 12; tries++) await (await waitForGuess(off, 'd', { key: 'x d', networks: ['x'] }))();
    expect(await open.parts.store.countRateUses({ name: 'notebookPassword', key: 'd' }, noon)).toBe(0);
  });
});

describe('a notebook that opens once', () => {
  it('is opened to exactly one caller, who holds the cookie', async () => {
    const { notebook } = await open.keep(states.burning);
    const answers = await Promise.allSettled(Array.from({ length: 5 }, () => openOnce(open.parts, notebook.slug, {})));
    const cookies = answers.filter(({ status }) => status === 'fulfilled') as PromiseFulfilledResult<string>[];
    expect(cookies).toHaveLength(1);
    const readerCookie = cookies[0]!.value;
    expect(readerCookie).toMatch(/^[\w-]{43}$/);
    expect(await codeOf(requireReadable(open.parts, notebook.slug, { readerCookie }))).toBe('ok');
    expect(answers.map(answer => (answer.status === 'rejected' ? answer.reason.code : 'ok')).toSorted()).toEqual([
      ...['not_found', 'not_found', 'not_found', 'not_found', 'ok'],
    ]);
  });

  it.each([
    ['plain', 'not_found'],
    ['private', 'not_found'],
    ['burned', 'not_found'],
    ['expired', 'not_found'],
    ['takenDown', 'taken_down'],
    ['locked', 'password_required'],
  ])('is none that is %s', async (state, code) => {
    const { notebook, editToken } = await open.keep({
      burnAfterRead: true,
      ...states[state],
      ...(state === 'plain' && { burnAfterRead: false }),
    });
    expect(await codeOf(openOnce(open.parts, notebook.slug, {}))).toBe(code);
    expect(await codeOf(openOnce(open.parts, notebook.slug, { editToken }))).toBe(code);
  });

  it('opens behind its password with the unlock cookie', async () => {
    const { notebook } = await open.keep({ ...states.burning, passwordHash: 'hash' });
    const unlockCookie = createUnlockCookie(open.parts.secretKey, notebook, noon);
    expect(await codeOf(openOnce(open.parts, notebook.slug, { unlockCookie }))).toBe('ok');
  });

  it('burns nothing by its owner’s token, and is lost to a change of password in between', async () => {
    const { notebook } = await open.keep(states.burning);
    const claim = open.parts.store.claimOpening.bind(open.parts.store);
    const store = {
      ...open.parts.store,
      claimOpening: (id: string, reader: string, _: string | null, now: number) => claim(id, reader, 'other', now),
    };
    expect(await codeOf(openOnce({ ...open.parts, store }, notebook.slug, {}))).toBe('not_found');
    expect(await codeOf(openOnce(open.parts, 'no-such-notebook', {}))).toBe('not_found');
    expect(await codeOf(openOnce(open.parts, notebook.slug, {}))).toBe('ok');
  });
});

describe('a limit', () => {
  it('refuses past its bound, with the time to wait', async () => {
    for (let use = 0; use < 20; use++) await requireRateSlot(open.parts, 'comment', 'a');
    await expect(requireRateSlot(open.parts, 'comment', 'a')).rejects.toMatchObject({
      code: 'rate_limited',
      extras: { retryAfterSeconds: 600 },
    });
    await requireRateSlot(open.parts, 'comment', 'b');
    await requireRateSlot({ ...open.parts, rateLimits: 'off' }, 'comment', 'a');
  });

  it('of content counts an address and a notebook', async () => {
    const { notebook } = await open.keep();
    expect(writeSlot(open.parts, 'newPage', notebook, { client: 'a' })).toEqual({
      name: 'newPage',
      key: `a ${notebook.id}`,
      max: 200,
      windowSeconds: 600,
    });
    expect(writeSlot(open.parts, 'contentWrite', notebook, {})).toMatchObject({
      name: 'contentWrite',
      key: `unknown ${notebook.id}`,
    });
    expect(writeSlot({ rateLimits: 'off' }, 'newPage', notebook, {})).toBeUndefined();
  });
});
