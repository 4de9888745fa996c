/** Numbers that look like chance and come again with the same seed. */
export function chanceFrom(seed: number): (below: number) => number {
  let state = (seed * 2_654_435_761) >>> 0;
  return below => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e37_79b9) >>> 0;
    return ((state ^ (state >>> 13)) >>> 0) % below;
  };
}

/** What writers type, paste and break: each may turn the text around it into something else. */
export const fragments = [
  ...'a b , . _ * ` ~ # > - + 1 | [ ] ( ) ! < / " & : ^ = \\'.split(' '),
  ...[
    '\n',
    '\n\n',
    '\n\n\n',
    ' ',
    '  ',
    '    ',
    '\t',
    '**',
    '```\n',
    '~~~\n',
    '```js\nlet a = 1;\n```\n',
    '$$\n',
    '---\n',
    '===\n',
  ],
  ...[
    '# Same\n\n',
    '## Same\n\n',
    '- x\n',
    '- x\n\n',
    '  - y\n',
    '1. z\n',
    '- [ ] t\n',
    '- [x] t\n',
    '> q\n',
    '> [!NOTE]\n> n\n',
  ],
  ...[
    '[^1]',
    '[^1]: note\n',
    '[^2]',
    '\n[^2]: other [^1]\n\n    more\n',
    '[^x]: n\n',
    '[ref]',
    '[ref]: /a "t"\n',
    '[ref]: /a "t',
    '\n[new]: /b (t\n',
    '\n \n',
    '[Ref]: /b\n',
    '[ref][]',
    '[t][ref]',
  ],
  ...[
    '|a|b|\n|-|-|\n|1|2|\n',
    '|-|',
    '<b>',
    '</b>',
    '<div>\n',
    '</div>\n',
    '<details><summary>s</summary>\n\n',
    '\n</details>\n\n',
  ],
  ...[
    '<a href=x>',
    '</a>',
    '<!-- ',
    ' -->',
    '<td>',
    '<table>',
    '</table>',
    '<p>',
    '</p>',
    '<kbd>k</kbd>',
    '<style>',
    '</style>',
    '<pre>\n',
    '</pre>\n',
  ],
  ...[
    '<h2 id="same">H</h2>\n',
    '<i id=fn-1>',
    '[up](#same)',
    '![i](/i.png)',
    'https://example.org',
    '&amp;',
    '&',
    '日本',
    '🎉',
    '\r\n',
    '\0',
    'data-mark',
  ],
  ...[
    '<svg>',
    '<template>',
    '</template>',
    '<select>',
    '<form>',
    '<input>',
    '<?php',
    '<![CDATA[',
    '<script>\n',
    '</script>\n',
    '<textarea>',
    '<title>',
  ],
];

/** Mostly small edits in one place, as in writing; sometimes a jump, a cut, a paste from elsewhere in the text. */
export function* editsOf(text: string, chance: (below: number) => number, count: number): Iterable<string> {
  let now = text;
  let place = chance(now.length + 1);
  for (let edit = 0; edit < count; edit += 1) {
    if (chance(4) === 0) place = chance(now.length + 1);
    place = Math.min(place, now.length);
    const kind = chance(10);
    let cut = 0;
    let insert = '';
    if (kind < 6) insert = fragments[chance(fragments.length)]!;
    else if (kind < 8) cut = 1 + chance(kind === 6 ? 3 : 60);
    else if (kind === 8) {
      const from = chance(now.length + 1);
      insert = now.slice(from, from + chance(200));
    } else {
      const end = now.indexOf('\n', place);
      cut = (end === -1 ? now.length : end + 1) - place;
    }
    now = now.slice(0, place) + insert + now.slice(place + cut);
    place += insert.length;
    yield now;
  }
}
