/** Enough where nobody looks into them. */
const noPictures = Array.from({ length: 6 }, (_, at) => Uint8Array.from([0x89, 0x50, at]));

/** A vault of 60 files as Obsidian writes them: 54 notes in folders, and 6 pictures that notes embed. */
export function aVault(pictures: readonly Uint8Array[] = noPictures): Record<string, string | Uint8Array> {
  const files: Record<string, string | Uint8Array> = {};
  for (let at = 0; at < 6; at += 1) files[`Attachments/picture ${at}.png`] = pictures[at]!;
  files['Start.md'] = [
    '---',
    'title: "Start: here"',
    'tags: [vault, field notes]',
    'aliases:',
    '  - Home',
    '---',
    '',
    '# Start',
    '',
    'Go to [[Note 3]], [[Projects/Note 10|the tenth]], [[Note 7#Part two|part two]] or [[#Below]].',
    '',
    '%% secret remark, private %%',
    'Words %%inline secret%% go on, ==marked words== too. ^block-1',
    '',
    '## Below',
    '',
    '`[[not a link]] %%not a comment%%`',
    '',
  ].join('\n');
  for (let at = 1; at <= 53; at += 1) {
    const folder = ['', 'Projects/', 'Deep/er/'][at % 3];
    files[`${folder}Note ${at}.md`] = [
      ...(at % 2 ? ['---', `tags:`, `  - tag${at}`, `date: 2024-01-${at}`, '---'] : []),
      `# Heading ${at}`,
      '',
      `Back to [[Start]] and [a file](${encodeURI(folder === '' ? 'Projects/Note 1.md' : '../Start.md')}).`,
      ...(at % 8 === 0 ? ['', `![[picture ${at / 8 - 1}.png|300]]`] : []),
      ...(at % 4 === 0 ? ['', '> [!warning]- Folded **title**', '> body', '> > [!note] Inner', '> > text'] : []),
      ...(at % 4 === 1 ? ['', '> [!tip] Titled', '> body', '', '> [!info]', '> plain'] : []),
      ...(at % 5 === 0 ? ['', '%%', 'secret block', '', '```js', 'const secret = 1;', '```', '%%', 'after'] : []),
      '',
      '## Part two',
      '',
      '```mermaid',
      'graph LR',
      '%% a comment of the diagram %%',
      '```',
      ...(at % 7 === 0 ? ['last line without an end'] : ['']),
    ].join('\n');
  }
  return files;
}
