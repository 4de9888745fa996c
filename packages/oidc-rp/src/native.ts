export { type LoopbackOptions, type LoopbackSignIn, signInWithLoopback } from './native-app/native-loopback.ts';
export { openSystemBrowser } from './native-app/open-browser.ts';
