import type { CardPainter } from '../images/card-painter.ts';
import type { ImageChecker } from '../images/image-checker.ts';
import type { Renderer } from '../markdown/rendered.ts';
import type { RandomBytes } from '../model/edit-token.ts';
import type { TextTracker } from '../model/text-tracker.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import type { Store } from '../store/store.ts';
import type { Passwords } from './passwords.ts';

/** Everything that operations work with; each names the parts it needs. Time and randomness are parameters, so that tests can set them. */
export interface Parts {
  readonly store: Store;
  /** Undefined: image uploads are off, because no store is configured. */
  readonly objects: ObjectStore | undefined;
  readonly imageChecker: ImageChecker;
  readonly cardPainter: CardPainter;
  readonly renderer: Renderer;
  readonly passwords: Passwords;
  /** Notes which text the event loop works on in the current turn. */
  readonly texts: TextTracker;
  /** The limit for all pages of one notebook together. */
  readonly maxNotebookBytes: number;
  /** Called for a page that was rendered when it was written, so that its view can be prepared. */
  readonly pageRendered?: (slug: string, pageId: string) => void;
  /** Signs unlock cookies; the same in every process. */
  readonly secretKey: string;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
  readonly randomBytes: RandomBytes;
  /** Off only in benchmarks and load tests. */
  readonly rateLimits: 'on' | 'off';
}

/** The parts that one operation needs, including its callees. */
export type Needs<Name extends keyof Parts> = Pick<Parts, Name>;
