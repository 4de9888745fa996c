import type { BrowserContext, Page, Route } from 'playwright-core';

/**
 * Answers the first request to an address, and lets all others go where they want. Playwright's own `times` takes a route away once it was
 * used, and a request that comes at that moment on a busy machine gets no answer at all.
 */
export async function routeFirst(
  where: Page | BrowserContext,
  address: string | RegExp,
  handle: (route: Route) => Promise<unknown>,
): Promise<void> {
  let isFirst = true;
  await where.route(address, route => {
    if (!isFirst) return route.fallback();
    isFirst = false;
    return handle(route);
  });
}
