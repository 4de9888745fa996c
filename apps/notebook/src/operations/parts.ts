import type { CardPainter } from '../images/card-painter.ts';
import type { ImageChecker } from '../images/image-checker.ts';
import type { Renderer } from '../markdown/rendered.ts';
import type { RandomBytes } from '../model/edit-token.ts';
import type { TextsAtWork } from '../model/texts-at-work.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import type { Store } from '../store/store.ts';
import type { Passwords } from './passwords.ts';

/** All that operations work with; each says what it needs of it. Time and chance are parameters, so that tests can choose them. */
export interface Parts {
  readonly store: Store;
  /** Undefined: image upload is off, because it is not configured. */
  readonly objects: ObjectStore | undefined;
  readonly imageChecker: ImageChecker;
  readonly cardPainter: CardPainter;
  readonly renderer: Renderer;
  readonly passwords: Passwords;
  /** Told whose text the event loop works on, in the same turn. */
  readonly texts: TextsAtWork;
  /** What the pages of one notebook may hold together. */
  readonly maxNotebookBytes: number;
  /** Told of a page that was rendered when it was written: what its readers get can be made ready. */
  readonly pageRendered?: (slug: string, pageId: string) => void;
  /** Signs unlock cookies; the same in every process. */
  readonly secretKey: string;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
  readonly randomBytes: RandomBytes;
  /** Off in benches and load tests only. */
  readonly rateLimits: 'on' | 'off';
}

/** What one operation needs, its callees included. */
export type Needs<Name extends keyof Parts> = Pick<Parts, Name>;
