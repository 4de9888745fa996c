// The three policies allowed under `require-trusted-types-for 'script'`, named in the server's header (views/props.ts).

interface PolicyFactory {
  createPolicy(name: string, rules: Record<string, (value: string) => string>): Record<string, (value: string) => string>;
}

const factory = (globalThis as { trustedTypes?: PolicyFactory }).trustedTypes;

/** Only for HTML from the renderer's worker, which has sanitized it. Created once, when first needed. */
let previewHtml: ((html: string) => string) | undefined;

export function trustRenderedHtml(html: string): string {
  previewHtml ??= policyFunction('octavo-preview', 'createHTML', value => value);
  return previewHtml(html);
}

let workerUrl: ((url: string) => string) | undefined;

/** Accepts only URLs of our own built files. */
export function trustWorkerUrl(url: string): string {
  workerUrl ??= policyFunction('octavo-worker', 'createScriptURL', value => {
    const { origin, pathname } = new URL(value, location.href);
    if (origin !== location.origin || !pathname.startsWith('/assets/'))
      throw new TypeError('A worker must be one of our own files.');
    return value;
  });
  return workerUrl(url);
}

let typedText: ((text: string) => string) | undefined;

/** For text typed into a field. The policy itself escapes it, so no markup ever comes out. */
export function trustEscapedText(text: string): string {
  typedText ??= policyFunction('octavo-typing', 'createHTML', value => value.replaceAll('&', '&amp;').replaceAll('<', '&lt;'));
  return typedText(text);
}

function policyFunction(
  name: string,
  kind: 'createHTML' | 'createScriptURL',
  rule: (value: string) => string,
): (value: string) => string {
  const policy = factory?.createPolicy(name, { [kind]: rule });
  return policy ? value => policy[kind]!(value) : rule;
}
