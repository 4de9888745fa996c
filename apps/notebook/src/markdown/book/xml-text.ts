export type Attributes = Record<string, string | undefined>;

/** Characters that XML 1.0 §2.2 does not allow, not even as references. */
const notInXml = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
const references: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

/** Escapes the text of an element. */
export function escapeXml(text: string): string {
  return text.replace(notInXml, '').replace(/[&<>\r]/g, sign => references[sign]!);
}

/** Escapes a quoted attribute, including line ends, which would otherwise become spaces. */
export function escapeXmlAttribute(text: string): string {
  return text.replace(notInXml, '').replace(/[&<>"\t\n\r]/g, sign => references[sign]!);
}

/** Collects XML piece by piece. */
export class XmlText {
  readonly #pieces: string[] = [];

  words(text: string): void {
    this.#pieces.push(escapeXml(text));
  }

  empty(name: string, attributes: Attributes): void {
    this.#pieces.push(`<${name}${written(attributes)}/>`);
  }

  element(name: string, attributes: Attributes, inside: () => void): void {
    this.#pieces.push(`<${name}${written(attributes)}>`);
    inside();
    this.#pieces.push(`</${name}>`);
  }

  /** The index of the next piece. */
  get place(): number {
    return this.#pieces.length;
  }

  /** Rewrites the start tag at that index; `element` writes it as one piece. */
  amend(place: number, name: string, attributes: Attributes): void {
    this.#pieces[place] = `<${name}${written(attributes)}>`;
  }

  text(): string {
    return this.#pieces.join('');
  }
}

function written(attributes: Attributes): string {
  let text = '';
  for (const [name, value] of Object.entries(attributes))
    if (value !== undefined) text += ` ${name}="${escapeXmlAttribute(value)}"`;
  return text;
}
