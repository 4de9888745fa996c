// The three doors of `require-trusted-types-for 'script'`; the server's policy names them (views/props.ts). Nothing else may open one.

interface PolicyFactory {
  createPolicy(name: string, rules: Record<string, (value: string) => string>): Record<string, (value: string) => string>;
}

const factory = (globalThis as { trustedTypes?: PolicyFactory }).trustedTypes;

/** Only for html that the renderer's worker answered: it was sanitized there. Lazily made, once. */
let previewHtml: ((html: string) => string) | undefined;

export function trustRenderedHtml(html: string): string {
  previewHtml ??= policyFunction('octavo-preview', 'createHTML', value => value);
  return previewHtml(html);
}

let workerUrl: ((url: string) => string) | undefined;

/** Only addresses of our own built files. */
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

/** For text that is typed into a field: the policy itself escapes it, so no markup ever comes out. */
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
