import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { pageName } from '../../model/page-name.ts';
import { copyText } from '../device/copy-text.ts';
import { momentWords } from '../device/date-words.ts';
import { saveFile } from '../device/save-file.ts';
import { sentenceOf } from '../ui/use-session.ts';

export interface KeptText {
  readonly key: string;
  readonly title: string;
  readonly markdown: string;
  readonly changedAt?: number;
  /** Absent if there is no notebook to add the text to. */
  readonly onAdd?: () => Promise<void>;
  readonly onDiscard?: () => Promise<void>;
}

/** Texts kept on this device, to copy, download, add or discard. */
export function KeptTexts({ texts }: { texts: readonly KeptText[] }): VNode {
  return (
    <ul class="kept-texts">
      {texts.map(text => (
        <KeptTextItem key={text.key} text={text} />
      ))}
    </ul>
  );
}

function KeptTextItem({ text }: { text: KeptText }): VNode {
  const [message, setMessage] = useState('');
  const title = pageName({ title: text.title, text: text.markdown });
  const attempt = (action: () => Promise<void>): void =>
    void action().catch((problem: unknown) => setMessage(sentenceOf(problem)));
  const copy = async (): Promise<void> =>
    setMessage((await copyText(text.markdown)) ? 'Copied.' : 'The browser didn’t let us copy it. Download the text instead.');
  return (
    <li>
      <h3 dir="auto">
        {title} {text.changedAt !== undefined && <small class="hint">from {momentWords(text.changedAt)}</small>}
      </h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
      <section class="kept-text" tabIndex={0} aria-label={`Text of ${title}`}>
        <pre dir="auto">{text.markdown}</pre>
      </section>
      <p class="button-row">
        {text.onAdd && (
          <button type="button" class="button primary" onClick={() => attempt(text.onAdd!)}>
            Add as a new page
          </button>
        )}
        <button type="button" class="button" onClick={() => attempt(copy)}>
          Copy
        </button>
        <button type="button" class="button" onClick={() => download(title, text.markdown)}>
          Download
        </button>
        {text.onDiscard && (
          <button type="button" class="button quiet" onClick={() => attempt(text.onDiscard!)}>
            Discard
          </button>
        )}
        <span role="status" class="hint">
          {message}
        </span>
      </p>
    </li>
  );
}

function download(title: string, markdown: string): void {
  const name = title.replaceAll(/[^\p{L}\p{N} _-]+/gu, '').trim() || 'page';
  saveFile(`${name}.md`, 'text/markdown', markdown);
}
