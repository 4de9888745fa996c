import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { useCommandLine } from '../support/command-line.ts';

describe('each page has a file of its own', () => {
  const line = useCommandLine();

  it('also where a page came before one that is called the same', async () => {
    const made = await line.app.create({ pages: [{ title: 'Plan', markdown: 'older\n' }] });
    const folder = line.at('notes');
    expect(await line.octavo('pull', made.slug, folder)).toBe(0);
    const { slug, editToken: token } = made;
    const added = await line.app.ask('POST', `/api/notebooks/${slug}/pages`, {
      token,
      body: { title: 'Plan', markdown: 'newer\n' },
    });
    const order = [added.json().id, made.pages[0]!.id];
    await line.app.ask('PATCH', `/api/notebooks/${slug}`, { token, body: { pageOrder: order } });
    expect((await line.pages(slug)).map(({ markdown }) => markdown)).toEqual(['newer\n', 'older\n']);
    expect(await line.octavo('pull', slug, folder)).toBe(0);
    const texts = readdirSync(folder).map(name => readFileSync(`${folder}/${name}`, 'utf8'));
    expect(texts.sort()).toEqual(['newer\n', 'older\n']);
    expect(readFileSync(`${folder}/01-plan.md`, 'utf8')).toBe('older\n');
  });

  it('and each file one page, however often it is named', async () => {
    const one = line.write('one.md', '# One\n');
    expect(await line.octavo('push', one, line.at('./one.md'))).toBe(0);
    expect(await line.pages()).toHaveLength(1);
  });
});
