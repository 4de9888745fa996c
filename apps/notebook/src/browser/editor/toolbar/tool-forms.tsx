import type { VNode } from 'preact';
import type { TableSize } from '../../field/formatting/blocks.ts';

/** The most common languages. Any other word may be typed. */
const languages = (
  'bash c cpp csharp css diff docker go graphql html ini java javascript json kotlin latex lua makefile markdown mermaid perl php ' +
  'python r ruby rust scss sql swift text typescript xml yaml'
).split(' ');

export function CodeLanguageForm({ onChoose }: { onChoose: (language: string) => void }): VNode {
  return (
    <form
      class="tool-form"
      onSubmit={event => {
        event.preventDefault();
        // Backticks and spaces are removed, because they would break the fence's first line.
        onChoose(wordsOf(event.currentTarget, 'language').replaceAll(/[`\s]+/g, ''));
      }}
    >
      <label class="label" for="code-language">
        Language <span class="optional">(optional)</span>
      </label>
      <input
        id="code-language"
        name="language"
        type="text"
        list="code-languages"
        autoComplete="off"
        autoCapitalize="none"
        spellcheck={false}
        maxLength={40}
      />
      <datalist id="code-languages">
        {languages.map(language => (
          <option key={language} value={language} />
        ))}
      </datalist>
      <button type="submit" class="button primary">
        Insert
      </button>
    </form>
  );
}

const mostColumns = 20;
const mostRows = 100;

export function TableSizeForm({ onChoose }: { onChoose: (size: TableSize) => void }): VNode {
  return (
    <form
      class="tool-form"
      onSubmit={event => {
        event.preventDefault();
        const form = event.currentTarget;
        onChoose({ columns: Number(wordsOf(form, 'columns')), rows: Number(wordsOf(form, 'rows')) });
      }}
    >
      <div class="tool-numbers">
        <label class="label" for="table-columns">
          Columns
        </label>
        <input id="table-columns" name="columns" type="number" min={1} max={mostColumns} defaultValue="3" required />
        <label class="label" for="table-rows">
          Rows
        </label>
        <input id="table-rows" name="rows" type="number" min={1} max={mostRows} defaultValue="2" required />
      </div>
      <button type="submit" class="button primary">
        Insert
      </button>
    </form>
  );
}

const wordsOf = (form: HTMLFormElement, name: string): string => String(new FormData(form).get(name) ?? '');
