import * as calls from '../../api/first-calls.ts';
import { urls } from '../../urls.ts';
import { call } from '../api/api-client.ts';

/** @param keepAs `code` keeps the lines as they are */
export const quickCreate = (markdown: string, keepAs: 'markdown' | 'code', idempotencyKey: string) =>
  call({ ...calls.createFromText, path: urls.api.quickAs }, [keepAs], { body: { markdown }, idempotencyKey });
