/** Characters that XML 1.0 §2.2 allows nowhere, not even as references. */
const notInXml = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

export const withoutNonXml = (text: string): string => text.replace(notInXml, '');

/** A title as XML can hold it; empty when nothing is left. */
export const titleInXml = (text: string): string => withoutNonXml(text).trim();

/** Escapes a text for an element or a quoted attribute of an XML document. */
export const escapeXml = (text: string): string =>
  withoutNonXml(text)
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/'/g, '&apos;')
    .replace(/"/g, '&quot;');
