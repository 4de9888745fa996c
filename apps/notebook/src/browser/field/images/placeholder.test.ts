import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FieldText, TextEdit } from '../text/field-text.ts';
import { createPlaceholderId, fillText, findPlaceholders, hasPlaceholder, placeholderText, replaceRange } from './placeholder.ts';

describe('the text of a placeholder', () => {
  it('says what is uploaded', () => {
    expect(placeholderText('photo.png', 'k3f9aa')).toBe('[Uploading photo.png… #k3f9aa]');
    expect(placeholderText('', 'k3f9aa')).toBe('[Uploading image… #k3f9aa]');
    expect(placeholderText('写真 1.jpg', 'k3f9aa')).toBe('[Uploading 写真 1.jpg… #k3f9aa]');
  });

  it('is plain text whatever the file is called, and is found again', () => {
    const hostile = fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[![\]()<>&`#*"'\n\\ a-z]{0,60}$/));
    fc.assert(
      fc.property(hostile, name => {
        const text = placeholderText(name, 'abc123');
        expect(text).toMatch(/^\[Uploading [\p{L}\p{N} ._-]+… #abc123\]$/u);
        expect(findPlaceholders(`x${text}y`)).toEqual([{ id: 'abc123', from: 1, to: 1 + text.length }]);
      }),
    );
  });

  it('has an id that no text holds yet', () => {
    const bytes = [new Uint8Array(6), new Uint8Array(6), new Uint8Array(6).fill(1)];
    expect(createPlaceholderId(() => bytes.shift()!, [placeholderText('a.png', '000000')])).toBe('111111');
  });
});

it('a placeholder is found when its name was edited, and is gone when its brackets or its id were', () => {
  expect(hasPlaceholder('[Uploading my new photo… #abc123]', 'abc123')).toBe(true);
  expect(hasPlaceholder('[Uploading photo.png… #abc123', 'abc123')).toBe(false);
  expect(hasPlaceholder('[Uploading photo.png… #abc12]', 'abc123')).toBe(false);
  expect(hasPlaceholder('[Uploading [x] #abc123]', 'abc123')).toBe(false);
  expect(hasPlaceholder('[Uploading a\nb #abc123]', 'abc123')).toBe(false);
});

it('a long text of beginnings that never end is looked through at once', () => {
  expect(findPlaceholders('[Uploading #####'.repeat(60_000))).toEqual([]);
});

it('every copy is filled, and only those that are settled', () => {
  const [a, b] = [placeholderText('a.png', 'aaaaaa'), placeholderText('b.png', 'bbbbbb')];
  expect(fillText(`${a}${b}${a}`, new Map([['aaaaaa', '![$& $1](u)']]))).toBe(`![$& $1](u)${b}![$& $1](u)`);
});

/** Applies an edit as the field does. */
function apply(field: FieldText, edit: TextEdit): FieldText {
  return { text: field.text.slice(0, edit.from) + edit.insert + field.text.slice(edit.to), start: edit.start, end: edit.end };
}

/** Reads `|` as the caret or as both ends of the selection. */
function marked(text: string): FieldText {
  const start = text.indexOf('|');
  const end = text.lastIndexOf('|');
  return { text: text.replaceAll('|', ''), start, end: end === start ? start : end - 1 };
}

function show({ text, start, end }: FieldText): string {
  return start === end
    ? `${text.slice(0, start)}|${text.slice(start)}`
    : `${text.slice(0, start)}|${text.slice(start, end)}|${text.slice(end)}`;
}

describe('the caret stays on its characters when a placeholder is replaced', () => {
  const p = placeholderText('a.png', 'aaaaaa');
  it.each([
    [`on|e ${p} two`, 'on|e LINK two'],
    [`one ${p} t|w|o`, 'one LINK t|w|o'],
    [`one ${p}| two`, 'one LINK| two'],
    [`one |${p} two`, 'one |LINK two'],
    [`one ${p.slice(0, 9)}|${p.slice(9)} two`, 'one LINK| two'],
    [`o|ne ${p} tw|o`, 'o|ne LINK tw|o'],
  ])('%s', (before, after) => {
    const field = marked(before);
    expect(show(apply(field, replaceRange(field, findPlaceholders(field.text)[0]!, 'LINK')))).toBe(after);
  });
});

/** An event while uploads run: the person types, deletes or selects, or an upload arrives or fails. */
const happening = fc.oneof(
  fc.record({ kind: fc.constant('type' as const), at: fc.nat(400), text: fc.stringMatching(/^[a-z \n]{1,6}$/) }),
  fc.record({ kind: fc.constant('delete' as const), at: fc.nat(400), size: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ kind: fc.constant('select' as const), at: fc.nat(400), size: fc.nat(12) }),
  fc.record({ kind: fc.constant('settle' as const), which: fc.nat(3), ok: fc.boolean() }),
);

it('whatever is typed, deleted and settled in whatever order: the words stay, each placeholder becomes its link or goes', () => {
  const ids = ['aaaaaa', 'bbbbbb', 'cccccc', 'dddddd'];
  const link = (id: string) => `![${id.toUpperCase()}](https://images.example/${id.toUpperCase()})`;
  fc.assert(
    fc.property(fc.array(happening, { maxLength: 40 }), events => {
      let field: FieldText = { text: ids.map(id => `say ${placeholderText('p.png', id)} word`).join('\n'), start: 0, end: 0 };
      // The text as the person means it: the same, with each placeholder as one private-use character.
      let meant = ids.map((_, place) => `say ${String.fromCharCode(0xe000 + place)} word`).join('\n');
      const settled = new Map<string, string>();
      const shownAs = (text: string) =>
        text.replaceAll(/[\uE000-\uE003]/g, mark => {
          const id = ids[mark.charCodeAt(0) - 0xe000]!;
          return settled.get(id) ?? placeholderText('p.png', id);
        });
      for (const event of events) {
        if (event.kind === 'settle') {
          const id = ids[event.which]!;
          if (settled.has(id)) continue;
          const before = { left: field.text[field.start - 1], right: field.text[field.end] };
          settled.set(id, event.ok ? link(id) : '');
          const placed = findPlaceholders(field.text).find(other => other.id === id);
          if (!placed) continue;
          const outside = field.end < placed.from || field.start > placed.to;
          field = apply(field, replaceRange(field, placed, settled.get(id)!));
          if (outside) expect({ left: field.text[field.start - 1], right: field.text[field.end] }).toEqual(before);
        } else {
          const at = event.at % (meant.length + 1);
          const from = shownAs(meant.slice(0, at)).length;
          const size = event.kind === 'type' ? 0 : event.size;
          const to = shownAs(meant.slice(0, at + size)).length;
          if (event.kind === 'select') {
            field = { ...field, start: from, end: to };
            continue;
          }
          const insert = event.kind === 'type' ? event.text : '';
          meant = meant.slice(0, at) + insert + meant.slice(at + size);
          field = apply(field, { from, to, insert, start: from + insert.length, end: from + insert.length });
        }
        expect(field.text).toBe(shownAs(meant));
        expect(field.start).toBeLessThanOrEqual(field.text.length);
        expect(field.end).toBeGreaterThanOrEqual(field.start);
      }
      expect(field.text).not.toMatch(/!\[[^\]]*\]\(\s*\)/);
    }),
    { numRuns: 300 },
  );
});
