import type { VNode } from 'preact';
import { useRef } from 'preact/hooks';
import { UploadList } from '../field/images/upload-list.tsx';
import type { NotebookSession } from '../session/notebook-session.ts';
import { DeskField } from './desk-field.tsx';
import { DeskLooking } from './desk-looking.tsx';
import { Divider } from './divider.tsx';
import { Toolbar } from './toolbar/toolbar.tsx';
import { useDesks } from './use-desks.ts';
import { WordCount } from './word-count.tsx';

/** The text of one page and how it will look; the pages visited before stay mounted behind it. */
export function WritingDesk({ session }: { session: NotebookSession }): VNode {
  const { desks, current } = useDesks(session);
  const field = useRef<HTMLTextAreaElement>(null);
  const panes = useRef<HTMLDivElement>(null);
  return (
    <main id="main" class="desk" tabIndex={-1}>
      <h1 class="visually-hidden">{`Editing ${session.notebook.title}`}</h1>
      <div class="desk-bar">
        <Toolbar session={session} field={field} />
      </div>
      <div class="desk-panes" ref={panes}>
        <div class="writing">
          <div class="fields">
            {desks.map(desk => (
              <DeskField key={desk.page.id} session={session} desk={desk} shown={desk === current} shownField={field} />
            ))}
          </div>
          <p class="field-keys hint">
            <span id="field-keys">
              <kbd>Tab</kbd> indents. <kbd>Esc</kbd>, then <kbd>Tab</kbd> leaves the text.
            </span>
            <WordCount session={session} />
          </p>
        </div>
        <Divider panes={panes} />
        <div class="lookings">
          {desks.map(desk => (
            <DeskLooking key={desk.page.id} desk={desk} paper={session.notebook.paper} shown={desk === current} />
          ))}
        </div>
      </div>
      <UploadList session={session} />
    </main>
  );
}
