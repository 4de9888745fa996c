import { lineEnd } from './field-lines.ts';

/** A fenced code block, from the start of its opening line to the end of its closing line. */
export interface Fence {
  readonly from: number;
  readonly to: number;
  readonly bodyFrom: number;
  /** The end of the code, without its last line feed. */
  readonly bodyTo: number;
  readonly closed: boolean;
}

/** Finds the fenced block that contains `position`, fences included. Quote and list marks before a fence are ignored. */
export function findFence(text: string, position: number): Fence | undefined {
  let open: { mark: string; from: number; bodyFrom: number } | undefined;
  for (let from = 0; from <= text.length; ) {
    const to = lineEnd(text, from);
    if (!open && from > position) return undefined;
    const line = text.slice(from, to);
    if (open) {
      if (closes(line, open.mark)) {
        if (position <= to) return fenceOf(open, { bodyTo: Math.max(open.bodyFrom, from - 1), to, closed: true });
        open = undefined;
      }
    } else {
      const mark = opens(line);
      if (mark) open = { mark, from, bodyFrom: Math.min(to + 1, text.length) };
    }
    from = to + 1;
  }
  return open && open.from <= position ? fenceOf(open, { bodyTo: text.length, to: text.length, closed: false }) : undefined;
}

function fenceOf(open: { from: number; bodyFrom: number }, rest: { bodyTo: number; to: number; closed: boolean }): Fence {
  return { from: open.from, bodyFrom: open.bodyFrom, ...rest };
}

function opens(line: string): string | undefined {
  const [, backticks, tildes] = /^[\s>]*(?:(?:[-*+]|\d{1,9}[.)])\s+)*(?:(`{3,})[^`]*$|(~{3,}))/.exec(line) ?? [];
  return backticks ?? tildes;
}

function closes(line: string, mark: string): boolean {
  const [, run] = /^[\s>]*(`{3,}|~{3,})\s*$/.exec(line) ?? [];
  return run !== undefined && run[0] === mark[0] && run.length >= mark.length;
}
