/** A key pressed with Ctrl, or with Command on Apple devices. */
export interface Shortcut {
  /** The character on the key: a lowercase letter, a digit or a symbol. */
  readonly key: string;
  readonly shift?: boolean;
}

export const isApple = (): boolean => /^(?:Mac|iP)/.test(navigator.platform);

/** The shortcut as written on this platform: `Ctrl+Shift+X` or `⇧⌘X`. */
export function nameOf({ key, shift }: Shortcut, apple = isApple()): string {
  const named = key.toUpperCase();
  return apple ? `${shift ? '⇧' : ''}⌘${named}` : `Ctrl+${shift ? 'Shift+' : ''}${named}`;
}

/** The shortcut in the form of `aria-keyshortcuts`. */
export function ariaNameOf({ key, shift }: Shortcut, apple = isApple()): string {
  return `${apple ? 'Meta' : 'Control'}+${shift ? 'Shift+' : ''}${key.toUpperCase()}`;
}

/** Input methods use Tab, Enter, Esc and keys with Ctrl for themselves. Phones and WebKit send 229 for every key that one handles. */
export const isComposing = (event: Pick<KeyboardEvent, 'isComposing' | 'keyCode'>): boolean =>
  event.isComposing || event.keyCode === 229;

type Pressed = Pick<
  KeyboardEvent,
  'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey' | 'getModifierState' | 'isComposing' | 'keyCode'
>;

/**
 * Whether the pressed keys are that shortcut. On Apple devices Ctrl moves the caret, and Ctrl with Alt types letters of many
 * alphabets, so neither counts.
 */
export function isPressed({ key, shift = false }: Shortcut, event: Pressed, apple = isApple()): boolean {
  const [main, other] = apple ? [event.metaKey, event.ctrlKey] : [event.ctrlKey, event.metaKey];
  if (isComposing(event)) return false;
  if (!main || other || event.altKey || event.getModifierState('AltGraph')) return false;
  // Shift changes the character of a digit or symbol key, so their `code` is compared. `/` may itself need Shift, so Shift is ignored there.
  if (key === '/') return event.key === '/' && !event.code.startsWith('Digit');
  if (event.shiftKey !== shift) return false;
  if (/[a-z]/.test(key)) return letterOf(event) === key;
  return /\d/.test(key) ? event.code === `Digit${key}` : event.key === key || (event.code === 'Period' && event.key !== '/');
}

/** The letter in this layout; on Greek, Cyrillic and other keyboards, the letter at that place on a Latin one. */
function letterOf({ key, code }: Pressed): string {
  return /^[\x20-\x7e]$/.test(key) ? key.toLowerCase() : code.replace(/^Key/, '').toLowerCase();
}
