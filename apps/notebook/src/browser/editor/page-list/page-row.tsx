import type { VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { limits } from '../../../limits.ts';
import { isComposing } from '../../field/formatting/key-names.ts';
import type { EditorPage } from '../../session/editor-page.ts';
import { givenTitle, isEmpty } from './page-name.ts';

/** The narrowest list shows more than this in three lines. */
const shownChars = 50;

interface PageRowProps {
  readonly page: EditorPage;
  readonly current: boolean;
  readonly renaming: boolean;
  /** A title that the page should have got but did not. */
  readonly wantedTitle: string | undefined;
  readonly first: boolean;
  readonly last: boolean;
  /** Visitors may write, but neither reorder nor delete. */
  readonly visitor: boolean;
  readonly onPick: () => void;
  readonly onMove: (by: -1 | 1) => void;
  readonly onStartRename: () => void;
  readonly onRename: (title: string | undefined) => void;
  /** Called at every key in the form. Undefined for a title that the form opened with, or none. */
  readonly onTypeTitle: (title: string | undefined) => void;
  /** Called when the form is removed with this title in it, because the page is gone or another one is being renamed. */
  readonly onLeaveRename: (title: string) => void;
  readonly onDuplicate: () => void;
  readonly onDelete: () => void;
  /** Called when the row is removed while it has the focus. */
  readonly onLoseFocus: (row: HTMLElement) => void;
}

/** One page in the list. The row of the open page has the actions. */
export function PageRow(props: PageRowProps): VNode {
  const { page, current, onPick } = props;
  const row = useRef<HTMLLIElement>(null);
  // The cleanup of a layout effect runs while the row is still in the document.
  useLayoutEffect(() => () => void (row.current?.contains(document.activeElement) && props.onLoseFocus(row.current)), []);
  if (props.renaming) {
    return (
      <li ref={row} data-page={page.id} data-current={current ? '' : undefined}>
        <RenameForm
          title={givenTitle(page)}
          wanted={props.wantedTitle}
          onType={props.onTypeTitle}
          onDone={props.onRename}
          onLeave={props.onLeaveRename}
        />
      </li>
    );
  }
  return (
    <li ref={row} data-page={page.id} data-current={current ? '' : undefined}>
      {!props.visitor && <Grip />}
      {/* The list is one stop of Tab, however many pages there are. The arrow keys go through them (page-list-keys.ts). */}
      <button
        type="button"
        class="page-pick"
        dir="auto"
        tabIndex={current ? 0 : -1}
        aria-current={current ? 'page' : undefined}
        data-untitled={isEmpty(page) ? '' : undefined}
        title={hintOf(page.name)}
        onClick={onPick}
      >
        <span class="page-name">{page.name}</span>
        {page.saver.isUnsaved && <span class="visually-hidden"> (not saved yet)</span>}
      </button>
      {current && <PageActions {...props} />}
    </li>
  );
}

/** The whole name, where the list may show only three lines of it. */
const hintOf = (name: string): string | undefined => (name.length > shownChars ? name : undefined);

/** Only for pointers: the keyboard has Alt with an arrow key, and everybody has the two buttons. */
function Grip(): VNode {
  return (
    <span class="page-grip" aria-hidden="true">
      <svg viewBox="0 0 12 20" width="9" height="15" aria-hidden="true">
        <path class="filled" d="M3 4h.1M9 4h.1M3 10h.1M9 10h.1M3 16h.1M9 16h.1" />
      </svg>
    </span>
  );
}

function PageActions(props: PageRowProps): VNode {
  const name = props.page.name;
  return (
    <div class="page-actions">
      <IconButton name={`Rename ${name}`} icon="M4 20h4L19 9l-4-4L4 16zM13 7l4 4" onPress={props.onStartRename} />
      <IconButton name={`Duplicate ${name}`} icon="M9 9h11v11H9zM5 15H4V4h11v1" onPress={props.onDuplicate} />
      {!props.visitor && <OwnerPageActions {...props} />}
    </div>
  );
}

/** Only the owner may reorder and delete, even if others may write. */
function OwnerPageActions({ page, first, last, onMove, onDelete }: PageRowProps): VNode {
  const name = page.name;
  return (
    <>
      <IconButton name={`Move ${name} up`} icon="M12 19V6M6 11l6-6 6 6" off={first} onPress={() => onMove(-1)} />
      <IconButton name={`Move ${name} down`} icon="M12 5v13M6 13l6 6 6-6" off={last} onPress={() => onMove(1)} />
      <IconButton name={`Delete ${name}`} icon="M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13" off={first && last} onPress={onDelete} />
    </>
  );
}

interface IconButtonProps {
  readonly name: string;
  readonly icon: string;
  readonly off?: boolean;
  readonly onPress: () => void;
}

/** Uses `aria-disabled`, not `disabled`: a button that moves its page to the end of the list must keep the focus. */
function IconButton({ name, icon, off = false, onPress }: IconButtonProps): VNode {
  return (
    <button
      type="button"
      class="button quiet icon small"
      aria-label={name}
      title={name}
      aria-disabled={off}
      onClick={() => {
        if (!off) onPress();
      }}
    >
      <svg viewBox="0 0 24 24" width="18" height="18" aria-hidden="true">
        <path d={icon} />
      </svg>
    </button>
  );
}

interface RenameFormProps {
  readonly title: string;
  readonly wanted: string | undefined;
  readonly onType: (title: string | undefined) => void;
  readonly onDone: (title: string | undefined) => void;
  readonly onLeave: (title: string) => void;
}

function RenameForm({ title, wanted, onType, onDone, onLeave }: RenameFormProps): VNode {
  const field = useRef<HTMLInputElement>(null);
  const isDone = useRef(false);
  const before = useRef(wanted);
  useLayoutEffect(() => {
    const input = field.current!;
    input.select();
    // Words that were written before are written on, not over.
    if (wanted !== undefined) input.setSelectionRange(wanted.length, wanted.length);
    return () => {
      const left = input.value.trim();
      if (!isDone.current && left !== '' && left !== title) onLeave(left);
    };
  }, []);
  const end = (chosen: string | undefined): void => {
    isDone.current = true;
    onDone(chosen);
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    end(field.current?.value.trim());
  };
  return (
    <form class="rename" onSubmit={submit}>
      <input
        ref={field}
        type="text"
        dir="auto"
        aria-label="Page title"
        defaultValue={before.current ?? title}
        maxLength={limits.maxTitleChars}
        onInput={event => {
          const typed = event.currentTarget.value.trim();
          onType(typed === '' || typed === title ? undefined : typed);
        }}
        onKeyDown={event => {
          if (event.key !== 'Escape' || isComposing(event)) return;
          onType(before.current);
          end(undefined);
        }}
      />
      <button type="submit" class="button">
        Rename
      </button>
    </form>
  );
}
