/**
 * Sent with every HTML page. Nothing inline and nothing from elsewhere, except images: those in notes may be at any https address, and
 * those of our own store exactly at its origin, which may be plain http when the service is only tried out. Anything that slipped through
 * the sanitizer would still be unable to run. The policy names are those of browser/device/trusted-types.ts.
 */
const contentSecurityPolicy = (imageOrigin: string | undefined, frames: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    ["img-src 'self' data: https:", imageOrigin].filter(source => source !== undefined).join(' '),
    "font-src 'self'",
    // An export fetches the notebook's own images to put them into its file; the store decides whether it may read their bytes.
    ["connect-src 'self'", imageOrigin].filter(source => source !== undefined).join(' '),
    "worker-src 'self'",
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "object-src 'none'",
    `frame-src ${frames}`,
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types octavo-preview octavo-worker octavo-typing octavo-offline',
  ].join('; ');

/** Sent with every answer. */
export function commonHeaders(publicUrl: string): Record<string, string> {
  return {
    'x-content-type-options': 'nosniff',
    // The view link is a capability and the edit link a credential: neither may travel to another site.
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'x-frame-options': 'DENY',
    'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
    ...(publicUrl.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  };
}

export type HtmlHeaders = (page: { readonly frames: boolean }) => Readonly<Record<string, string>>;

/**
 * Frames are allowed only on pages that draw diagrams; the page's shell says so (views/document.tsx).
 * @param imageOrigin where our own images are fetched from; undefined: uploads are off
 */
export function htmlHeadersFor(imageOrigin: string | undefined): HtmlHeaders {
  const headers = (frames: string) => ({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': contentSecurityPolicy(imageOrigin, frames),
  });
  const [withoutFrames, withFrames] = [headers("'none'"), headers("'self'")];
  return ({ frames }) => (frames ? withFrames : withoutFrames);
}

/**
 * The headers of `/n/{slug}/embed`, the only page that other sites may frame. It has no form, and no cookie decides what it shows, so
 * clickjacking gains nothing. The caller removes `x-frame-options`, which cannot list sites.
 */
export function framedHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const policy = headers['content-security-policy'] ?? '';
  return {
    ...headers,
    'content-security-policy': policy
      .replace("frame-ancestors 'none'", 'frame-ancestors *')
      .replace("form-action 'self'", "form-action 'none'"),
    'cross-origin-resource-policy': 'cross-origin',
  };
}

/**
 * The headers of `/diagram`, which draws untrusted text: an opaque origin, our scripts, nothing else; the drawings contain their styles.
 * Scripts are allowed by nonce: WebKit takes `'self'` as the sandbox's own origin, from which nothing comes. A module's imports inherit its
 * nonce.
 */
export function frameHeadersFor(nonce: string): Readonly<Record<string, string>> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts`,
    'x-frame-options': 'SAMEORIGIN',
  };
}

/** For data: if a browser were ever tricked into showing it as a page, nothing in it would run. */
export const dataPolicy = "default-src 'none'; frame-ancestors 'none'; sandbox";
