import fc from 'fast-check';
import type { At, Call, Door, Match, Settings } from './calls.ts';
import { day, hour, minute, type Who } from './world.ts';

/** Calls as fast-check makes them up. */

const texts = [
  '',
  '# elm§\n\nroot§ of it',
  'ash§ alone',
  'oak§ `code` and\r\nfir§',
  '## yew§\n\n- [ ] bay§',
  '日本 elm§ 東京',
  '# fig§',
];
const text = fc.constantFrom(...texts);
const words = ['elm§', 'root§', 'ash§', 'oak§', 'fir§', 'bay§', 'fig§'];
const number = fc.nat({ max: 7 });
const often = <Item>(item: Item, weight: number) => ({ arbitrary: fc.constant(item), weight });

const who: fc.Arbitrary<Who> = fc.oneof(
  often<Who>('owner', 10),
  often<Who>('visitor', 6),
  often<Who>('other', 2),
  often<Who>('stranger', 2),
  often<Who>('crawler', 1),
  often<Who>('wrong', 1),
  often<Who>('former', 1),
);
const reader: fc.Arbitrary<Who> = fc.oneof(often<Who>('visitor', 4), often<Who>('other', 2), often<Who>('stranger', 1));
const keeper: fc.Arbitrary<Who> = fc.oneof(
  often<Who>('owner', 12),
  ...(['visitor', 'wrong', 'former'] as const).map(it => often<Who>(it, 1)),
);
/** Mostly the first: what happens to one notebook is what matters. */
const book = fc.oneof(often(0, 6), often(1, 2), { arbitrary: number, weight: 1 });
const page = fc.oneof(often(0, 4), often(1, 2), { arbitrary: number, weight: 1 });
const by = (whose: fc.Arbitrary<Who>): { [Name in keyof At]: fc.Arbitrary<At[Name]> } => ({ who: whose, book });
const match: fc.Arbitrary<Match> = fc.oneof(
  often<Match>('none', 4),
  often<Match>('current', 4),
  often<Match>('stale', 2),
  often<Match>('star', 1),
  often<Match>('nonsense', 1),
);
const password = fc.constantFrom('key', 'other key');

const settings: fc.Arbitrary<Settings> = fc.record(
  {
    title: fc.constantFrom('Plain title', 'ivy§ title', ''),
    visibility: fc.constantFrom('public', 'unlisted', 'private'),
    expires: fc.option(fc.constantFrom(1, minute, hour, day, 40 * day, -1, 0)),
    password: fc.option(password),
    readOnly: fc.boolean(),
    burnAfterRead: fc.boolean(),
    openEditing: fc.boolean(),
    embedding: fc.boolean(),
    comments: fc.boolean(),
    paper: fc.constantFrom('plain', 'kraft'),
  },
  { requiredKeys: [] },
);
/** One thing at a time reaches more states than all of them at once. */
const change = fc.oneof(
  { arbitrary: settings, weight: 1 },
  {
    arbitrary: fc.constantFrom<Settings>(
      { visibility: 'public' },
      { visibility: 'public', password: null, burnAfterRead: false, expires: null, readOnly: false },
      { visibility: 'unlisted' },
      { visibility: 'private' },
      { openEditing: true },
      { openEditing: false },
      { password: 'key' },
      { password: 'other key' },
      { password: null },
      { burnAfterRead: true },
      { burnAfterRead: false },
      { readOnly: true },
      { readOnly: false },
      { expiresIn: '1h' },
      { expires: hour },
      { expires: null },
      { comments: false },
      { comments: true },
      { embedding: true },
    ),
    weight: 4,
  },
);

const optional = <Value>(value: fc.Arbitrary<Value>, freq = 2) => fc.option(value, { nil: undefined, freq });
const slug = fc.oneof(often<number>(0, 2), often<number>(1, 1), often('reserved' as const, 1), often('invalid' as const, 1));
const doors: Door[] = ['view', 'view', 'page', 'page', 'print', 'markdown', 'epub', 'embed', 'edit', 'feed', 'slides'];

export const create = fc.record({
  kind: fc.constant('create' as const),
  settings,
  texts: fc.array(text, { maxLength: 3 }),
  slug: optional(slug),
  key: optional(fc.nat({ max: 1 }), 5),
});

