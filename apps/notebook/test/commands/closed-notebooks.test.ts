import { readFileSync, rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { useCommandLine } from '../support/command-line.ts';

const hour = 3_600_000;
const grace = 72 * hour;

describe('push and pull of a notebook that is not open', () => {
  const line = useCommandLine();
  let slug: string;
  let began: number;
  const address = () => `/api/notebooks/${slug}`;
  const set = (body: object, token = line.token) => line.app.ask('PATCH', address(), { token, body });
  const push = () => line.octavo('push', line.at('one.md'));
  const pull = () => line.octavo('pull', slug, line.at('again'));
  const last = () => line.said.at(-1);
  beforeEach(async () => {
    began = line.app.clock.now;
    line.write('one.md', '# One\n');
    expect(await push()).toBe(0);
    slug = line.slug;
    line.write('one.md', '# One\n\nmore\n');
  });
  afterEach(() => {
    line.app.clock.now = began;
  });

  const closings: Record<string, () => Promise<unknown>> = {
    deleted: async () => line.app.ask('DELETE', address(), { token: line.token }),
    'past its three days of grace': async () => {
      await set({ expiresIn: '1h' });
      line.app.clock.now += hour + grace;
    },
    'private, with another edit token by now': async () => {
      const rotated = await line.app.ask('POST', `${address()}/token`, { token: line.token });
      await set({ visibility: 'private' }, rotated.json().editToken);
    },
  };
  it.each(Object.keys(closings))('%s: both say which it is, and what helps', async name => {
    await closings[name]!();
    for (const command of [push, pull]) {
      expect(await command()).toBe(1);
      expect(last()).toContain(`There is nothing here: http://localhost has no notebook "${slug}" that its edit token opens.`);
      expect(last()).toContain('octavo push --new');
    }
    expect(readFileSync(line.at('one.md'), 'utf8')).toBe('# One\n\nmore\n');
  });

  it.each(Object.keys(closings))('%s: made anew, its files are pushed to the new one from then on', async name => {
    await closings[name]!();
    expect(await line.octavo('push', line.at('one.md'), '--new')).toBe(0);
    const anew = [...line.said.join().matchAll(/\/n\/([a-z0-9]+)/g)].at(-1)![1]!;
    expect(anew).not.toBe(slug);
    line.write('one.md', '# One\n\neven more\n');
    expect(await push()).toBe(0);
    expect((await line.pages(anew)).map(({ markdown }) => markdown)).toEqual(['# One\n\neven more\n']);
  });

  it('made anew while it is open, you have to say which is meant', async () => {
    expect(await line.octavo('push', line.at('one.md'), '--new')).toBe(0);
    expect(await push()).toBe(1);
    expect(last()).toContain('belong to several notebooks');
    expect(await line.octavo('push', line.at('one.md'), '--notebook', slug)).toBe(0);
  });

  it.each([
    ['expired, within its grace', { expiresIn: '1h' }, hour + grace - 1],
    ['burning', { burnAfterRead: true }, 0],
    ['private', { visibility: 'private' }, 0],
    ['locked', { password: 'key' }, 0],
  ])('%s: its owner goes on, and opens nothing', async (_, settings, after) => {
    expect((await set(settings)).statusCode).toBe(200);
    line.app.clock.now += after;
    expect([await push(), await pull()]).toEqual([0, 0]);
    expect((await line.app.ask('GET', address(), { token: line.token })).json()).toMatchObject({
      openedAt: null,
      pages: [{ markdown: '# One\n\nmore\n' }],
    });
  });

  it('read-only: a push says so and changes nothing, a pull goes on', async () => {
    await set({ readOnly: true });
    expect(await push()).toBe(1);
    expect(line.said.join()).toMatch(/one\.md: This notebook is read-only/);
    expect(await pull()).toBe(0);
    expect(readFileSync(line.at('again/one.md'), 'utf8')).toBe('# One\n');
  });

  it.each([{ visibility: 'private' }, { burnAfterRead: true }])(
    'a stranger’s with %o is told as one that is not there',
    async settings => {
      await set(settings);
      rmSync(line.at('.config'), { recursive: true });
      expect(await pull()).toBe(1);
      expect(last()).toContain(`no notebook "${slug}" that opens without its edit token (OCTAVO_EDIT_TOKEN).`);
      expect(last()).not.toContain('--new');
    },
  );
});
