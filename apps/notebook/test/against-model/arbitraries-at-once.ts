import fc from 'fast-check';
import { anyCall } from './arbitraries.ts';
import type { Call, Settings } from './calls.ts';
import { day, hour, type Who } from './world.ts';

/** Calls that may come between one another, as fast-check makes them up. */

const at = (who: Who) => ({ who, book: 0 });
const save = (who: Who, text: string, more: Partial<Call> = {}): Call =>
  ({ kind: 'save', ...at(who), page: 0, text, autosave: false, match: 'none', ...more }) as Call;
const set = (change: Settings): Call => ({ kind: 'settings', ...at('owner'), change });
const view = (who: Who, door: 'view' | 'page' | 'print' | 'markdown'): Call => ({
  kind: 'view',
  ...at(who),
  door,
  page: 0,
  head: false,
  again: false,
});
const read = (who: Who): Call => ({ kind: 'read', ...at(who), again: false, markdown: false });

const writes: Call[] = [
  save('visitor', '# elm§ of a visitor'),
  save('visitor', 'ash§ of a visitor', { match: 'current' }),
  { kind: 'add-page', ...at('visitor'), text: 'fir§ of a visitor' },
  { kind: 'add-page', ...at('visitor'), text: 'fir§ of a visitor', key: 1 },
  { kind: 'add-comment', ...at('visitor'), text: 'moss§', page: 0 },
  { kind: 'add-comment', ...at('visitor'), text: 'moss§' },
  { kind: 'add-image', ...at('visitor'), good: true },
];
const ownWrites: Call[] = [
  save('owner', '# root§ of the owner'),
  save('owner', '# oak§ of the owner', { match: 'current' }),
  save('owner', '# oak§ of the owner', { match: 'current', autosave: true }),
  { kind: 'add-page', ...at('owner'), text: 'yew§', after: 0 },
  { kind: 'add-page', ...at('owner'), text: 'yew§', key: 1 },
  { kind: 'restore', ...at('owner'), page: 0, nth: 0, byPage: true },
  { kind: 'order', ...at('owner'), order: 'reverse' },
  { kind: 'delete-page', ...at('owner'), page: 0, match: 'none' },
  { kind: 'delete-page', ...at('owner'), page: 1, match: 'current' },
  { kind: 'delete-comment', ...at('owner'), nth: 0 },
  { kind: 'add-image', ...at('owner'), good: true },
  { kind: 'delete-image', ...at('owner'), nth: 0 },
];
const closings: Call[] = [
  set({ openEditing: false }),
  set({ visibility: 'private' }),
  set({ visibility: 'unlisted' }),
  set({ visibility: 'public' }),
  set({ password: 'other key' }),
  set({ password: null }),
  set({ readOnly: true }),
  set({ burnAfterRead: true }),
  set({ burnAfterRead: false }),
  set({ comments: false }),
  set({ expires: null }),
  set({ expiresIn: '1h', title: 'ivy§' }),
  set({ title: '' }),
  { kind: 'delete', ...at('owner') },
  { kind: 'replace-link', ...at('owner') },
  { kind: 'replace-link', ...at('owner'), key: 1 },
  { kind: 'take-down', book: 0 },
  { kind: 'purge' },
  { kind: 'tick', by: hour },
  { kind: 'tick', by: 3 * day },
  { kind: 'tick', by: 1 },
];
const visits: Call[] = [
  { kind: 'open', ...at('visitor') },
  { kind: 'open', ...at('other') },
  { kind: 'open', ...at('stranger') },
  { kind: 'unlock', ...at('visitor'), password: 'key' },
  { kind: 'unlock', ...at('other'), password: 'other key' },
  view('visitor', 'view'),
  view('visitor', 'print'),
  view('visitor', 'markdown'),
  view('stranger', 'page'),
  read('visitor'),
  read('owner'),
  { kind: 'read-page', ...at('visitor'), page: 0, again: false },
  { kind: 'comments', ...at('visitor') },
  { kind: 'snapshots', ...at('owner'), page: 0 },
  { kind: 'search', word: 'elm§' },
  { kind: 'report', ...at('visitor'), reason: 'spam' },
];

