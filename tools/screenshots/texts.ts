/** Everything a page can hold, for the eye. */
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
