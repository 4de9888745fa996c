import type { ComponentChildren, VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { nameOf, type Shortcut } from '../../field/formatting/key-names.ts';
import { ToolIcon } from './tool-button.tsx';
import type { ToolbarIcon } from './toolbar-icons.ts';

interface ToolPopupProps {
  readonly name: string;
  readonly icon: ToolbarIcon;
  readonly shortcut?: Shortcut | undefined;
  readonly kind: 'menu' | 'dialog';
  readonly children: (close: () => void) => ComponentChildren;
}

/** A toolbar button with a popup below it. Esc, a press elsewhere or a choice closes it. */
export function ToolPopup({ name, icon, shortcut, kind, children }: ToolPopupProps): VNode {
  const popup = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  const id = `tool-${name.toLowerCase().replaceAll(' ', '-')}`;
  const title = shortcut ? `${name} (${nameOf(shortcut)})` : name;
  const toggled = (opened: boolean): void => {
    setOpen(opened);
    if (opened) popup.current!.querySelector<HTMLElement>('[role="menuitem"], input')?.focus();
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        class="button quiet icon tool opens"
        aria-label={title}
        title={title}
        aria-haspopup={kind}
        aria-expanded={open}
        popovertarget={id}
        onKeyDown={event => {
          if (event.key !== 'ArrowDown') return;
          event.preventDefault();
          popup.current!.showPopover();
        }}
      >
        <ToolIcon icon={icon} />
      </button>
      {/* biome-ignore lint/a11y: its role is one of two, and both may be named and pressed */}
      <div
        ref={popup}
        id={id}
        class="tool-popup"
        popover="auto"
        role={kind}
        aria-label={name}
        onBeforeToggle={event => {
          if (event.newState === 'open') putBelow(popup.current!, button.current!);
        }}
        onToggle={event => toggled(event.newState === 'open')}
        onKeyDown={event => kind === 'menu' && moveInMenu(popup.current!, event)}
      >
        {children(() => popup.current!.hidePopover())}
      </div>
    </>
  );
}

function putBelow(popup: HTMLElement, button: HTMLElement): void {
  const { left, bottom } = button.getBoundingClientRect();
  popup.style.top = `${bottom + 4}px`;
  popup.style.left = `max(0.5rem, min(${left}px, 100vw - 17.5rem))`;
}

function moveInMenu(menu: HTMLElement, event: KeyboardEvent): void {
  const items = [...menu.querySelectorAll<HTMLElement>('[role="menuitem"]')];
  const at = items.indexOf(document.activeElement as HTMLElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
  if (event.key === 'Tab') menu.hidePopover();
  if (to === undefined) return;
  event.preventDefault();
  items.at(to % items.length)?.focus();
}