/** Closed for a moment only, or changed twice: a call at once may see both, one, or none of it. */
const briefly: Call[][] = [
  [
    { kind: 'take-down', book: 0 },
    { kind: 'put-back', book: 0 },
  ],
  [set({ password: 'other key' }), set({ password: null })],
  [set({ visibility: 'private' }), set({ visibility: 'unlisted' })],
  [set({ visibility: 'private', openEditing: false }), save('owner', '# secret§')],
  [set({ openEditing: false }), set({ openEditing: true })],
  [set({ burnAfterRead: true }), set({ burnAfterRead: false })],
  [set({ readOnly: true }), set({ readOnly: false })],
  [set({ comments: false }), set({ comments: true })],
  [set({ title: 'ivy§' }), save('owner', '# secret§')],
  [save('owner', '# secret§'), set({ title: 'ivy§' })],
  [
    { kind: 'replace-link', ...at('owner'), key: 1 },
    { kind: 'replace-link', ...at('owner'), key: 1 },
  ],
  [{ kind: 'delete', ...at('owner') }, again()],
];
/** The request that created the notebook, once more. */
function again(): Call {
  return { kind: 'create', settings: {}, texts: ['# elm§', 'bay§'], key: 0 };
}
/** What may come twice at once, as the same request. */
const repeated: Call[] = [
  again(),
  { kind: 'add-page', ...at('visitor'), text: 'fir§ of a visitor', key: 1 },
  { kind: 'add-page', ...at('owner'), text: 'yew§', after: 0, key: 1 },
  { kind: 'replace-link', ...at('owner'), key: 1 },
  { kind: 'replace-link', ...at('owner') },
  { kind: 'open', ...at('visitor') },
  { kind: 'unlock', ...at('visitor'), password: 'key' },
  save('owner', '# oak§ of the owner', { match: 'current' }),
  save('visitor', 'ash§ of a visitor', { match: 'current' }),
  { kind: 'restore', ...at('owner'), page: 0, nth: 0, byPage: false },
  { kind: 'delete-page', ...at('owner'), page: 1, match: 'current' },
  { kind: 'delete-comment', ...at('owner'), nth: 0 },
  { kind: 'delete-image', ...at('owner'), nth: 0 },
  { kind: 'add-image', ...at('visitor'), good: true },
  { kind: 'delete', ...at('owner') },
];

const one = <Item>(calls: readonly Item[]) => fc.constantFrom(...calls);
const any = anyCall(['until', 'take-down', 'put-back', 'quick', 'check-slug']);
const closing = one(closings);
const mixed = fc.oneof(one(writes), one(ownWrites), closing, one(visits), any);

/** The owner closes the notebook, and then writes what nobody else is to read. */
const secrets = fc
  .tuple(
    fc.constantFrom<Settings>(
      { visibility: 'private' },
      { password: 'other key' },
      { burnAfterRead: true },
      { openEditing: false },
    ),
    one(ownWrites),
  )
  .map(([change, write]): Call[] => [set(change), write, save('owner', '# secret§')]);
const twice = (call: Call, others: Call[][]): Call[][] => [[call], [call], ...others];
const alone = (calls: fc.Arbitrary<Call>): fc.Arbitrary<Call[]> => calls.map(call => [call]);

/**
 * A visitor's save that was allowed when it came, and is written after the owner closed the notebook and saved, too. Chance seldom brings
 * this, so it is tried in every run: how the notebook was, who does what, and which call goes on next.
 */
export const overtaken = closedWhileSaving().flatMap(([change, settings]) =>
  // What it does first is to find the notebook, and perhaps something else.
  [1, 2].map((first): [Prepared, Call[][], number[]] => [
    { settings: { visibility: 'unlisted', ...settings }, openEditing: true, isUnlocked: true, isOpened: false },
    [[save('visitor', '# elm§ of a visitor')], [set(change), save('owner', '# secret§')]],
    [0, ...Array<number>(first - 1).fill(-1), 0, ...Array<number>(20).fill(-1)],
  ]),
);

