import { visibilities } from '../model/notebook.ts';

const yesNo = [true, false] as const;
const pageCounts = ['1', '2-5', '6-20', '21-200'] as const;
const expiries = ['never', 'within a day', 'within a week', 'within a month', 'later'] as const;

/**
 * Everything that analytics can ever receive: each event with its properties, each property with its few values. Whatever is sent is looked
 * up here, so there is no place for a text, a title, a slug, an edit token or an address (spec 1 §5). Reading is not an event.
 * docs/analytics.md shows this table; a test keeps the two equal.
 */
export const eventTable = {
  notebook_created: {
    via: ['form', 'quick', 'api'],
    pages: pageCounts,
    visibility: visibilities,
    expires: expiries,
    password: yesNo,
    burnAfterRead: yesNo,
    openEditing: yesNo,
  },
  notebook_deleted: {},
  page_added: { by: ['owner', 'visitor'] },
} as const;

export type EventName = keyof typeof eventTable;
type Values<Property> = Property extends readonly (infer Value)[] ? Value : never;
export type EventProperties<Name extends EventName> = {
  readonly [Property in keyof (typeof eventTable)[Name]]: Values<(typeof eventTable)[Name][Property]>;
};

/** Reports an event to analytics. Never waits, never fails. */
export type Capture = <Name extends EventName>(name: Name, properties: EventProperties<Name>) => void;

/** A second check, for values that a cast let through: anything that the table does not list invalidates the whole event. */
export function isInTable(name: string, properties: Readonly<Record<string, unknown>>): boolean {
  if (!Object.hasOwn(eventTable, name)) return false;
  const known: Readonly<Record<string, readonly unknown[]>> = eventTable[name as EventName];
  const names = Object.keys(properties);
  return names.length === Object.keys(known).length && names.every(one => isListed(known, one, properties[one]));
}

function isListed(known: Readonly<Record<string, readonly unknown[]>>, name: string, value: unknown): boolean {
  return Object.hasOwn(known, name) && known[name]!.includes(value);
}

export function pageCountOf(count: number): (typeof pageCounts)[number] {
  if (count <= 1) return '1';
  if (count <= 5) return '2-5';
  return count <= 20 ? '6-20' : '21-200';
}

export function expiryOf(expiresAt: number | null, now: number): (typeof expiries)[number] {
  if (expiresAt === null) return 'never';
  const days = (expiresAt - now) / 86_400_000;
  if (days <= 1) return 'within a day';
  if (days <= 7) return 'within a week';
  return days <= 31 ? 'within a month' : 'later';
}
