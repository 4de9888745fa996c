import { afterAll, beforeAll, describe } from 'vitest';
import { engines } from '../support/engines.ts';
import { storeContract } from './contract/store.contract.ts';
import { type OpenSubject, openSubject } from './open-subject.ts';

describe.each(engines)('the store on $name', engine => {
  let subject: OpenSubject;
  beforeAll(async () => {
    subject = await openSubject(engine);
  });
  afterAll(() => subject.close());
  storeContract(() => subject);
});
