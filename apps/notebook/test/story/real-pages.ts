/** Three pages of the markdown that people really write. */
const table = [
  '| Week | Who | What | Hours |',
  '|-----:|:----|:----:|------:|',
  ...Array.from({ length: 60 }, (_, at) => `| ${at + 1} | Team ${at % 5} | Chapter ${at} \`draft\` | ${at * 3} |`),
].join('\n');

const code = [
  '```ts\nconst answer: number = 42; // why not\n```',
  '```python\ndef answer() -> int:\n    return 42\n```',
  '```rust\nfn answer() -> u32 { 42 }\n```',
  '```go\nfunc Answer() int { return 42 }\n```',
  '```sql\nSELECT 42 AS answer;\n```',
  '```bash\necho "the answer is $((6 * 7))"\n```',
].join('\n\n');

export const firstPage = `# Field notes 📓

Some **bold**, *italic* and ~~struck~~ words, and a claim.[^1]

日本語のテキストと한국어와中文。 Emoji: 🦊 👩‍🚀.

Press <kbd>Ctrl</kbd>+<kbd>S</kbd>, <mark>marked</mark>, <abbr title="HyperText">HT</abbr>.

<details><summary>More</summary>

Inside **bold** words.

</details>

- [x] done
- [ ] open

[^1]: The footnote says so.
`;
export const secondPage = `# The plan\n\n${table}\n`;
export const thirdPage = `# Code in six languages\n\n${code}\n`;
