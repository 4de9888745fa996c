import * as calls from '../../api/reading-calls.ts';
import { call } from './api-client.ts';

/** Reads what a reader may see, for a visitor under open editing. */
export const getNotebook = (slug: string) => call(calls.readNotebook, [slug]);

export const getOwnNotebook = (editToken: string) => call(calls.readOwnNotebook, [], { editToken });