const kinds: readonly [weight: number, call: fc.Arbitrary<object>][] = [
  [3, create],
  [1, fc.record({ kind: fc.constant('quick'), text, as: fc.constantFrom('json', 'markdown', 'curl') })],
  [1, fc.record({ kind: fc.constant('check-slug'), slug })],
  [6, fc.record({ kind: fc.constant('read'), ...by(who), again: fc.boolean(), markdown: fc.boolean() })],
  [1, fc.record({ kind: fc.constant('read-own'), ...by(who) })],
  [3, fc.record({ kind: fc.constant('read-page'), ...by(who), page, again: fc.boolean() })],
  [12, fc.record({ kind: fc.constant('settings'), ...by(keeper), change })],
  [2, fc.record({ kind: fc.constant('order'), ...by(keeper), order: fc.constantFrom('reverse', 'turn', 'short', 'double') })],
  [1, fc.record({ kind: fc.constant('delete'), ...by(keeper) })],
  [2, fc.record({ kind: fc.constant('replace-link'), ...by(keeper), key: optional(fc.nat({ max: 1 })) })],
  [4, fc.record({ kind: fc.constant('unlock'), ...by(reader), password })],
  [4, fc.record({ kind: fc.constant('open'), ...by(reader) })],
  [
    4,
    fc.record({
      kind: fc.constant('add-page'),
      ...by(who),
      text: optional(text),
      title: optional(fc.constantFrom('', 'oaken§ page')),
      after: optional(number),
      key: optional(fc.nat({ max: 1 })),
    }),
  ],
  [
    14,
    fc.record({
      kind: fc.constant('save'),
      ...by(who),
      page,
      text: optional(text, 8),
      title: optional(fc.constantFrom('', 'reed§ page')),
      autosave: fc.boolean(),
      match,
    }),
  ],
  [3, fc.record({ kind: fc.constant('delete-page'), ...by(keeper), page, match })],
  [4, fc.record({ kind: fc.constant('snapshots'), ...by(keeper), page })],
  [2, fc.record({ kind: fc.constant('snapshot'), ...by(keeper), page, nth: number, byPage: fc.boolean() })],
  [4, fc.record({ kind: fc.constant('restore'), ...by(keeper), page, nth: number, byPage: fc.boolean() })],
  [2, fc.record({ kind: fc.constant('add-image'), ...by(who), good: fc.constantFrom(true, true, true, false) })],
  [1, fc.record({ kind: fc.constant('images'), ...by(keeper) })],
  [1, fc.record({ kind: fc.constant('delete-image'), ...by(keeper), nth: number })],
  [2, fc.record({ kind: fc.constant('comments'), ...by(who) })],
  [
    3,
    fc.record({
      kind: fc.constant('add-comment'),
      ...by(who),
      text: fc.constantFrom('moss§ said', 'fern§'),
      author: optional(fc.constant('lily§')),
      page: optional(page),
    }),
  ],
  [1, fc.record({ kind: fc.constant('delete-comment'), ...by(keeper), nth: number })],
  [1, fc.record({ kind: fc.constant('report'), ...by(who), reason: fc.constantFrom('spam', 'other') })],
  [
    10,
    fc.record({
      kind: fc.constant('view'),
      ...by(who),
      door: fc.constantFrom(...doors),
      page,
      head: fc.boolean(),
      again: fc.boolean(),
    }),
  ],
  [2, fc.record({ kind: fc.constant('find'), ...by(who), word: fc.constantFrom(...words) })],
  [3, fc.record({ kind: fc.constant('search'), word: fc.constantFrom(...words) })],
  [
    1,
    fc.record({ kind: fc.constant('list'), door: fc.constantFrom('/sitemap.xml', '/feed.atom', '/llms.txt', '/llms-full.txt') }),
  ],
  [2, fc.record({ kind: fc.constant('by-token'), book, which: fc.constantFrom('current', 'former'), print: fc.boolean() })],
  [
    5,
    fc.record({
      kind: fc.constant('tick'),
      by: fc.constantFrom(1, minute, 5 * minute, 5 * minute + 1, 10 * minute, hour, day, 3 * day),
    }),
  ],
  [
    4,
    fc.record({
      kind: fc.constant('until'),
      book,
      instant: fc.constantFrom('expiry', 'expiry', 'end of grace'),
      offset: fc.constantFrom(-1, 0, 1),
    }),
  ],
  [2, fc.constant({ kind: 'purge' })],
  [1, fc.record({ kind: fc.constantFrom('take-down', 'put-back', 'put-back'), book })],
];

/** Any call but those of `without`. */
export function anyCall(without: readonly Call['kind'][] = []): fc.Arbitrary<Call> {
  const isOf = (arbitrary: fc.Arbitrary<object>): boolean =>
    fc.sample(arbitrary, 8).some(call => without.includes((call as Call).kind));
  const left = kinds.filter(([, arbitrary]) => !isOf(arbitrary));
  return fc.oneof(...left.map(([weight, arbitrary]) => ({ weight, arbitrary: arbitrary as fc.Arbitrary<Call> })));
}

/** A writer saves one page again and again: past the ten texts that are kept. */
export const manySaves: fc.Arbitrary<Call[]> = fc
  .record({
    who: fc.constantFrom<Who>('owner', 'visitor'),
    autosave: fc.boolean(),
    times: fc.integer({ min: 3, max: 9 }),
    by: fc.constantFrom(1, minute, hour, day),
  })
  .map(({ who: whose, autosave, times, by: step }) =>
    Array.from({ length: times }, (_, at): Call[] => [
      { kind: 'save', who: whose, book: 0, page: 0, text: `text ${at}`, autosave, match: 'none' },
      { kind: 'tick', by: step },
    ])
      .flat()
      .concat([{ kind: 'snapshots', who: 'owner', book: 0, page: 0 }]),
  );
