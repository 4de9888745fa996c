import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Capture, type EventName, type EventProperties, eventTable, expiryOf, isInTable, pageCountOf } from './events.ts';

/** Turns any type with room for free text or an arbitrary number into `never`. */
type Closed<Value> = string extends Value ? never : number extends Value ? never : Value;
type AllClosed = { [Name in EventName]: { [P in keyof EventProperties<Name>]: Closed<EventProperties<Name>[P]> } };

const example = {
  notebook_created: {
    via: 'api',
    pages: '2-5',
    visibility: 'unlisted',
    expires: 'never',
    password: false,
    burnAfterRead: true,
    openEditing: false,
  },
  notebook_deleted: {},
  page_added: { by: 'owner' },
} as const satisfies { [Name in EventName]: EventProperties<Name> };

describe('what an event can hold', () => {
  it('is nothing but listed words, by type', () => {
    // Does not compile if any property of any event is a plain string or number.
    const closed: AllClosed = example;
    expect(Object.keys(closed)).toEqual(Object.keys(eventTable));
    const capture: Capture = () => {};
    // @ts-expect-error a text is none of the words
    capture('page_added', { by: 'a text of a person' });
    // @ts-expect-error there is no place for a slug
    capture('page_added', { by: 'owner', slug: 'my-notes' });
    // @ts-expect-error there is no place for a count that is not in a bucket
    capture('notebook_created', { ...example.notebook_created, pages: 17 });
    // @ts-expect-error views are no events
    capture('notebook_viewed', {});
    const text: string = 'form';
    // @ts-expect-error a variable text is refused even when it happens to be right
    capture('notebook_created', { ...example.notebook_created, via: text });
  });

  it.each(Object.entries(example))('%s is in the table', (name, properties) => expect(isInTable(name, properties)).toBe(true));

  it.each([
    ['an unknown event', 'notebook_viewed', {}],
    ['a name that every object has', 'constructor', {}],
    ['a text for a word', 'page_added', { by: '# My diary' }],
    ['a property too many', 'page_added', { by: 'owner', slug: 'my-notes' }],
    ['a property that every object has', 'page_added', { toString: 'owner' }],
    ['a property too few', 'page_added', {}],
    ['an object for a word', 'page_added', { by: { text: 'x' } }],
    ['a number for a bucket', 'notebook_created', { ...example.notebook_created, pages: 3 }],
  ])('%s is not, at run time', (_what, name, properties) => expect(isInTable(name, properties)).toBe(false));

  it('consists of short words and booleans', () => {
    const values = Object.values(eventTable).flatMap(event => Object.values(event).flat());
    expect(values.filter(value => typeof value !== 'boolean' && !/^[a-z0-9 -]{1,16}$/.test(value))).toEqual([]);
  });

  it('puts numbers and times into buckets', () => {
    expect([0, 1, 2, 5, 6, 20, 21, 200].map(pageCountOf)).toEqual(['1', '1', '2-5', '2-5', '6-20', '6-20', '21-200', '21-200']);
    const days = (count: number) => expiryOf(count * 86_400_000, 0);
    expect([0.1, 1, 1.1, 7, 8, 31, 32].map(days)).toEqual([
      'within a day',
      'within a day',
      'within a week',
      'within a week',
      'within a month',
      'within a month',
      'later',
    ]);
    expect(expiryOf(null, 0)).toBe('never');
  });
});

it('docs/analytics.md shows the whole table', () => {
  const document = readFileSync(new URL('../../../../docs/analytics.md', import.meta.url), 'utf8');
  const shown = [...document.matchAll(/^\| `(\w+)` \| (?:`(\w+)`|none) \| (.*) \|$/gm)].map(
    ([, event, property, values = '']) => [event, property, [...values.matchAll(/`([^`]+)`/g)].map(match => match[1])],
  );
  const table = Object.entries(eventTable).flatMap(([event, properties]): unknown[][] => {
    const rows = Object.entries(properties).map(([property, values]) => [event, property, values.map(String)]);
    return rows.length > 0 ? rows : [[event, undefined, []]];
  });
  expect(shown).toEqual(table);
});
