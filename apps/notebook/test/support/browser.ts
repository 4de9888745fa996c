// One Chromium serves the tests of every workspace, so it lives beside them all.
export { launchChromium } from '../../../../tools/chromium.ts';
