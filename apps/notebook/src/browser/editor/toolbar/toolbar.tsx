import type { ComponentChildren, RefObject, VNode } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type Action, actions } from '../../field/formatting/actions.ts';
import { alertKinds, insertAlert, insertTable } from '../../field/formatting/blocks.ts';
import { insertCodeBlock } from '../../field/formatting/code-block.ts';
import { isPressed, type Shortcut } from '../../field/formatting/key-names.ts';
import { setHeading } from '../../field/formatting/line-marks.ts';
import { chooseImages } from '../../field/images/choose-images.ts';
import { ImageUploads } from '../../field/images/image-uploads.ts';
import type { FieldText, TextEdit } from '../../field/text/field-text.ts';
import { applyEdit, readField } from '../../field/text/text-edit.ts';
import { ShortcutSheet, sheetShortcut } from '../../panels/shortcut-sheet.tsx';
import type { NotebookSession } from '../../session/notebook-session.ts';
import { ToolButton } from './tool-button.tsx';
import { CodeLanguageForm, TableSizeForm } from './tool-forms.tsx';
import { ToolPopup } from './tool-popup.tsx';

interface ToolbarProps {
  readonly session: NotebookSession;
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly onFind: () => void;
  /** Absent where the browser cannot paint colors. */
  readonly colors: { readonly colored: boolean; readonly choose: (colored: boolean) => void } | undefined;
}

export const findShortcut: Shortcut = { key: 'f' };

type Run = (edit: (field: FieldText) => TextEdit) => void;

/** Every action goes through `applyEdit`, so the browser's undo takes it back. The toolbar is one stop of Tab; arrows move inside it. */
export function Toolbar({ session, field, onFind, colors }: ToolbarProps): VNode {
  const bar = useRef<HTMLDivElement>(null);
  const [sheetOpen, setSheetOpen] = useState(false);
  const [imagesOff, setImagesOff] = useState(() => ImageUploads.of(session).off);
  useLayoutEffect(() => ImageUploads.of(session).listen(() => setImagesOff(ImageUploads.of(session).off)), [session]);
  const [readOnly, setReadOnly] = useState(session.notebook.readOnly);
  useLayoutEffect(() => session.listen(() => setReadOnly(session.notebook.readOnly)), [session]);
  useLayoutEffect(() => rove(bar.current!), [readOnly]);
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!isPressed(sheetShortcut, event) || document.querySelector('dialog[open]')) return;
      event.preventDefault();
      setSheetOpen(true);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
  const run: Run = edit => {
    if (field.current && !field.current.readOnly) applyEdit(field.current, edit(readField(field.current)));
  };
  const chooseImage = (): void => {
    if (field.current && !field.current.readOnly) chooseImages(field.current, { session, page: session.current });
  };
  const command = (name: 'undo' | 'redo') => () => {
    field.current?.focus();
    document.execCommand(name);
  };
  return (
    <>
      <div ref={bar} class="toolbar" role="toolbar" aria-label="Formatting" aria-controls="markdown-field">
        {readOnly ? (
          <p class="hint">This notebook is read-only.{!session.isVisitor && ' You can switch that off under Share.'}</p>
        ) : (
          <>
            <ToolButton name="Undo" icon="undo" touchOnly onClick={command('undo')} />
            <ToolButton name="Redo" icon="redo" touchOnly onClick={command('redo')} />
            <HeadingMenu run={run} />
            <Tools run={run} ids={['bold', 'italic', 'strike', 'highlight', 'code']} />
            <Gap />
            <Tools run={run} ids={['link']} />
            {!imagesOff && <ToolButton name="Insert images" icon="image" onClick={chooseImage} />}
            <Gap />
            <Tools run={run} ids={['quote', 'bulleted', 'numbered', 'task']} />
            <Gap />
            <BlockPopups run={run} />
            <Tools run={run} ids={['details', 'divider']} />
          </>
        )}
        <Gap />
        <ToolButton name="Find and replace" icon="find" shortcut={findShortcut} onClick={onFind} />
        {colors && (
          <ToolButton
            name="Syntax colors"
            icon="colors"
            pressed={colors.colored}
            onClick={() => colors.choose(!colors.colored)}
          />
        )}
        <ToolButton name="Keyboard shortcuts" icon="keys" shortcut={sheetShortcut} onClick={() => setSheetOpen(true)} />
      </div>
      {sheetOpen && <ShortcutSheet onClose={() => setSheetOpen(false)} />}
    </>
  );
}

