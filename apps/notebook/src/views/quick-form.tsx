import type { VNode } from 'preact';
import { NeedsScript } from './needs-script.tsx';
import type { Site } from './props.ts';

interface QuickFormProps {
  readonly site: Site;
  readonly rows: number;
  /** The page's heading already says it; assistive technology still needs a name. */
  readonly labelHidden?: boolean;
}

/** Paste or type, then press one button. Driven by browser/site/quick.ts; on `/` and on `/quick`. */
export function QuickForm({ site: { imageOrigin }, rows, labelHidden = false }: QuickFormProps): VNode {
  return (
    <form class="stack quick-form" data-quick-form>
      <NeedsScript />
      <div class="field">
        <label class={labelHidden ? 'visually-hidden' : 'label'} for="markdown">
          Your text
        </label>
        <textarea
          id="markdown"
          name="markdown"
          rows={rows}
          required
          aria-describedby="quick-hint"
          placeholder="Type or paste text, Markdown, a log or code…"
          spellcheck
        />
        <p class="hint" id="quick-hint">
          The first heading or line becomes the title. We’ll copy the edit link for you.
        </p>
        {/* Its script fills it when a picture is pasted, which the browser leaves out without a word. */}
        <p
          class="hint"
          role="status"
          data-picture-hint={`Only text goes in here. ${imageOrigin === undefined ? 'This server keeps no images.' : 'After you publish it, paste your images in the editor.'}`}
        />
      </div>
      <div class="quick-choices">
        <label class="choice">
          <input type="checkbox" name="verbatim" data-verbatim aria-describedby="verbatim-hint" />
          Keep lines as they are
        </label>
        <p class="hint" id="verbatim-hint" role="status" data-verbatim-hint />
        <label class="choice">
          <input type="checkbox" name="burn" data-burn />
          Delete after it’s read once
        </label>
      </div>
      <p class="button-row">
        {/* Its script enables it: before that, the browser itself would send the text in the address. */}
        <button type="submit" class="button primary" disabled>
          Publish
        </button>
        <span class="hint key-hint">
          or <kbd>Ctrl</kbd> <kbd>Enter</kbd>
        </span>
      </p>
      <p class="notice error" role="alert" data-form-error hidden />
    </form>
  );
}
