import { type Action, actions } from '../../src/browser/field/formatting/actions.ts';

/** Every action with what it makes of a text, `[before, after]` in the notation of marked-text.ts. The browsers run the same cases. */
export const actionCases: Record<keyof typeof actions, readonly (readonly [string, string])[]> = {
  bold: [
    ['a {word} b', 'a **{word}** b'],
    ['a **{word}** b', 'a {word} b'],
    ['a {**word**} b', 'a {word} b'],
    ['a{ word }b', 'a **{word}** b'],
    ['a|', 'a**|**'],
    ['a**|**', 'a|'],
    ['see wo|rd', 'see **wo|rd**'],
    ['see **wo|rd**', 'see wo|rd'],
    ['- {one\n\n- [ ] two}', '- {**one**\n\n- [ ] **two**}'],
    ['{**one**\n**two**}', '{one\ntwo}'],
    ['{**one**\ntwo}', '{**one**\n**two**}'],
    ['***{both}***', '*{both}*'],
    ['日|本', '日**|**本'],
  ],
  italic: [
    ['a {word} b', 'a _{word}_ b'],
    ['a _{word}_ b', 'a {word} b'],
    ['a *{word}* b', 'a {word} b'],
    ['a **{word}** b', 'a **_{word}_** b'],
    ['w{or}d', 'w*{or}*d'],
    ['|', '_|_'],
  ],
  highlight: [
    ['a {word} b', 'a =={word}== b'],
    ['a =={word}== b', 'a {word} b'],
    ['see wo|rd', 'see ==wo|rd=='],
  ],
  strike: [
    ['a {word} b', 'a ~~{word}~~ b'],
    ['a ~~{word}~~ b', 'a {word} b'],
  ],
  code: [
    ['a {word} b', 'a `{word}` b'],
    ['a `{word}` b', 'a {word} b'],
    ['a {b`c} d', 'a `` {b`c} `` d'],
    ['a `` {b`c} `` d', 'a {b`c} d'],
    ['`a` {word} `b`', '`a` `{word}` `b`'],
    ['{one\ntwo}', '```\n{one\ntwo}\n```'],
    ['see {a ```\n b} there', 'see \n````\n{a ```\n b}\n````\n there'],
    ['```js\n{one\ntwo}\n```\nmore', '{one\ntwo}\nmore'],
  ],
  heading: [
    ['wor|d', '# wor|d'],
    ['# wor|d', '## wor|d'],
    ['## wor|d', '### wor|d'],
    ['### wor|d', 'wor|d'],
    ['{a\n\nb}', '# {a\n\n# b}'],
    ['|', '# |'],
  ],
  quote: [
    ['a{b\nc}d', '> a{b\n> c}d'],
    ['> a{b\n> c}d', 'a{b\nc}d'],
    ['{a\n\nb}', '> {a\n>\n> b}'],
    ['{> a\n>\n> b}', '{a\n\nb}'],
    ['|', '> |'],
  ],
  bulleted: [
    ['a{b\nc}d', '- a{b\n- c}d'],
    ['- a{b\n- c}d', 'a{b\nc}d'],
    ['1. a|', '- a|'],
    ['  * [x] a|', '  - a|'],
    ['> a|', '> - a|'],
    ['|', '- |'],
  ],
  numbered: [
    ['{a\nb\n\nc}', '1. {a\n2. b\n\n3. c}'],
    ['1. {a\n2. b}', '{a\nb}'],
    ['1. a\n2. b\nc|', '1. a\n2. b\n3. c|'],
    ['- a|', '1. a|'],
  ],
  task: [
    ['{a\nb}', '- [ ] {a\n- [ ] b}'],
    ['- [ ] {a\n- [x] b}', '{a\nb}'],
    ['- a|', '- [ ] a|'],
  ],
  link: [
    ['see {here} now', 'see [here]({url}) now'],
    ['see {https://a.example/b_(c)} now', 'see [|](https://a.example/b_(c)) now'],
    ['see |', 'see [|](url)'],
    ['see [he|re](https://a.example/) now', 'see he|re now'],
    ['see {[here](https://a.example/)} now', 'see {here} now'],
  ],
  details: [
    ['a {b} c', '<details>\n<summary>{Summary}</summary>\n\na b c\n\n</details>\n'],
    ['one\n|\ntwo', 'one\n\n<details>\n<summary>{Summary}</summary>\n\nMore\n\n</details>\n\ntwo'],
  ],
  divider: [
    ['on|e\ntwo', 'one\n\n---\n\n|two'],
    ['one\n\n|', 'one\n\n---\n|'],
    ['|', '---\n|'],
  ],
};

export const eachActionCase = Object.entries(actionCases).flatMap(([name, cases]) =>
  cases.map(([before, after]): [string, string, string, Action] => [name, before, after, actions[name as keyof typeof actions]]),
);
