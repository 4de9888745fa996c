import { openStore } from '@octavo/sign-in-store';
import { Sessions } from '../../examples/sessions.ts';

/** The sessions of an example, in a store of their own. */
export const openSessions = async (): Promise<Sessions> => new Sessions(await openStore('sqlite::memory:'));
