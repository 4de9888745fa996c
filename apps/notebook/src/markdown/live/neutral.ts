import { defaultTreeAdapter, InsertionMode, Parser } from 'parse5';

const dataState = 0;

/** Reads HTML bit by bit and says whether what was read so far leaves no trace on how the next is read. */
export class NeutralReader {
  readonly #parser = Parser.getFragmentParser(null, { treeAdapter: defaultTreeAdapter, scriptingEnabled: false });

  /** @param first whether nothing stands before it: until its first tag a parser is in a state of its own */
  constructor(first: boolean) {
    if (!first) this.read(opener);
  }

  /** True when a parser that goes on is in the state of one that begins after an ordinary paragraph. */
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

/** Before a part that is not the first, so that its parser is where the whole page's would be. */
export const opener = '<p></p>';
