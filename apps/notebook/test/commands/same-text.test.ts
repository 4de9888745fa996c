import { mkdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { useCommandLine } from '../support/command-line.ts';

// Editors of other systems write CRLF and a byte order mark; a page has neither.
describe('a file that says the same in other bytes', () => {
  const line = useCommandLine();
  const text = '# One\n\nfirst\n';
  const forms = {
    CRLF: text.replaceAll('\n', '\r\n'),
    'a byte order mark': `\u{feff}${text}`,
    both: `\u{feff}${text.replaceAll('\n', '\r\n')}`,
  };
  const read = (name: string) => readFileSync(line.at(name), 'utf8');
  const change = async (markdown: string) => {
    const [page] = await line.pages();
    await line.app.ask('PATCH', `/api/notebooks/${line.slug}/pages/${page!.id}`, { token: line.token, body: { markdown } });
  };

  describe.each(Object.entries(forms))('%s', (_form, bytes) => {
    it.each(['one.md', 'vault', 'one.txt'])('is left as it is by a pull, and pushed as unchanged: %s', async name => {
      if (name === 'vault') mkdirSync(line.at(name));
      const file = name === 'vault' ? 'vault/one.md' : name;
      line.write(file, bytes);
      const push = () => line.octavo('push', line.at(name));
      expect(await push()).toBe(0);
      const { slug } = line;
      line.said = [];
      expect(await line.octavo('pull', slug)).toBe(0);
      expect(line.said.join()).toMatch(/one\.\w+: unchanged$/);
      expect(read(file)).toBe(bytes);
      expect(await push()).toBe(0);
      expect(line.said.join()).toMatch(/one\.\w+: unchanged,View link/);
    });

    it('takes what was changed on the server, in its own bytes', async () => {
      await line.octavo('push', line.write('one.md', bytes));
      await change('# One\n\ntheirs\n');
      expect(await line.octavo('pull', line.slug)).toBe(0);
      expect(line.said.at(-1)).toMatch(/one\.md: replaced$/);
      expect(read('one.md')).toBe(bytes.replace('first', 'theirs'));
      expect(await line.octavo('pull', line.slug)).toBe(0);
      expect(line.said.at(-1)).toMatch(/one\.md: unchanged$/);
    });

    it('is left alone where it was changed here', async () => {
      await line.octavo('push', line.write('one.md', bytes));
      await change('# One\n\ntheirs\n');
      const mine = bytes.replace('first', 'mine');
      line.write('one.md', mine);
      expect(await line.octavo('pull', line.slug)).toBe(1);
      expect(line.said.at(-1)).toMatch(/was changed here since/);
      expect(read('one.md')).toBe(mine);
    });
  });

  it('a file of both kinds of line ends gets plain ones with the text that replaces it', async () => {
    await line.octavo('push', line.write('one.md', '# One\r\n\nfirst\n'));
    await change('# One\n\ntheirs\n');
    expect(await line.octavo('pull', line.slug)).toBe(0);
    expect(read('one.md')).toBe('# One\n\ntheirs\n');
  });

  it('a file that is no text any more is left alone', async () => {
    await line.octavo('push', line.write('one.md', text));
    await change('# One\n\ntheirs\n');
    line.write('one.md', new Uint8Array([0x23, 0xff, 0xfe]));
    expect(await line.octavo('pull', line.slug)).toBe(1);
    expect([...readFileSync(line.at('one.md'))]).toEqual([0x23, 0xff, 0xfe]);
  });
});
