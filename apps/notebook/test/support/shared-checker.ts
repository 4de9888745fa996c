import type { ImageChecker } from '../../src/images/image-checker.ts';
import { createImageChecker } from '../../src/images/process-checker.ts';

let shared: ImageChecker | undefined;
let services = 0;

/** A checker of images for one service of a test. Its process is that of the worker's other services, like the threads of the renderer. */
export function shareChecker(): ImageChecker {
  shared ??= createImageChecker();
  const { check } = shared;
  services += 1;
  const prefix = `service ${services} `;
  return {
    check: (file, client) => check(file, client === undefined ? undefined : prefix + client),
    close: async () => {},
  };
}
