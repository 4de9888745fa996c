export { type LoopbackOptions, type LoopbackSignIn, signInWithLoopback } from './native-loopback.ts';
export { openSystemBrowser } from './open-browser.ts';
