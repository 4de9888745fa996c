// A notebook server as plain objects, written from the specification, the HTTP contract and the decision records, not from the program.
// Its numbers are spelled out here once more, so that a wrong one in the program is noticed.

export const minute = 60_000;
export const hour = 60 * minute;
export const day = 24 * hour;
const graceDays = 3;
const freedSlugDays = 90;
const readerCookieMinutes = 10;
const maxSnapshots = 10;
const autosaveSnapshotMinutes = 5;

export type Visibility = 'public' | 'unlisted' | 'private';
export type Paper = 'plain' | 'lined' | 'grid' | 'dotted' | 'kraft';

export interface Snapshot {
  id: string;
  revision: number;
  givenTitle: string;
  markdown: string;
  createdAt: number;
  byOwner: boolean;
}

export interface Page {
  id: string;
  key: string | undefined;
  givenTitle: string;
  markdown: string;
  revision: number;
  updatedAt: number;
  byOwner: boolean;
  snapshots: Snapshot[];
  newestSnapshotAt: number | undefined;
}

export interface Comment {
  id: string;
  author: string;
  body: string;
  pageId: string | null;
  createdAt: number;
}

export interface Image {
  id: string;
  url: string;
  markdown: string;
  bytes: number;
  width: number;
  height: number;
  createdAt: number;
}

export interface Notebook {
  slug: string;
  editToken: string;
  formerTokens: string[];
  /** What a replacement with a key gave: the same request again gives the same. */
  replacement: { from: string; key: string; to: string } | undefined;
  createKey: string | undefined;
  title: string;
  visibility: Visibility;
  expiresAt: number | null;
  password: string | null;
  /** Each password that is set is another one, also when its letters are the same. */
  passwordNumber: number;
  readOnly: boolean;
  burnAfterRead: boolean;
  openedAt: number | null;
  /** Which opening let the reader in; counts from 1. */
  openings: number;
  openEditing: boolean;
  embedding: boolean;
  comments: boolean;
  paper: Paper;
  createdAt: number;
  updatedAt: number;
  pages: Page[];
  /** The ids of all pages there ever were. */
  pageIds: string[];
  snapshotIds: string[];
  remarks: Comment[];
  remarkIds: string[];
  images: Image[];
  imageIds: string[];
  takenDown: boolean;
  deleted: boolean;
  /** Until then a deleted notebook's slug stays taken. */
  slugFreeAt: number;
}

/** A browser's cookies: the value that was given, and what it stands for. */
export interface Cookie {
  jar: Who;
  name: string;
  value: string;
  notebook: number;
  kind: 'unlock' | 'reader';
  until: number;
  /** The password's or the opening's number. */
  number: number;
}

export const jars = ['visitor', 'other'] as const;
export type Jar = (typeof jars)[number];
/** `wrong` sends another notebook's edit token, `former` one that was replaced. */
export type Who = 'owner' | Jar | 'stranger' | 'crawler' | 'wrong' | 'former';

export interface World {
  now: number;
  notebooks: Notebook[];
  /** All that were given; a browser sends the last of each name. */
  cookies: Cookie[];
  /** What an ETag was given for: the answer's body by the model. */
  seen: Record<string, { etag: string; body: string }>;
}

export function emptyWorld(now: number): World {
  return { now, notebooks: [], cookies: [], seen: {} };
}

/** What a request proves itself by, as it was sent: by the time it is answered it may be worth nothing. */
export interface Credentials {
  readonly token?: string | undefined;
  readonly cookies: readonly Pick<Cookie, 'name' | 'value'>[];
}

export function credentialsOf(world: World, who: Who, book: Notebook): Credentials {
  const jar = jars.some(name => name === who) ? world.cookies.filter(each => each.jar === who) : [];
  const cookies = [...new Map(jar.map(({ name, value }) => [name, { name, value }])).values()];
  if (who === 'owner') return { token: book.editToken, cookies };
  if (who === 'former') return { token: book.formerTokens.at(-1) ?? 'A'.repeat(43), cookies };
  const another = world.notebooks.find(other => other !== book && !other.deleted);
  return who === 'wrong' ? { token: another?.editToken ?? 'B'.repeat(43), cookies } : { cookies };
}

export const isExpired = (book: Notebook, now: number): boolean => book.expiresAt !== null && now >= book.expiresAt;
const isPastGrace = (book: Notebook, now: number): boolean => book.expiresAt !== null && now >= book.expiresAt + graceDays * day;
const isBurned = (book: Notebook): boolean => book.burnAfterRead && book.openedAt !== null;

