/**
 * What a pasted text seems to be. `verbatim` is a log, a stack trace, a diff or code, which Markdown would garble.
 * `unclear` is none of these for certain.
 */
export interface PastedText {
  readonly kind: 'markdown' | 'prose' | 'verbatim' | 'unclear';
  /** The language for the fence around a verbatim text: one that the highlighter knows, or ''. */
  readonly language: string;
}

/** Enough to tell, because a log may be a megabyte. */
const readLines = 400;
const readChars = 65_536;
const readLineChars = 400;

/** One line like these is enough, because nothing else begins so. */
const telltales: readonly (readonly [RegExp, string])[] = [
  [/^diff --(?:git|cc) |^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@|^Index: \S+$/, 'diff'],
  [/^Traceback \(most recent call last\):$|^ {2}File "[^"]+", line \d+/, ''],
  [/^\s+at [\w.$<>[\]/@ ]+\([^()]*\)$|^\s+at \S+:\d+:\d+$|^\s+at .+ in .+:line \d+$|^Caused by: [\w.$]+/, ''],
  [
    /^thread '[^']*' (?:\(\d+\) )?panicked at |^stack backtrace:$|^goroutine \d+ \[[^\]]+\]:$|^panic: |^#\d+ +0x[0-9a-f]+ in /,
    '',
  ],
  [/^<\?php\b/, 'php'],
  [/^<\?xml\b|^<!doctype /i, 'xml'],
  [/^#!.*\bpython/, 'python'],
  [/^#!.*\b(?:ba|z|k|da)?sh\b/, 'bash'],
  [/^#!.*\b(?:node|deno|bun)\b/, 'javascript'],
  [/^#!\/|^-----BEGIN [A-Z ]+-----$/, ''],
];

/** The start of a log line: a time, a level, kernel seconds or an address. */
const logLine =
  /^(?:\[ *\d+\.\d+\] |\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d |\d\d:\d\d:\d\d[.,]?\d* |\S+ \S+ \S+ \[\d\d\/[A-Z][a-z]{2}\/\d{4}|\[?(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL)\]?[: ]|npm (?:ERR!|error|warn) |make(?:\[\d+\])?: )/;

// super-linear: the line has at most readLineChars characters.
const codeLine =
  /[;{}]$|^[\])}]+[,;)]*$|^["'][\w$.-]+["']: |[=(,[]$|\) ?(?:=>|->|\{)|^(?:\/\/|\/\*|\*\/|--|;;|<!--)|^\* (?:@|\S.*\*\/$)|^<\/?[a-zA-Z][\w:-]*(?: [^<>]{0,300})?\/?>|^(?:export |public |private |protected |static |async |pub |final |abstract )*(?:import|from|const|let|var|function|class|interface|enum|struct|impl|fn|func|def|type|package|namespace|using|module|return|yield|await|throw|elif|else|try|catch|except|finally|switch|case|while|with|SELECT|INSERT|UPDATE|CREATE|ALTER|DROP|FROM|WHERE)\b.*[({;:='"[,]|^#(?:include|define|ifdef|ifndef|endif|pragma)\b|^@[\w.]+(?:\(|$)|^[\w$.[\]]+ (?:=|:=|\+=|-=) \S|^\$ \S|^(?:if|for|while) ?\(.*\)|^(?:if|for|while|elif|else|try|except)\b.*:$|^[\w$.]+\([^)]*\)$/;

/** Tags that people use within Markdown for centered titles, badges and picture sizes. */
const tagLine = /^<\/?(?:a|b|br|center|details|div|em|h[1-6]|hr|i|img|kbd|p|picture|source|strong|sub|summary|sup)\b/i;

const markdownLine =
  /^#{1,6} \S|^(?:[-*+]|\d{1,3}[.)]) (?:\[[ x]\] )?\S|^> \S|^\|.*\|$|^```|^~{3,} *[\w+#-]*$|^(?:=+|-{3,}|\*{3,})$|\[[^[\]]+\]\([^()\s]+\)|\*\*[^*\s][^*]*\*\*|`[^`]+`|^\[[^\]]+\]: \S/;

/** Excludes `~~~~^^`, with which Python marks a place in a line. */
const fence = /^```|^~{3,} *[\w+#-]*$/;

/** Words in a row with the punctuation of sentences, as one person writes to another. */
function isProse(line: string): boolean {
  if (!/^[\p{L}\p{N}"'“‘¿¡(*_]/u.test(line) || /[{};=<>|\\]/.test(line)) return false;
  // Scripts without spaces have their own punctuation.
  if (/[。！？、，]/.test(line)) return true;
  const words = line.split(' ').filter(word => /^["'“‘(¿¡]?\p{L}[\p{L}'’-]*["'”’)]?[.,:;!?…]{0,3}["'”’)]?$/u.test(word)).length;
  const others = line.split(' ').length - words;
  return words >= 3 && words >= 4 * others;
}

interface Tally {
  lines: number;
  log: number;
  code: number;
  markdown: number;
  prose: number;
  aligned: number;
  indented: number;
  keyed: number;
  fences: number;
  tags: number;
  inComment: boolean;
  /** True if the previous line was `# …`. Headings do not follow each other, but comments do. */
  afterHash: boolean;
}

/**
 * Tells Markdown and prose from logs, traces, diffs and code. It guesses from the first lines, in linear time, and is tested against
 * real files in `pasted-text.test.ts`.
 */
