/** For a browser that refused to copy what is selected. Apart from copy-text.ts, whose bytes every view with a diagram pays for. */
export const pressToCopy = (): string => `Press ${/^Mac|^iP/.test(navigator.platform) ? '⌘' : 'Ctrl+'}C`;
