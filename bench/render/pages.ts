/** A typical page: prose, lists, a table, code in two languages, a quote, a note, a little HTML. About 2 kB per part. */
function part(number: number): string {
  return `## Part ${number}: what we measured

The **first run** of the week gave _mixed_ results: see [the log](https://example.org/log/${number}) and the note[^${number}]. Most pages
are short, a few are very long, and \`render()\` has to be quick for both. 日本語の文も、emoji 🎉 too.

- warm the cache before the run
- write down *every* figure
  - also the bad ones
  - [x] and tick them off
- compare with last week

1. start the server
2. wait for ~~ten~~ five seconds
3. measure

| page | size | ${'time'} | remark |
|:-----|-----:|:----:|--------|
| home | 4 kB | 1 ms | **quick** |
| view | 20 kB | 5 ms | \`ok\` |
| print | 100 kB | 38 ms | with [notes](#part-${number}-what-we-measured) |

\`\`\`ts
export async function measure(name: string, rounds = ${number}): Promise<number> {
  const started = performance.now();
  for (let round = 0; round < rounds; round += 1) await run(name); // one after the other
  return (performance.now() - started) / rounds;
}
\`\`\`

\`\`\`python
def median(values: list[float]) -> float:
    ordered = sorted(values)
    return ordered[len(ordered) // 2]  # good enough
\`\`\`

> [!NOTE]
> A quote with **bold**, a bare address https://example.org/a?b=${number}&c=d and a \`code span\`.

<details><summary>More</summary>

Press <kbd>Ctrl</kbd> + <kbd>C</kbd>. <mark>Marked</mark>, <abbr title="HyperText">HT</abbr>.

</details>

[^${number}]: Taken on a quiet machine, with *nothing* else running.

`;
}

export function pageOf(bytes: number): string {
  let page = '# A page of measurements\n\n';
  for (let number = 1; page.length < bytes; number += 1) page += part(number);
  return page;
}
