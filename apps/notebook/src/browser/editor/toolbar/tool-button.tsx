import type { VNode } from 'preact';
import { ariaNameOf, nameOf, type Shortcut } from '../../field/formatting/key-names.ts';
import { type ToolbarIcon, toolbarIcons } from './toolbar-icons.ts';

interface ToolButtonProps {
  readonly name: string;
  readonly icon: ToolbarIcon;
  readonly shortcut?: Shortcut | undefined;
  readonly touchOnly?: boolean;
  /** The state of a button that switches something on and off. */
  readonly pressed?: boolean;
  readonly onClick: () => void;
}

/** A toolbar button. A press leaves the focus in the text, so that a phone's keyboard stays open. */
export function ToolButton({ name, icon, shortcut, touchOnly, pressed, onClick }: ToolButtonProps): VNode {
  const title = shortcut ? `${name} (${nameOf(shortcut)})` : name;
  return (
    <button
      type="button"
      class={touchOnly ? 'button quiet icon tool touch-only' : 'button quiet icon tool'}
      aria-label={title}
      title={title}
      aria-pressed={pressed}
      {...(shortcut ? { 'aria-keyshortcuts': ariaNameOf(shortcut) } : {})}
      onMouseDown={keepFocus}
      onClick={onClick}
    >
      <ToolIcon icon={icon} />
    </button>
  );
}

export function ToolIcon({ icon }: { icon: ToolbarIcon }): VNode {
  return (
    <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
      <path d={toolbarIcons[icon]} />
    </svg>
  );
}

export const keepFocus = (event: Event): void => event.preventDefault();
