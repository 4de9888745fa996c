import type { ApiPage } from '../../api/types.ts';
import { removeKey, writeKey } from '../device/device-storage.ts';
import { randomKey } from '../device/random-key.ts';

/** Messages between the tabs of one browser about a notebook. */
export type TabMessage =
  /** A page was saved; `page` is the server's version. */
  | { readonly kind: 'saved'; readonly page: ApiPage }
  /** Titles, order, pages or settings changed and must be read from the server. */
  | { readonly kind: 'changed' }
  /** The edit link was replaced; the new one is in this browser's list. */
  | { readonly kind: 'link' }
  | { readonly kind: 'deleted' };

type Presence = { readonly kind: 'hello' | 'here' | 'bye' };

/** Long enough for a busy tab to answer. Used only where the browser has no locks. */
const rollCallMilliseconds = 400;
/** A tab that was just closed may hold its lock a moment longer. After this time a silent tab counts as open: it may be frozen. */
const silentMilliseconds = 5_000;
/** A storage event carries a text twice through local storage; a larger page is read from the server instead. */
const largestStoredChars = 100_000;

interface TabChannelParts {
  readonly onMessage: (message: TabMessage) => void;
  readonly onPresence: () => void;
  /** A tab that `findOpenTabs` counted as open is gone and its drafts can be taken up. No other tab takes them up until this settles. */
  readonly onTabGone: () => Promise<void>;
}

/** The other tabs that have the same notebook open, and the messages between them. */
export class TabChannel {
  /** Names this tab, also in the keys of its drafts. */
  readonly tab = randomKey(12);
  readonly #slug: string;
  readonly #onMessage: (message: TabMessage) => void;
  readonly #onPresence: () => void;
  readonly #onTabGone: () => Promise<void>;
  readonly #others = new Set<string>();
  /** Callbacks that wait for a message from a tab, by tab. */
  readonly #expecting = new Map<string, () => void>();
  /** Tabs that hold their lock but do not answer. */
  readonly #silent = new Set<string>();
  /** Silent tabs whose lock has become free. */
  readonly #gone = new Set<string>();
  readonly #channel: BroadcastChannel | undefined;
  /** Settles when this tab's lock is held. A tab that heard of this one earlier would find the lock free and take it for closed. */
  readonly #known: Promise<void>;

