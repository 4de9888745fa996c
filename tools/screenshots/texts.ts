/** Everything that a page can contain. */
export const tour = `# A tour of the page

The paper mill at Fabriano has watermarked its sheets since **1282**. What follows is a short tour of everything a page can
hold: *emphasis*, ~~mistakes~~, \`inline code\`, <kbd>Ctrl</kbd> + <kbd>S</kbd>, <mark>marked words</mark>, an
<abbr title="HyperText Markup Language">HTML</abbr> abbreviation, H<sub>2</sub>O, x<sup>2</sup>, a footnote[^1] and a
[link to somewhere](https://example.org).

## A wide table

| Sheet | Width mm | Height mm | Folded once | Folded twice | Octavo | Made since | Remark |
| --- | ---: | ---: | :---: | :---: | :---: | --- | --- |
| Imperial | 762 | 559 | Folio | Quarto | 8° | 14th century | The largest sheet that one man could lift from the vat |
| Royal | 635 | 508 | Folio | Quarto | 8° | 14th century | Atlases |
| Demy | 572 | 444 | Folio | Quarto | 8° | 15th century | Novels |

## Code

\`\`\`ts
interface Sheet { readonly folds: number }

/** An octavo has eight leaves. */
export const leaves = ({ folds }: Sheet): number => 2 ** folds; // a comment that surely runs past the edge of a phone
\`\`\`

\`\`\`python
def leaves(folds: int = 3) -> int:
    """Each fold doubles them."""
    return 2 ** folds if folds > 0 else 1  # a flat sheet
\`\`\`

\`\`\`diff
- a sheet of paper
+ a book
\`\`\`

### Lists and tasks

1. Fold the sheet
2. Cut the edges
   - top
   - side
3. Sew

- [x] Buy linen thread
- [ ] Find the bone folder

> A blank sheet of paper is a promise. Nobody has ever regretted keeping one.

> [!NOTE]
> Useful words that readers should know, even when skimming.

> [!WARNING]
> Wet paper tears.

> [!CAUTION]
> So do wet nerves.

<details><summary>More about sizing</summary>

Gelatine was used until about **1850**.

</details>

## 日本語の見出し

和紙は、日本古来の紙である。漢字とかな交じりの文章が、読みやすい行間で並ぶ。🎌📜✨ 中文段落也应当正常显示。한국어 문장도 있다.

هذه فقرة باللغة العربية لتجربة الاتجاه من اليمين إلى اليسار.

---

The end.

[^1]: *Octavo* means eighth: a sheet folded three times.
`;

const titles = [
  'Folding',
  '製本と紙',
  'A page with a title that is really far too long for any sidebar to hold on a single line',
  'Glue & thread',
];

/** Sixty pages: the first is the tour, the others are short. */
export const longPages = Array.from({ length: 60 }, (_, place) => ({
  markdown: place === 0 ? tour : `# ${titles[place % titles.length]}${place > 4 ? ` ${place}` : ''}\n\nA short page.\n`,
}));

/** Mathematics in all its forms, and one invalid formula. */
export const formulas = `# The shape of a sheet

A sheet of the proportion $1 : \\sqrt{2}$ keeps it when it is folded, because $\\frac{\\sqrt{2}}{2} = \\frac{1}{\\sqrt{2}}$. It costs $5 to $6.

$$
A_n = 2^{-n}\\,\\mathrm{m}^2 \\qquad w_n = \\sqrt{\\frac{A_n}{\\sqrt{2}}}
$$

- each fold halves: $a_{n+1} = \\tfrac{1}{2} a_n$
- all of them together: $\\displaystyle\\sum_{n=1}^{\\infty} 2^{-n} = 1$

| sheet | area |
|:--|--:|
| $A_0$ | $1$ |
| $A_4$ | $2^{-4}$ |

> $$
> \\int_0^1 \\left( \\frac{x^2}{1 + x} \\right) dx = \\ln 2 - \\frac{1}{2}
> $$

\`\`\`math
\\begin{aligned}
  f(x) &= \\begin{cases} x^2 & x > 0 \\\\ 0 & \\text{otherwise} \\end{cases} \\\\
  M &= \\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}, \\quad \\overline{AB}, \\quad \\cancel{x}, \\quad \\boxed{y}, \\quad \\vec{v} \\in \\mathbb{R}^n
\\end{aligned}
\`\`\`

$$
\\begin{array}{|c|r|} \\hline n & 2^n \\\\ \\hline 1 & 2 \\\\ 10 & 1024 \\\\ \\hline \\end{array}
$$

$$ e^{i\\pi} + 1 = 0 \\tag{1} $$

A long one scrolls by itself: $a_1 + a_2 + a_3 + a_4 + a_5 + a_6 + a_7 + a_8 + a_9 + a_{10} + a_{11} + a_{12} + a_{13} + a_{14} + a_{15}$.

What cannot be read stays as it is: $\\frac{$.
`;

/** Each common kind of diagram, and one with an error. */
export const drawings = `# How a note travels

\`\`\`mermaid
flowchart LR
  A[Write] --> B{Share?}
  B -->|view link| C[Readers]
  B -->|edit link| D[Only you]
  C --> E[(Notebook)]
  D --> E
\`\`\`

Between the parts it goes like this:

\`\`\`mermaid
sequenceDiagram
  participant B as Browser
  participant S as Service
  B->>S: the text
  S-->>B: saved, revision 2
  Note over B,S: nothing is lost
\`\`\`

\`\`\`mermaid
pie title Time spent
  "Writing" : 60
  "Reading" : 30
  "Looking for it" : 10
\`\`\`

One that is wrong:

\`\`\`mermaid
flowchart LR
  A -->
\`\`\`
`;

/** Right-to-left and left-to-right text, in every kind of block. */
export const turned = `# دفتر الملاحظات

هذه فقرة بالعربية مع كلمة English في وسطها و \`code\`.

- البند الأول
- البند الثاني
  1. فرعي
  2. another, in English

A paragraph in English between them.

> اقتباس قصير

| العمود | القيمة |
|---|---|
| واحد | 1 |
| اثنان | 2 |

## כותרת בעברית

- [ ] משימה
- [x] משימה גמורה

\`\`\`js
const direction = 'ltr';
\`\`\`
`;

/** Images with captions and widths, and a table that is wider than a column. */
export const figures = `# Figures

Some words before the picture, which stands on its own.

![A green hill and a low sun](https://pictures.example/hill.png "The hill behind the mill, seen from the drying loft")

![The same, smaller|240](https://pictures.example/hill.png)

${'| A column | Another one | And a third | Weight | Length | Width | Paper | Remarks on the sheet |\n|---|---|---|---|---|---|---|---|\n'}${'| rag | laid | cream | 120 g | 70 cm | 50 cm | handmade | dried in the loft for three days |\n'.repeat(3)}`;

/** Japanese text, with everything that may break on a narrow screen. */
export const japanese = `# 紙漉きの記録

冬の朝、水は冷たく、楮の繊維がゆっくりと広がる。**漉き桁**を傾けるたびに、薄い層が重なっていく。

- 楮を煮る
- 水で晒す
- 一枚ずつ干す

| 日付 | 枚数 | 備考 |
|---|---:|---|
| 一月三日 | 40 | 晴れ、よく乾く |
| 一月四日 | 35 | 雪 |

> 急がば回れ。
`;
