import { expect, it } from 'vitest';
import { BookTags } from './book-tags.ts';

it('a whole book is known by its tag from then on', () => {
  const tags = new BookTags();
  const first = tags.tagOf(['n', 1]);
  expect(first.isWhole).toBe(false);
  first.note(true);
  expect(tags.tagOf(['n', 1])).toMatchObject({ etag: first.etag, isWhole: true });
  expect(tags.tagOf(['n', 2])).toMatchObject({ isWhole: false });
  expect(tags.tagOf(['n', 2]).etag).not.toBe(first.etag);
});

it('the tag of one that lacked something is never used again, whichever ends first', () => {
  const tags = new BookTags();
  const [one, other] = [tags.tagOf(['n']), tags.tagOf(['n'])];
  expect(one.etag).toBe(other.etag);
  one.note(false);
  other.note(true);
  const next = tags.tagOf(['n']);
  expect(next.isWhole).toBe(false);
  expect(next.etag).not.toBe(one.etag);
  next.note(true);
  expect(tags.tagOf(['n'])).toMatchObject({ etag: next.etag, isWhole: true });
});

it('another process knows nothing of it', () => {
  expect(new BookTags().tagOf(['n']).etag).not.toBe(new BookTags().tagOf(['n']).etag);
});