function closedWhileSaving(): [change: Settings, before: Partial<Prepared['settings']>][] {
  return [
    [{ openEditing: false }, {}],
    [{ visibility: 'private' }, {}],
    [{ password: 'other key' }, {}],
    [{ password: 'other key' }, { password: 'key' }],
    [{ burnAfterRead: true }, {}],
  ];
}

/** What several clients do at once. */
export const clientsAtOnce: fc.Arbitrary<Call[][]> = fc
  .oneof(
    { weight: 3, arbitrary: fc.tuple(alone(closing), alone(one(writes))) },
    { weight: 2, arbitrary: fc.tuple(alone(closing), alone(one(ownWrites))) },
    { weight: 2, arbitrary: fc.tuple(alone(closing), alone(one(visits))) },
    { weight: 2, arbitrary: fc.tuple(alone(closing), alone(closing)) },
    { weight: 2, arbitrary: fc.tuple(alone(one(ownWrites)), alone(one(ownWrites))) },
    { weight: 1, arbitrary: fc.tuple(alone(one(visits)), alone(one(visits))) },
    { weight: 4, arbitrary: fc.tuple(alone(closing), alone(mixed), alone(mixed)) },
    { weight: 2, arbitrary: fc.tuple(alone(mixed), alone(mixed), alone(mixed)) },
    { weight: 4, arbitrary: fc.tuple(secrets, alone(one(visits))) },
    { weight: 2, arbitrary: fc.tuple(secrets, alone(one(writes))) },
    { weight: 4, arbitrary: fc.tuple(one(briefly), alone(mixed)) },
    { weight: 3, arbitrary: fc.tuple(one(briefly), alone(mixed), alone(mixed)) },
    {
      weight: 4,
      arbitrary: fc.tuple(one(repeated), fc.array(alone(closing), { maxLength: 2 })).map(([call, others]) => twice(call, others)),
    },
    { weight: 2, arbitrary: fc.tuple(alone(mixed), alone(mixed), alone(mixed), alone(closing)) },
  )
  .map(clients => {
    // The clock moves once: a tick is told by what the time was before.
    let isMoved = false;
    const isKept = ({ kind }: Call) => {
      if (kind !== 'tick') return true;
      const isFirst = !isMoved;
      isMoved = true;
      return isFirst;
    };
    return clients.map(calls => calls.filter(isKept));
  });

/** What the notebook is when they come: two pages, an older text, and most of what lets others in. */
export const prepared = fc.record({
  settings: fc.record(
    {
      visibility: fc.constantFrom('public' as const, 'unlisted' as const),
      expires: fc.constantFrom(1, hour, day),
      password: fc.constant('key'),
      burnAfterRead: fc.boolean(),
    },
    { requiredKeys: ['visibility'] },
  ),
  openEditing: fc.boolean(),
  isUnlocked: fc.boolean(),
  isOpened: fc.boolean(),
});
export type Prepared = typeof prepared extends fc.Arbitrary<infer Value> ? Value : never;

/** The calls that bring it there. */
export function prepare({ settings, openEditing, isUnlocked, isOpened }: Prepared): Call[] {
  const jars = ['visitor', 'other'] as const;
  return [
    { kind: 'create', settings: { ...settings, openEditing }, texts: ['# elm§', 'bay§'], key: 0 },
    save('owner', '# elm§\n\nroot§'),
    { kind: 'add-comment', ...at('owner'), text: 'fern§', page: 0 },
    { kind: 'add-image', ...at('owner'), good: true },
    ...(isUnlocked ? jars.map((who): Call => ({ kind: 'unlock', ...at(who), password: 'key' })) : []),
    ...(isOpened ? [{ kind: 'open', ...at('visitor') } as Call] : []),
    { kind: 'snapshots', ...at('owner'), page: 0 },
  ];
}
