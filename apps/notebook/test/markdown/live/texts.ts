import { pageOf } from '../../../../../bench/render/pages.ts';

export const written = pageOf(4_000);

/** Small, and full of what reaches beyond its own block. */
export const lively = `# Same

first [^1] and [ref], then [^two] and [^1]

## Same

- a
- b [^1]

  c

<details><summary>s</summary>

inside **it** $x^2$

</details>

[ref]: /where "t"
[^1]: n [^two]
[^two]: m

    more

> [!NOTE]
> see [up](#same) and [down](#same-1)

| a | b |
|---|--:|
| 1 | 2 |

<h2 id="same">own</h2>

שלום

\`\`\`js
let a = 1;
\`\`\`

## :rocket: ==Same==

an ==*odd* \`==\`== :tada: <code>:x:</code>

![a|30](b.png "c")
`;

/** What is decided further on than at the next blank line, or nearly so. */
export const far = `[open]: /where "a title

that ends here"

[wide]: <a b>
  (in brackets

too)

[broken]: /x "never closed

* * *

> quote
lazy

1. one

   more

    \u0020
- [ ] task
 \u0020
next line
===

    code

    more code

<!-- a comment

over lines --> after

$$
a

b
$$

[^far]: note

    with code

<script>
let x = 1;

</script>

| a |
|---|
| b |
text

<details>

[late]: /late 'single
title'
`;
