/**
 * Sent with every HTML page. Nothing inline, nothing from elsewhere but images: of notes, which may lie at any https address, and of
 * our own store, exactly at its origin, which is plain http where the service is only tried out. Whatever slipped through the
 * sanitizer would still find no way to run. The policy names are those of browser/device/trusted-types.ts.
 */
const contentSecurityPolicy = (imageOrigin: string | undefined, frames: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    ["img-src 'self' data: https:", imageOrigin].filter(source => source !== undefined).join(' '),
    "font-src 'self'",
    // An export puts the notebook's own images into its file; the store decides whether it lets their bytes be read.
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

/** On every answer, whatever it is. */
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
 * Frames are allowed only on pages that draw diagrams, as their shell tells (views/document.tsx).
 * @param imageOrigin where our own images are fetched; undefined: upload is off
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
 * The headers of `/n/{slug}/embed`, the only page that other sites may show in a frame. It has no form and no cookie decides what it shows, so
 * nothing is won by laying something over it. The caller takes `x-frame-options` away, which knows no list of sites.
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
 * The headers of `/diagram`, where the text of strangers is drawn: an origin of its own, our scripts, nothing else; the drawings bring their styles.
 * Scripts by nonce: WebKit holds `'self'` for the sandbox's own origin, which nothing comes from. Whatever a module imports has its nonce.
 */
export function frameHeadersFor(nonce: string): Readonly<Record<string, string>> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts`,
    'x-frame-options': 'SAMEORIGIN',
  };
}

/** For data: should a browser ever be talked into showing it as a page, nothing in it runs. */
export const dataPolicy = "default-src 'none'; frame-ancestors 'none'; sandbox";