const Gap = (): VNode => <span class="tool-gap" />;

function Tools({ run, ids }: { run: Run; ids: readonly (keyof typeof actions)[] }): VNode {
  return (
    <>
      {ids.map(id => {
        const { name, shortcut, edit }: Action = actions[id];
        return <ToolButton key={id} name={name} icon={id} shortcut={shortcut} onClick={() => run(edit)} />;
      })}
    </>
  );
}

function HeadingMenu({ run }: { run: Run }): VNode {
  const { name, shortcut } = actions.heading;
  return (
    <ToolPopup name={name} icon="heading" shortcut={shortcut} kind="menu">
      {close => (
        <>
          {[1, 2, 3, 4, 5, 6].map(level => (
            <MenuItem key={level} close={close} onChoose={() => run(field => setHeading(field, level))}>
              <span class={`heading-${level}`}>{`Heading ${level}`}</span>
            </MenuItem>
          ))}
          <MenuItem close={close} onChoose={() => run(field => setHeading(field, 0))}>
            Plain text
          </MenuItem>
        </>
      )}
    </ToolPopup>
  );
}

function BlockPopups({ run }: { run: Run }): VNode {
  return (
    <>
      <ToolPopup name="Code block" icon="codeBlock" kind="dialog">
        {close => (
          <CodeLanguageForm
            onChoose={language => {
              close();
              run(field => insertCodeBlock(field, language));
            }}
          />
        )}
      </ToolPopup>
      <ToolPopup name="Table" icon="table" kind="dialog">
        {close => (
          <TableSizeForm
            onChoose={size => {
              close();
              run(field => insertTable(field, size));
            }}
          />
        )}
      </ToolPopup>
      <ToolPopup name="Alert" icon="alert" kind="menu">
        {close =>
          alertKinds.map(kind => (
            <MenuItem key={kind} close={close} onChoose={() => run(field => insertAlert(field, kind))}>
              <span class={`alert-dot ${kind.toLowerCase()}`} />
              {kind}
            </MenuItem>
          ))
        }
      </ToolPopup>
    </>
  );
}

interface MenuItemProps {
  readonly close: () => void;
  readonly onChoose: () => void;
  readonly children: ComponentChildren;
}

function MenuItem({ close, onChoose, children }: MenuItemProps): VNode {
  const choose = (): void => {
    close();
    onChoose();
  };
  return (
    <button type="button" role="menuitem" class="button quiet" tabIndex={-1} onClick={choose}>
      {children}
    </button>
  );
}

/** Follows the ARIA toolbar pattern: arrows, Home and End move the focus, and Tab returns to the last button. */
function rove(bar: HTMLElement): () => void {
  const tools = (): HTMLElement[] => [...bar.querySelectorAll<HTMLElement>('.tool')].filter(tool => tool.checkVisibility());
  const makeTabStop = (at: HTMLElement): void => {
    for (const tool of bar.querySelectorAll<HTMLElement>('.tool')) tool.tabIndex = tool === at ? 0 : -1;
  };
  const onFocus = ({ target }: FocusEvent): void => {
    if (target instanceof HTMLElement && target.matches('.tool')) makeTabStop(target);
  };
  const onKey = (event: KeyboardEvent): void => {
    const seen = tools();
    const at = seen.indexOf(event.target as HTMLElement);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: seen.length - 1 }[event.key];
    if (at === -1 || to === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    seen.at(to % seen.length)!.focus();
  };
  // Asks the screen, not the buttons, for what is hidden (toolbar.css): that would lay out the editor before it is complete.
  const first = matchMedia('(pointer: coarse)').matches ? '.tool' : '.tool:not(.touch-only)';
  makeTabStop(bar.querySelector<HTMLElement>(first)!);
  bar.addEventListener('focusin', onFocus);
  bar.addEventListener('keydown', onKey);
  return () => {
    bar.removeEventListener('focusin', onFocus);
    bar.removeEventListener('keydown', onKey);
  };
}
