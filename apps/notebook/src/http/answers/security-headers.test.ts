import { describe, expect, it } from 'vitest';
import { commonHeaders, dataPolicy, framedHeaders, frameHeadersFor, htmlHeadersFor } from './security-headers.ts';

const policy = (images: string, connections: string, frames: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src ${images}`,
    "font-src 'self'",
    `connect-src ${connections}`,
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

describe('the headers of an HTML page', () => {
  it('allow its own scripts and images of any https address, and no frame', () => {
    expect(htmlHeadersFor(undefined)({ frames: false })).toEqual({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy("'self' data: https:", "'self'", "'none'"),
    });
  });

  it('name the image store, and allow own frames where diagrams are drawn', () => {
    const store = 'http://store.example:9000';
    expect(htmlHeadersFor(store)({ frames: true })).toEqual({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy(`'self' data: https: ${store}`, `'self' ${store}`, "'self'"),
    });
  });

  it('of an embedded page let other sites frame it, and take its forms away', () => {
    const framed = framedHeaders({ ...htmlHeadersFor(undefined)({ frames: false }), 'x-kept': 'yes' });
    expect(framed).toEqual({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy("'self' data: https:", "'self'", "'none'")
        .replace("frame-ancestors 'none'", 'frame-ancestors *')
        .replace("form-action 'self'", "form-action 'none'"),
      'cross-origin-resource-policy': 'cross-origin',
      'x-kept': 'yes',
    });
    expect(framedHeaders({})).toEqual({ 'content-security-policy': '', 'cross-origin-resource-policy': 'cross-origin' });
  });

  it('of the frame that draws diagrams give it an origin of its own and no network', () => {
    expect(frameHeadersFor('bm9uY2U')).toEqual({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "default-src 'none'; script-src 'nonce-bm9uY2U'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts",
      'x-frame-options': 'SAMEORIGIN',
    });
  });
});

it('data that a browser shows as a page runs nothing', () => {
  expect(dataPolicy).toBe("default-src 'none'; frame-ancestors 'none'; sandbox");
});

describe('the headers of every answer', () => {
  const common = {
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'x-frame-options': 'DENY',
    'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
  };

  it('are these', () => expect(commonHeaders('http://https:8080')).toEqual(common));

  it('pin https where the service is reached by it', () => {
    expect(commonHeaders('https://notes.example')).toEqual({ ...common, 'strict-transport-security': 'max-age=31536000' });
  });
});
