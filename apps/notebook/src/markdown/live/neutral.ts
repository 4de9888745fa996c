import { defaultTreeAdapter, InsertionMode, Parser } from 'parse5';

const dataState = 0;

/** Reads HTML step by step and tells whether what was read so far has no effect on how the next part is parsed. */
export class NeutralReader {
  readonly #parser = Parser.getFragmentParser(null, { treeAdapter: defaultTreeAdapter, scriptingEnabled: false });

  /** @param first whether this is the start of the page: before its first tag a parser is in a special state */
  constructor(first: boolean) {
    if (!first) this.read(opener);
  }

  /** @returns true when the parser is in the same state as after an ordinary paragraph */
  read(html: string): boolean {
    const parser = this.#parser;
    parser.tokenizer.write(html, false);
    return (
      (parser.tokenizer.state as number) === dataState &&
      parser.openElements.stackTop === 0 &&
      parser.activeFormattingElements.newest === null &&
      parser.insertionMode === InsertionMode.IN_BODY &&
      parser.tmplInsertionModeStack.length === 1 &&
      parser.tmplInsertionModeStack[0] === InsertionMode.IN_BODY &&
      parser.formElement === null
    );
  }
}

/** Parsed before a part that is not the first, so that its parser has the state of the whole page's parser. */
export const opener = '<p></p>';
