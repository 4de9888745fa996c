import type { ApiPage } from '../../api/types.ts';
import { removeKey, writeKey } from '../device/device-storage.ts';
import { randomKey } from '../device/random-key.ts';

/** What the tabs of one browser tell each other about a notebook. */
export type TabMessage =
  /** A save arrived: the page as the server has it now. */
  | { readonly kind: 'saved'; readonly page: ApiPage }
  /** Titles, order, pages or settings: to be read from the server. */
  | { readonly kind: 'changed' }
  /** The edit link was replaced; the new one lies in the list of this browser. */
  | { readonly kind: 'link' }
  | { readonly kind: 'deleted' };

type Presence = { readonly kind: 'hello' | 'here' | 'bye' };

/** Long enough for a busy tab to answer; only where the browser has no locks. */
const rollCallMilliseconds = 400;
/** A tab that was just closed may hold its lock a moment longer. After that time a silent one counts as open: it may be frozen. */
const silentMilliseconds = 5_000;
/** A storage event carries a text twice through local storage; a larger page is read from the server instead. */
const largestStoredChars = 100_000;

interface TabChannelParts {
  readonly onMessage: (message: TabMessage) => void;
  readonly onPresence: () => void;
  /** A tab that `findAlive` counted as open is gone: what it left can be taken up. No other tab takes it up until that is done. */
  readonly onLeft: () => Promise<void>;
}

/** The other tabs with the same notebook: who they are, and what they say. */
export class TabChannel {
  /** Names this tab, also in the keys of its drafts. */
  readonly tab = randomKey(12);
  readonly #slug: string;
  readonly #onMessage: (message: TabMessage) => void;
  readonly #onPresence: () => void;
  readonly #onLeft: () => Promise<void>;
  readonly #others = new Set<string>();
  /** Who waits for a word of a tab. */
  readonly #expecting = new Map<string, () => void>();
  /** Tabs that hold their lock and say nothing. */
  readonly #silent = new Set<string>();
  /** Silent tabs whose lock is free. */
  readonly #gone = new Set<string>();
  readonly #channel: BroadcastChannel | undefined;
  /** Settles when this tab's lock is held: whoever hears of the tab before that would find the lock free and take the tab for gone. */
  readonly #known: Promise<void>;

  constructor(slug: string, parts: TabChannelParts) {
    this.#slug = slug;
    this.#onMessage = parts.onMessage;
    this.#onPresence = parts.onPresence;
    this.#onLeft = parts.onLeft;
    // Held as long as this tab lives, however it ends.
    this.#known = holdLock(lockOf(this.tab));
    this.#channel = openChannel(this.#name);
    if (this.#channel) this.#channel.onmessage = event => this.#hear(event.data);
    else addEventListener('storage', event => event.key === this.#name && this.#hear(parse(event.newValue)));
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

  /** Which of these tabs are open now: drafts of the others were left behind. */
  async findAlive(tabs: ReadonlySet<string>): Promise<Set<string>> {
    if (tabs.size === 0) return new Set();
    const locks = await navigator.locks?.query().catch(() => undefined);
    if (!locks) {
      await new Promise(resolve => setTimeout(resolve, rollCallMilliseconds));
      return new Set(this.#others);
    }
    const held = new Set(locks.held?.map(lock => (lock.name ?? '').replace(lockOf(''), '')));
    const alive = new Set<string>();
    const mayLive = [...tabs].filter(tab => held.has(tab) && !this.#gone.has(tab));
    await Promise.all(mayLive.map(async tab => (await this.#isAlive(tab)) && alive.add(tab)));
    return alive;
  }

  /** Settles when this tab is gone; where the browser has no locks, never. */
  async whenGone(tab: string): Promise<void> {
    if (navigator.locks) await navigator.locks.request(lockOf(tab), { mode: 'shared' }, () => {});
    else await new Promise<never>(() => {});
  }

  /** Its lock is held: by a tab that answers, or by one that is on its way out and lets go of it soon. */
  async #isAlive(tab: string): Promise<boolean> {
    if (this.#others.has(tab)) return true;
    const answered = new Promise<true>(resolve => this.#expecting.set(tab, () => resolve(true)));
    const signal = AbortSignal.timeout(silentMilliseconds);
    const released = navigator.locks.request(lockOf(tab), { mode: 'shared', signal }, () => false).catch(() => true);
    const alive = await Promise.race([answered, released]);
    this.#expecting.delete(tab);
    if (alive && !this.#others.has(tab)) this.#watch(tab);
    return alive;
  }

  /** Waits for the lock of a silent tab, however long the browser takes to let go of it. */
  #watch(tab: string): void {
    if (this.#silent.has(tab)) return;
    this.#silent.add(tab);
    const leave = async () => {
      // It was frozen, and spoke since then.
      if (!this.#silent.delete(tab)) return;
      this.#gone.add(tab);
      await this.#onLeft();
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

  /** An older or newer version of the program may be talking: what is not known is passed over. */
  #hear(letter: unknown): void {
    if (typeof letter !== 'object' || letter === null) return;
    const { from, kind } = letter as { from?: unknown; kind?: unknown };
    if (typeof from !== 'string' || from === this.tab) return;
    if (kind === 'bye') this.#leave(from);
    else this.#meet(from);
    if (kind === 'hello') void this.#known.then(() => this.#post({ kind: 'here' }));
    if (kind === 'saved' || kind === 'changed' || kind === 'link' || kind === 'deleted') this.#onMessage(letter as TabMessage);
  }

  #meet(tab: string): void {
    this.#expecting.get(tab)?.();
    this.#silent.delete(tab);
    if (this.#others.has(tab)) return;
    this.#others.add(tab);
    // Granted the moment that tab is gone, killed ones too.
    void navigator.locks?.request(lockOf(tab), { mode: 'shared' }, () => this.#leave(tab)).catch(() => {});
    this.#onPresence();
  }

  #leave(tab: string): void {
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
