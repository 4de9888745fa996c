/** A key together with Ctrl, or Command on Apple's machines. */
export interface Shortcut {
  /** What the key writes: a small letter, a digit or a sign. */
  readonly key: string;
  readonly shift?: boolean;
}

export const isApple = (): boolean => /^(?:Mac|iP)/.test(navigator.platform);

/** As people of this machine write it: `Ctrl+Shift+X` or `⇧⌘X`. */
export function nameOf({ key, shift }: Shortcut, apple = isApple()): string {
  const named = key.toUpperCase();
  return apple ? `${shift ? '⇧' : ''}⌘${named}` : `Ctrl+${shift ? 'Shift+' : ''}${named}`;
}

/** As `aria-keyshortcuts` wants it. */
export function ariaNameOf({ key, shift }: Shortcut, apple = isApple()): string {
  return `${apple ? 'Meta' : 'Control'}+${shift ? 'Shift+' : ''}${key.toUpperCase()}`;
}

/** Input methods use Tab, Enter, Esc and keys with Ctrl for themselves; phones and WebKit send 229 for every key that one of them is busy with. */
export const isComposing = (event: Pick<KeyboardEvent, 'isComposing' | 'keyCode'>): boolean =>
  event.isComposing || event.keyCode === 229;

type Pressed = Pick<
  KeyboardEvent,
  'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey' | 'getModifierState' | 'isComposing' | 'keyCode'
>;

/**
 * Whether the press is that shortcut. Ctrl on Apple's machines moves the caret, and Ctrl with Alt writes letters of many
 * alphabets, so neither counts.
 */
export function isPressed({ key, shift = false }: Shortcut, event: Pressed, apple = isApple()): boolean {
  const [main, other] = apple ? [event.metaKey, event.ctrlKey] : [event.ctrlKey, event.metaKey];
  if (isComposing(event)) return false;
  if (!main || other || event.altKey || event.getModifierState('AltGraph')) return false;
  // With Shift held a digit or sign writes something else; where it takes Shift to write the sign, it is not asked for.
  if (key === '/') return event.key === '/' && !event.code.startsWith('Digit');
  if (event.shiftKey !== shift) return false;
  if (/[a-z]/.test(key)) return letterOf(event) === key;
  return /\d/.test(key) ? event.code === `Digit${key}` : event.key === key || (event.code === 'Period' && event.key !== '/');
}

/** The letter of the layout; on Greek, Cyrillic and other keyboards the one that stands there on Latin ones. */
function letterOf({ key, code }: Pressed): string {
  return /^[\x20-\x7e]$/.test(key) ? key.toLowerCase() : code.replace(/^Key/, '').toLowerCase();
}
