import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { limits } from '../../../limits.ts';
import type { ImportPlan } from '../../files/read-import.ts';
import type { NotebookSession } from '../../session/notebook-session.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { sentenceOf } from '../../ui/use-session.ts';
import { planImport } from './plan-import.ts';
import { type ImportOutcome, runImport } from './run-import.ts';

type Stage =
  | { readonly kind: 'choose'; readonly fault?: string }
  | { readonly kind: 'reading' }
  | { readonly kind: 'ready'; readonly plan: ImportPlan }
  | { readonly kind: 'running'; readonly words: string }
  | { readonly kind: 'done'; readonly plan: ImportPlan; readonly outcome: ImportOutcome };

interface ImportDialogProps {
  readonly session: NotebookSession;
  /** Files dropped onto the page list; otherwise they are chosen here. */
  readonly files?: readonly File[] | undefined;
  readonly onClose: () => void;
}

/** Three steps: choose files, see the plan, import. Nothing is sent before the last step. */
export function ImportDialog({ session, files, onClose }: ImportDialogProps): VNode {
  const [stage, setStage] = useState<Stage>({ kind: files ? 'reading' : 'choose' });
  const read = async (chosen: readonly File[]): Promise<void> => {
    setStage({ kind: 'reading' });
    try {
      setStage({ kind: 'ready', plan: await planImport(chosen) });
    } catch (problem) {
      setStage({ kind: 'choose', fault: sentenceOf(problem) });
    }
  };
  const running = useRef(new AbortController());
  const closed = useRef(false);
  const run = async (plan: ImportPlan, addresses?: ReadonlyMap<string, string>): Promise<void> => {
    running.current = new AbortController();
    const { signal } = running.current;
    const outcome = await runImport(session, plan, {
      addresses,
      onProgress: words => setStage({ kind: 'running', words }),
      signal,
    });
    if (closed.current) session.notes.show({ name: 'import', text: whatWasImported(plan, outcome) });
    else setStage({ kind: 'done', plan, outcome });
  };
  useEffect(() => {
    if (files) void read(files);
    return () => {
      closed.current = true;
      running.current.abort();
    };
  }, []);
  return (
    <Dialog title="Import pages" onClose={onClose}>
      {close => (
        <div class="stack">
          {stage.kind === 'choose' && <Choose fault={stage.fault} onFiles={chosen => void read(chosen)} />}
          {stage.kind === 'ready' && (
            <Ready session={session} plan={stage.plan} onImport={plan => void run(plan)} onCancel={close} />
          )}
          {stage.kind === 'done' && <Done {...stage} onClose={close} onGoOn={plan => void run(plan, stage.outcome.addresses)} />}
          <p class="hint dialog-state" role="status">
            {stage.kind === 'reading' ? 'Looking into the files…' : stage.kind === 'running' ? stage.words : ''}
          </p>
          {stage.kind === 'running' && (
            <p class="button-row">
              <button type="button" class="button" onClick={() => running.current.abort()}>
                Stop importing
              </button>
            </p>
          )}
        </div>
      )}
    </Dialog>
  );
}

function Choose({ fault, onFiles }: { fault: string | undefined; onFiles: (files: readonly File[]) => void }): VNode {
  return (
    <>
      {fault && (
        <p class="notice error" role="alert">
          {fault}
        </p>
      )}
      <div class="field">
        <label class="label" for="import-files">
          Markdown files, or a zip of them
        </label>
        <p class="hint" id="import-hint">
          Each <code>.md</code> file becomes a page, in the order of the names. Images that the pages show come along when they
          lie in the same zip or are chosen too. You can also drop files onto the list of pages.
        </p>
        <input
          id="import-files"
          type="file"
          multiple
          accept=".md,.markdown,.mdown,.mkd,.zip,.png,.jpg,.jpeg,.gif,.webp,.avif,text/markdown,application/zip"
          aria-describedby="import-hint"
          onChange={event => {
            const chosen = [...(event.currentTarget.files ?? [])];
            if (chosen.length > 0) onFiles(chosen);
          }}
        />
      </div>
    </>
  );
}