  constructor(slug: string, parts: TabChannelParts) {
    this.#slug = slug;
    this.#onMessage = parts.onMessage;
    this.#onPresence = parts.onPresence;
    this.#onTabGone = parts.onTabGone;
    // The lock is held until this tab ends, however it ends.
    this.#known = holdLock(lockOf(this.tab));
    this.#channel = openChannel(this.#name);
    if (this.#channel) this.#channel.onmessage = event => this.#handleMessage(event.data);
    else addEventListener('storage', event => event.key === this.#name && this.#handleMessage(parse(event.newValue)));
    void this.#known.then(() => this.#post({ kind: 'hello' }));
    addEventListener('pagehide', () => this.#post({ kind: 'bye' }));
    addEventListener('pageshow', event => event.persisted && this.#post({ kind: 'hello' }));
  }

  /** How many other tabs of this browser have this notebook open. */
  get others(): number {
    return this.#others.size;
  }

  send(message: TabMessage): void {
    this.#post(message);
  }

  /** Returns those of the tabs that are open now. The drafts of the others were left behind. */
  async findOpenTabs(tabs: ReadonlySet<string>): Promise<Set<string>> {
    if (tabs.size === 0) return new Set();
    const locks = await navigator.locks?.query().catch(() => undefined);
    if (!locks) {
      await new Promise(resolve => setTimeout(resolve, rollCallMilliseconds));
      return new Set(this.#others);
    }
    const held = new Set(locks.held?.map(lock => (lock.name ?? '').replace(lockOf(''), '')));
    const alive = new Set<string>();
    const candidates = [...tabs].filter(tab => held.has(tab) && !this.#gone.has(tab));
    await Promise.all(candidates.map(async tab => (await this.#isOpen(tab)) && alive.add(tab)));
    return alive;
  }

  /** Settles when the given tab is gone; never where the browser has no locks. */
  async whenClosed(tab: string): Promise<void> {
    if (navigator.locks) await navigator.locks.request(lockOf(tab), { mode: 'shared' }, () => {});
    else await new Promise<never>(() => {});
  }

  /** Tells an open tab, which answers or stays silent, from one that is closing and soon releases its lock. */
  async #isOpen(tab: string): Promise<boolean> {
    if (this.#others.has(tab)) return true;
    const answered = new Promise<true>(resolve => this.#expecting.set(tab, () => resolve(true)));
    const signal = AbortSignal.timeout(silentMilliseconds);
    const released = navigator.locks.request(lockOf(tab), { mode: 'shared', signal }, () => false).catch(() => true);
    const alive = await Promise.race([answered, released]);
    this.#expecting.delete(tab);
    if (alive && !this.#others.has(tab)) this.#watch(tab);
    return alive;
  }

  /** Waits for the lock of a silent tab, however long the browser takes to release it. */
  #watch(tab: string): void {
    if (this.#silent.has(tab)) return;
    this.#silent.add(tab);
    const leave = async () => {
      // The tab was only frozen and has answered since.
      if (!this.#silent.delete(tab)) return;
      this.#gone.add(tab);
      await this.#onTabGone();
    };
    void navigator.locks.request(lockOf(tab), leave).catch(() => {});
  }

  get #name(): string {
    return `octavo.tabs.${this.#slug}`;
  }

  #post(message: TabMessage | Presence): void {
    const letter = { from: this.tab, ...message };
    if (this.#channel) {
      this.#channel.postMessage(letter);
      return;
    }
    const text = JSON.stringify(letter);
    const sent = text.length > largestStoredChars ? JSON.stringify({ from: this.tab, kind: 'changed' }) : text;
    if (writeKey(this.#name, sent)) removeKey(this.#name);
  }

  /** Ignores unknown messages: the other tab may run an older or newer version. */
  #handleMessage(letter: unknown): void {
    if (typeof letter !== 'object' || letter === null) return;
    const { from, kind } = letter as { from?: unknown; kind?: unknown };
    if (typeof from !== 'string' || from === this.tab) return;
    if (kind === 'bye') this.#removeTab(from);
    else this.#addTab(from);
    if (kind === 'hello') void this.#known.then(() => this.#post({ kind: 'here' }));
    if (kind === 'saved' || kind === 'changed' || kind === 'link' || kind === 'deleted') this.#onMessage(letter as TabMessage);
  }

  #addTab(tab: string): void {
    this.#expecting.get(tab)?.();
    this.#silent.delete(tab);
    if (this.#others.has(tab)) return;
    this.#others.add(tab);
    // The lock is granted the moment that tab is gone, even if it was killed.
    void navigator.locks?.request(lockOf(tab), { mode: 'shared' }, () => this.#removeTab(tab)).catch(() => {});
    this.#onPresence();
  }

  #removeTab(tab: string): void {
    if (this.#others.delete(tab)) this.#onPresence();
  }
}

/** Resolves once the lock is held, or cannot be. */
function holdLock(name: string): Promise<void> {
  const { locks } = navigator;
  if (!locks) return Promise.resolve();
  return new Promise(resolve => {
    const hold = () => {
      resolve();
      return new Promise<never>(() => {});
    };
    locks.request(name, hold).catch(() => resolve());
  });
}

const lockOf = (tab: string) => `octavo.tab.${tab}`;

function openChannel(name: string): BroadcastChannel | undefined {
  try {
    return new BroadcastChannel(name);
  } catch {
    return undefined;
  }
}

function parse(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return undefined;
  }
}