export function lifecycle(book: Notebook, now: number): 'active' | 'expired' | 'burned' {
  if (isExpired(book, now)) return 'expired';
  return isBurned(book) ? 'burned' : 'active';
}

/** Readable by everybody and in search, sitemap and feeds. */
export function isListed(book: Notebook, now: number): boolean {
  const { deleted, takenDown, visibility, password, burnAfterRead } = book;
  return !deleted && !takenDown && visibility === 'public' && password === null && !burnAfterRead && !isExpired(book, now);
}

function holds(world: World, by: Credentials, book: Notebook, kind: Cookie['kind'], number: number): boolean {
  const index = world.notebooks.indexOf(book);
  const isSent = ({ value }: Cookie) => by.cookies.some(each => each.value === value);
  return world.cookies.some(
    each => isSent(each) && each.notebook === index && each.kind === kind && each.number === number && world.now < each.until,
  );
}

/** What a person meets at a notebook. */
export type Meets = 'owner' | 'reader' | 'locked' | 'opens-once' | 'missing' | 'wrong-token' | 'taken-down';

export function meet(world: World, by: Credentials, book: Notebook): Meets {
  const { now } = world;
  if (book.deleted) return 'missing';
  if (by.token === book.editToken && isPastGrace(book, now)) return 'missing';
  if (book.takenDown) return 'taken-down';
  if (by.token === book.editToken) return 'owner';
  if (isExpired(book, now) || book.visibility === 'private') return 'missing';
  if (isBurned(book) && !holds(world, by, book, 'reader', book.openings)) return 'missing';
  if (by.token !== undefined) return 'wrong-token';
  // The reader who opened it knew the password then.
  if (isBurned(book)) return 'reader';
  if (book.password !== null && !holds(world, by, book, 'unlock', book.passwordNumber)) return 'locked';
  return book.burnAfterRead ? 'opens-once' : 'reader';
}

export function firstHeading(markdown: string): string {
  return /^#{1,6} +(.+)$/m.exec(markdown.replaceAll('\r\n', '\n'))?.[1] ?? '';
}

/** A text without a name of its own is called by the page's place. */
export function titleOf(
  book: Notebook,
  page: Page,
  { givenTitle, markdown }: Pick<Page, 'givenTitle' | 'markdown'> = page,
): string {
  return givenTitle || firstHeading(markdown) || `Page ${book.pages.indexOf(page) + 1}`;
}

export const readerCookieUntil = (now: number): number => now + readerCookieMinutes * minute;
export const unlockCookieUntil = (now: number): number => now + day;

/** Keeps the replaced text and lets go of what is past the ten. */
export function keepSnapshot(book: Notebook, page: Page, id: string, now: number, byOwner: boolean): void {
  page.snapshots.unshift({
    id,
    revision: page.revision,
    givenTitle: page.givenTitle,
    markdown: page.markdown,
    createdAt: now,
    byOwner: page.byOwner,
  });
  book.snapshotIds.push(id);
  page.newestSnapshotAt = now;
  while (page.snapshots.length > maxSnapshots) {
    const kept = new Set<Snapshot | undefined>();
    if (!byOwner) {
      kept.add(page.snapshots.find(each => each.byOwner));
      kept.add(page.snapshots.find(each => each.createdAt < now - day) ?? page.snapshots.at(-1));
    }
    page.snapshots.splice(
      page.snapshots.findLastIndex(each => !kept.has(each)),
      1,
    );
  }
}

export function makesSnapshot(page: Page, autosave: boolean, byOwner: boolean, now: number): boolean {
  if (!autosave || (!byOwner && page.byOwner)) return true;
  return page.newestSnapshotAt === undefined || page.newestSnapshotAt < now - autosaveSnapshotMinutes * minute;
}

export function removeNotebook(book: Notebook, now: number): void {
  book.deleted = true;
  book.slugFreeAt = now + freedSlugDays * day;
}

export function slugIsTaken(world: World, slug: string): boolean {
  return world.notebooks.some(book => book.slug === slug && (!book.deleted || world.now < book.slugFreeAt));
}

/** The daily purge. */
export function purge(world: World): void {
  const { now } = world;
  for (const book of world.notebooks.filter(each => !each.deleted)) {
    const isOver = book.expiresAt !== null && now > book.expiresAt + graceDays * day;
    const opened = isBurned(book) ? book.openedAt! : undefined;
    const isNextDay = opened !== undefined && Math.floor(now / day) > Math.floor(opened / day);
    if (isOver || (isNextDay && now > opened + readerCookieMinutes * minute)) removeNotebook(book, now);
  }
}
