/** With all the HTML that projects write into their README. */
export const ordinaryPage = `<h1 align="center"><img src="https://example.org/logo.png" width="200" alt="Logo"><br>Name</h1>

<p align="center"><a href="https://example.org/ci"><img src="https://example.org/badge.svg"></a>
<picture><source media="(prefers-color-scheme: dark)" srcset="https://example.org/dark.png"><img src="https://example.org/light.png"></picture></p>

<div align="center">

**A tool** for H<sub>2</sub>O and x<sup>2</sup>: press <kbd>Ctrl</kbd> + <kbd>C</kbd>.

</div>

<details>
<summary><b>Contents</b></summary>

- [One](#one)
  1. two<br>lines
- [x] done[^1]

\`\`\`js
const a = \`b\`;
\`\`\`

</details>

<table>
  <caption>Figures</caption>
  <colgroup><col><col></colgroup>
  <tr><th>a</th><td><ul><li>b</li></ul></td></tr>
  <tr><td colspan=2>

| c | d |
|---|---|
| *e* | ~~f~~ |

  </td></tr>
</table>

<dl><dt>Word<dd>its <mark>meaning</mark></dl>

## One

> [!TIP]
> <ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby> ![Picture](a.png "Caption")

<hr>

[^1]: A note with <abbr title="HyperText">HT</abbr>.
`;
