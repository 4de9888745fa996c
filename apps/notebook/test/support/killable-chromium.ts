// One Chromium serves the tests of every workspace, so it lives beside them all.
export { type ChromiumProcess, createProfile, startChromiumProcess } from '../../../../tools/chromium-process.ts';
