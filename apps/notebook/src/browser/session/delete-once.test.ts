import { describe, expect, it, vi } from 'vitest';
import { ApiProblem, NoConnection } from '../api/api-client.ts';
import { Deletion } from './delete-once.ts';

const refused = (status: number, code: string) => async () => {
  throw new ApiProblem(new Response(null, { status }), { code, title: `${code}.` });
};
const unanswered = async () => {
  throw new NoConnection('lost');
};

describe('the deletion of a notebook', () => {
  it('is done when the server says so, also at a second try', async () => {
    const deletion = new Deletion();
    await expect(deletion.send(unanswered, vi.fn())).rejects.toThrow('cannot be reached');
    await deletion.send(async () => ({ deleted: true }), vi.fn());
  });

  it('is not known to have happened when a 404 follows a try without an answer', async () => {
    const deletion = new Deletion();
    const onGone = vi.fn();
    await expect(deletion.send(unanswered, onGone)).rejects.toThrow('cannot be reached');
    expect(onGone).not.toHaveBeenCalled();
    await expect(deletion.send(refused(404, 'not_found'), onGone)).rejects.toThrow('We don’t know');
    expect(onGone).toHaveBeenCalledOnce();
  });

  it('did not happen when the link is another notebook’s or another person replaced it', async () => {
    const deletion = new Deletion();
    const onGone = vi.fn();
    await expect(deletion.send(unanswered, onGone)).rejects.toThrow();
    await expect(deletion.send(refused(403, 'edit_token_invalid'), onGone)).rejects.toThrow('edit_token_invalid.');
    expect(onGone).toHaveBeenCalledOnce();
  });

  it('a 404 of something on the way says nothing about the notebook', async () => {
    const onGone = vi.fn();
    await expect(new Deletion().send(refused(404, 'unknown'), onGone)).rejects.toThrow();
    expect(onGone).not.toHaveBeenCalled();
  });
});
