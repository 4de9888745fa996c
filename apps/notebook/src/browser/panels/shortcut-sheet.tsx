import type { VNode } from 'preact';
import { type Action, actions } from '../field/formatting/actions.ts';
import { isApple, nameOf, type Shortcut } from '../field/formatting/key-names.ts';
import { Dialog } from '../ui/dialog.tsx';

export const sheetShortcut: Shortcut = { key: '/' };

interface Row {
  readonly name: string;
  readonly keys: readonly string[];
}

/** Lists the keyboard shortcuts with this platform's key names. */
export function ShortcutSheet({ onClose }: { onClose: () => void }): VNode {
  const apple = isApple();
  const formatting = Object.values<Action>(actions)
    .filter(({ shortcut }) => shortcut)
    .map(({ name, shortcut }): Row => ({ name, keys: [nameOf(shortcut!, apple)] }));
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      {() => (
        <div class="shortcut-sheet">
          <Rows name="Formatting" rows={formatting} />
          <Rows name="Writing" rows={writing(apple)} />
          <Rows name="Getting around" rows={around(apple)} />
          <Rows name="In the list of pages" rows={pageList(apple)} />
          <p class="hint">Where a mark is there already, the same key takes it away. Every change can be undone.</p>
        </div>
      )}
    </Dialog>
  );
}

function writing(apple: boolean): Row[] {
  return [
    { name: 'Indent', keys: ['Tab'] },
    { name: 'Outdent', keys: [apple ? '⇧Tab' : 'Shift+Tab'] },
    { name: 'Next list item; on an empty one, end of the list', keys: ['Enter'] },
    { name: 'New line without a list item', keys: [apple ? '⇧Enter' : 'Shift+Enter'] },
    { name: 'Paste without formatting', keys: [nameOf({ key: 'v', shift: true }, apple)] },
    { name: 'Undo', keys: [nameOf({ key: 'z' }, apple)] },
    { name: 'Redo', keys: [nameOf({ key: 'z', shift: true }, apple)] },
    { name: 'Save now', keys: [nameOf({ key: 's' }, apple)] },
  ];
}

function around(apple: boolean): Row[] {
  return [
    { name: 'Leave the text', keys: ['Esc', 'Tab'] },
    { name: 'Move in the toolbar', keys: ['←', '→'] },
    { name: 'Find and replace', keys: [nameOf({ key: 'f' }, apple)] },
    { name: 'Next match, previous match', keys: [nameOf({ key: 'g' }, apple), nameOf({ key: 'g', shift: true }, apple)] },
    { name: 'Write, split, read, focus', keys: ['Ctrl+Shift+1', '2', '3', '4'] },
    { name: 'This sheet', keys: [nameOf(sheetShortcut, apple)] },
  ];
}

function pageList(apple: boolean): Row[] {
  const alt = apple ? '⌥' : 'Alt+';
  return [
    { name: 'Go through the pages', keys: ['↑', '↓'] },
    { name: 'Move the page', keys: [`${alt}↑`, `${alt}↓`] },
    { name: 'Rename the page', keys: ['F2'] },
    { name: 'Delete the page', keys: ['Delete'] },
    { name: 'Bring back a deleted page', keys: [nameOf({ key: 'z' }, apple)] },
  ];
}

function Rows({ name, rows }: { name: string; rows: readonly Row[] }): VNode {
  return (
    <table>
      <caption>{name}</caption>
      <tbody>
        {rows.map(row => (
          <tr key={row.name}>
            <th scope="row">{row.name}</th>
            <td>
              {row.keys.map((key, place) => (
                <>
                  {place > 0 && ' '}
                  <kbd>{key}</kbd>
                </>
              ))}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