interface ReadyProps {
  readonly session: NotebookSession;
  readonly plan: ImportPlan;
  readonly onImport: (plan: ImportPlan) => void;
  readonly onCancel: () => void;
}

function Ready({ session, plan, onImport, onCancel }: ReadyProps): VNode {
  const room = limits.maxPagesPerNotebook - session.pages.all.length;
  const pages = plan.pages.slice(0, Math.max(0, room));
  const tooMany = plan.pages.length - pages.length;
  return (
    <>
      {pages.length > 0 ? (
        <div>
          <p>
            {countOf(pages.length, 'page')}
            {plan.images.length > 0 && ` and ${countOf(plan.images.length, 'image')}`} will be added at the end of the notebook:
          </p>
          <ol class="import-pages" aria-label="Pages to import">
            {pages.map(({ path, title }) => (
              <li key={path} dir="auto">
                {title === undefined ? path : `${title} (${path})`}
              </li>
            ))}
          </ol>
        </div>
      ) : (
        <p class="notice warning" role="alert">
          {tooMany > 0
            ? `The notebook is full: it holds ${limits.maxPagesPerNotebook} pages.`
            : 'There is no page in it that can be imported.'}
        </p>
      )}
      {tooMany > 0 && pages.length > 0 && (
        <p class="notice warning">
          A notebook holds {limits.maxPagesPerNotebook} pages: the last {tooMany} of these files will not be imported.
        </p>
      )}
      <LeftOut title="Not imported" sentences={plan.leftOut} />
      <LeftOut title="Comments that readers won’t see; an export has them" sentences={commentSentences(plan)} />
      <p class="button-row">
        {pages.length > 0 && (
          <button type="button" class="button primary" onClick={() => onImport({ ...plan, pages })}>
            Import {countOf(pages.length, 'page')}
          </button>
        )}
        <button type="button" class="button" onClick={onCancel}>
          {pages.length > 0 ? 'Cancel' : 'Close'}
        </button>
      </p>
    </>
  );
}

interface DoneProps {
  readonly plan: ImportPlan;
  readonly outcome: ImportOutcome;
  readonly onClose: () => void;
  readonly onGoOn: (plan: ImportPlan) => void;
}

function Done({ plan, outcome, onClose, onGoOn }: DoneProps): VNode {
  const { added, withoutImages, notKept } = outcome;
  const left = plan.pages.slice(added);
  return (
    <>
      <p class={outcome.stopped === undefined ? 'notice' : 'notice warning'} role="alert">
        {whatWasImported(plan, outcome)}
      </p>
      <LeftOut title="Not imported" sentences={left.map(({ path }) => path)} />
      <LeftOut title="Images that are not here; their links stay as they were" sentences={withoutImages} />
      <LeftOut title="An export can’t give these files back as they were; keep your copy" sentences={notKept} />
      <p class="button-row">
        {left.length > 0 && (
          <button type="button" class="button primary" onClick={() => onGoOn({ ...plan, pages: left })}>
            Try again with the other {left.length}
          </button>
        )}
        <button type="button" class="button" onClick={onClose}>
          Close
        </button>
      </p>
    </>
  );
}

function LeftOut({ title, sentences }: { title: string; sentences: readonly string[] }): VNode | null {
  if (sentences.length === 0) return null;
  return (
    <details class="left-out" open={sentences.length <= 5}>
      <summary>
        {title}: {sentences.length}
      </summary>
      <ul>
        {sentences.map(sentence => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </details>
  );
}

function whatWasImported({ pages }: ImportPlan, { added, stopped }: ImportOutcome): string {
  const done = `${countOf(added, 'page')} ${added === 1 ? 'was' : 'were'} imported`;
  const left = pages.length - added;
  return stopped === undefined ? `${done}.` : `${done}, ${left} ${left === 1 ? 'was' : 'were'} not. ${sentenceOf(stopped)}`;
}

/** Sentences about Obsidian's `%%comments%%`. */
function commentSentences({ pages }: ImportPlan): string[] {
  return pages.filter(({ comments }) => comments > 0).map(({ path, comments }) => `${path}: ${countOf(comments, 'comment')}`);
}

const countOf = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;