export function guessPastedText(text: string): PastedText {
  const lines = text.slice(0, readChars).split(/\r?\n/, readLines);
  const tally: Tally = {
    lines: 0,
    log: 0,
    code: 0,
    markdown: 0,
    prose: 0,
    aligned: 0,
    indented: 0,
    keyed: 0,
    fences: 0,
    tags: 0,
    inComment: false,
    afterHash: false,
  };
  let telltale: string | undefined;
  for (const whole of lines) {
    const line = whole.slice(0, readLineChars).trimEnd();
    if (line === '') continue;
    if (tally.fences % 2 === 0) telltale ??= telltales.find(([pattern]) => pattern.test(line))?.[1];
    countLine(tally, line);
  }
  // Among headings and links, tags are part of Markdown; alone they mean an HTML file.
  if (tally.markdown > 0) tally.markdown += tally.tags;
  else tally.code += tally.tags;
  // Markdown has traces and code inside fences, so fences decide.
  if (tally.fences >= 2) return { kind: 'markdown', language: '' };
  if (telltale !== undefined && tally.markdown * 2 < tally.lines) return { kind: 'verbatim', language: telltale };
  if (isJson(text)) return { kind: 'verbatim', language: 'json' };
  const verbatim = Math.max(tally.log, tally.code + tally.aligned / 2, tally.keyed);
  if (verbatim * 2 >= tally.lines && verbatim > tally.markdown && (tally.lines > 1 || isDense(text)))
    return { kind: 'verbatim', language: tally.log > tally.code ? '' : languageOf(lines) };
  if (tally.indented * 5 >= tally.lines * 2 && tally.code * 4 >= tally.lines && tally.code > tally.markdown)
    return { kind: 'verbatim', language: languageOf(lines) };
  return { kind: isPlainly(tally, verbatim), language: '' };
}

function isPlainly({ lines, markdown, prose }: Tally, verbatim: number): PastedText['kind'] {
  if (markdown > 0 && markdown * 10 >= lines && verbatim <= markdown + prose) return 'markdown';
  return prose * 2 >= lines ? 'prose' : 'unclear';
}

function countLine(tally: Tally, line: string): void {
  const bare = line.trimStart();
  tally.lines += 1;
  if (fence.test(bare)) tally.fences += 1;
  if (tally.fences % 2 === 1) {
    tally.markdown += 1;
    return;
  }
  if (/^[ \t]{2,}/.test(line)) tally.indented += 1;
  // Documentation comments are full of Markdown, but count as code.
  if (tally.inComment || bare.startsWith('/*')) {
    tally.code += 1;
    tally.inComment = !bare.includes('*/');
    return;
  }
  const hash = /^#+ /.test(bare);
  const comment = hash && tally.afterHash;
  tally.afterHash = hash;
  if (/^(?:- )?[\w.-]+:(?: |$)/.test(bare)) tally.keyed += 1;
  if (logLine.test(line)) tally.log += 1;
  else if (tagLine.test(bare)) tally.tags += 1;
  else if (comment || (codeLine.test(bare) && !/^(?:[-*+]|\d{1,3}[.)]) \S/.test(bare))) tally.code += 1;
  else if (markdownLine.test(bare)) tally.markdown += 1;
  // super-linear: the line has at most readLineChars characters.
  else if (/\S(?:\t| {2,})\S(?:.*\S)?(?:\t| {2,})\S/.test(line)) tally.aligned += 1;
  else if (isProse(bare)) tally.prose += 1;
}

/** Minified code has punctuation between its words and hardly any spaces. */
function isDense(text: string): boolean {
  const sample = text.slice(0, 4_000);
  return (sample.match(/[{}()[\];=<>,:'"]/g)?.length ?? 0) * 6 > sample.length;
}

function isJson(text: string): boolean {
  if (text.length > readChars || !/^\s*[{[]/.test(text)) return false;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}

/** Names a language only if some lines leave no doubt. No colors are better than misleading ones. */
function languageOf(lines: readonly string[]): string {
  const has = (pattern: RegExp) => lines.some(line => pattern.test(line.slice(0, readLineChars)));
  if (has(/^#include [<"]/)) return 'cpp';
  if (has(/^package \w+(?:\.\w+)+;$/)) return 'java';
  if (has(/^package \w+$/) && has(/^func /)) return 'go';
  if (has(/^(?:pub )?fn \w+|^use \w+(?:::\w+)+/)) return 'rust';
  // super-linear: the line has at most readLineChars characters.
  if (has(/^(?:def|class) \w+.*:$|^from \S+ import /)) return 'python';
  if (has(/^(?:import|export) .*['"];?$|^(?:export )?(?:const|let|function) /)) return 'javascript';
  return '';
}

/** Makes a code block that keeps the text as it is. The fence is longer than any run of backticks inside. */
export function fenceText(text: string, language = ''): string {
  let longest = 2;
  for (const run of text.match(/`{3,}/g) ?? []) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text.endsWith('\n') ? text : `${text}\n`}${fence}\n`;
}

/**
 * How the sender wants a text kept. `markdown`: as it is. `code`: in a fence, with the language it seems to be. `text`: in a
 * fence without colors. `plain`: in a fence unless it is clearly prose or Markdown.
 */
export type KeepAs = 'markdown' | 'code' | 'text' | 'plain';

/** The Markdown of a page that shows the text as its sender wants. */
export function pastedMarkdown(text: string, keepAs: KeepAs): string {
  if (keepAs === 'markdown' || text.trim() === '') return text;
  if (keepAs === 'text') return fenceText(text, 'text');
  const { kind, language } = guessPastedText(text);
  return keepAs === 'plain' && (kind === 'markdown' || kind === 'prose') ? text : fenceText(text, language);
}
