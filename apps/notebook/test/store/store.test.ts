import { afterAll, beforeAll, describe } from 'vitest';
import { storeContract } from '../../src/store/store.contract.ts';
import { engines } from '../support/engines.ts';
import { type OpenSubject, openSubject } from './open-subject.ts';

describe.each(engines)('the store on $name', engine => {
  let subject: OpenSubject;
  beforeAll(async () => {
    subject = await openSubject(engine);
  });
  afterAll(() => subject.close());
  storeContract(() => subject);
});
