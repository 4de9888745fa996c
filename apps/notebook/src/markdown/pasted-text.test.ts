import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { fenceText, guessPastedText, pastedMarkdown } from './pasted-text.ts';

const dependencies = fileURLToPath(new URL('../../../../node_modules/', import.meta.url));

/** Files of the size that people paste, without the caches of tools, which are no dependencies. */
function filesBelow(folder: string, wanted: RegExp, depth = 5): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('.'))
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap(entry => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return depth > 0 ? filesBelow(path, wanted, depth - 1) : [];
      if (!entry.isFile() || !wanted.test(entry.name)) return [];
      const { size } = statSync(path);
      return size > 200 && size < 100_000 ? [path] : [];
    });
}

/** Evenly spread, and the same each time. */
function sample(paths: readonly string[], count: number): string[] {
  return Array.from({ length: count }, (_, index) => paths[Math.floor((index * paths.length) / count)]!);
}

describe('the guess on real files of the dependencies', () => {
  const wrong = (paths: readonly string[], right: (kind: string) => boolean) =>
    paths.filter(path => !right(guessPastedText(readFileSync(path, 'utf8')).kind));

  it('200 files of Markdown and prose: at most 1 % is taken for code', () => {
    const paths = sample(filesBelow(dependencies, /^(?:README|CHANGELOG|CONTRIBUTING|SECURITY|HISTORY).*\.md$/i), 200);
    const mistaken = wrong(paths, kind => kind !== 'verbatim');
    expect(mistaken.length, mistaken.join('\n')).toBeLessThanOrEqual(2);
  });

  it('200 files of code: at least 97 % are kept as they look', () => {
    const paths = sample(filesBelow(dependencies, /\.(?:c?m?js|c?m?ts|tsx|css|json|ya?ml|h|html|sh|py)$/), 200);
    const mistaken = wrong(paths, kind => kind === 'verbatim');
    expect(mistaken.length, mistaken.join('\n')).toBeLessThanOrEqual(6);
  });
});

const verbatim: Record<string, string> = {
  'a Python trace that marks its places':
    'Traceback (most recent call last):\n  File "app.py", line 31, in <module>\n    main()\n    ~~~~^^\n  File "app.py", line 27, in main\n    return [page["_id"] for page in pages]\n            ~~~~^^^^^^^\n\nDuring handling of the above exception, another exception occurred:\n',
  'a Java trace':
    'Exception in thread "main" java.lang.NullPointerException\n\tat org.example.A.run(A.java:12)\n\tat org.example.Main.main(Main.java:3)',
  'a Python trace':
    'Traceback (most recent call last):\n  File "app.py", line 3, in <module>\n    main()\nValueError: no such page',
  'a Rust panic':
    "thread 'main' panicked at src/main.rs:4:5:\nindex out of bounds: the len is 3 but the index is 7\nstack backtrace:\n   0: rust_begin_unwind\n   1: core::panicking::panic_fmt",
  'a Node trace':
    "TypeError: Cannot read properties of undefined (reading 'x')\n    at run (/srv/app.js:3:9)\n    at Object.<anonymous> (/srv/app.js:9:1)",
  'a Go panic': 'panic: runtime error: index out of range\n\ngoroutine 1 [running]:\nmain.main()\n\t/srv/main.go:8 +0x1d',
  'a kernel log':
    '[    0.000000] Linux version 6.1.0\n[    0.004012] Command line: ro quiet\n[   12.482910] EXT4-fs (vda1): mounted filesystem',
  'a syslog':
    'Nov  3 04:05:06 host sshd[812]: Accepted publickey for root\nNov  3 04:05:09 host CRON[900]: (root) CMD (run-parts)',
  'an access log':
    '127.0.0.1 - - [03/Nov/2026:04:05:06 +0000] "GET / HTTP/1.1" 200 512\n127.0.0.1 - - [03/Nov/2026:04:05:07 +0000] "GET /x HTTP/1.1" 404 9',
  'a structured log': '{"level":30,"time":1,"msg":"start"}\n{"level":30,"time":2,"msg":"stop"}',
  'a diff': 'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-old\n+new\n same',
  'a shell script': '#!/bin/sh\n# one\n# two\necho hello',
  'a commented configuration': '# The port.\n# Not below 1024.\nport = 8080\n# The host.\n# All of them.\nhost = 0.0.0.0',
  generics: 'List<Foo> foos = new ArrayList<>();\nfor (Foo foo : foos) {\n  foo.run();\n}',
};

const asItIs: Record<string, [string, string]> = {
  'a note with headings': ['# Plan\n\n- one\n- two\n', 'markdown'],
  'Markdown that shows a trace': [
    '# Bug\n\n```\nTraceback (most recent call last):\n  File "a.py", line 1, in <module>\n```\n\nIt fails.',
    'markdown',
  ],
  'a letter': [
    'Dear all,\n\nthe meeting is on Monday at nine. Please bring the numbers of last week.\n\nThank you, and see you there.',
    'prose',
  ],
  'Japanese prose': ['会議は月曜日の九時から始まります。先週の数字を持って来てください。\nよろしくお願いします。', 'prose'],
  'a page whose title and badges are HTML': [
    '<h1 align="center">\n  <img src="a.svg">\n</h1>\n<p align="center">\n  <a href="b">b</a>\n</p>\n\n## Install\n\nSee [c](d).\n',
    'markdown',
  ],
  'a shopping list': ['- milk\n- bread\n- 3 eggs', 'markdown'],
  'a table': ['| a | b |\n|---|---|\n| 1 | 2 |', 'markdown'],
};

describe('the guess on what people paste', () => {
  it.each(Object.entries(verbatim))('%s is kept as it looks', (_, text) => {
    expect(guessPastedText(text).kind).toBe('verbatim');
  });

  it.each(Object.entries(asItIs))('%s is not', (_, [text, kind]) => {
    expect(guessPastedText(text).kind).toBe(kind);
    expect(pastedMarkdown(text, 'plain')).toBe(text);
  });

  it('says what a diff and a shell script are, for their colors', () => {
    expect(guessPastedText(verbatim['a diff']!).language).toBe('diff');
    expect(guessPastedText(verbatim['a shell script']!).language).toBe('bash');
  });
});

describe('the fence', () => {
  it('is longer than every run of backticks inside', () => {
    expect(fenceText('a\n````\nb')).toBe('`````\na\n````\nb\n`````\n');
  });

  it('keeps text and code as told, whatever they look like', () => {
    expect(pastedMarkdown('# Plan', 'text')).toBe('```text\n# Plan\n```\n');
    expect(pastedMarkdown('# Plan', 'code')).toBe('```\n# Plan\n```\n');
    expect(pastedMarkdown('#include <a.h>\nint x;', 'markdown')).toBe('#include <a.h>\nint x;');
  });
});
