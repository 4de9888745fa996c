import { describe, expect, it } from 'vitest';
import { fenceText, guessPastedText, pastedMarkdown } from './pasted-text.ts';

// What each rule of the guess says, with texts that are just on one side of it.

/** No kind of text in particular. */
const neutral = 'alpha';
const lines = (...given: (string | [number, string])[]): string =>
  given.flatMap(each => (typeof each === 'string' ? [each] : Array<string>(each[0]).fill(each[1]))).join('\n');
const kindOf = (...given: Parameters<typeof lines>) => guessPastedText(lines(...given)).kind;

const telltales: readonly [string, string][] = [
  ['diff --git a/x b/x', 'diff'],
  ['diff --cc x', 'diff'],
  ['@@ -1 +1 @@', 'diff'],
  ['@@ -10,20 +12,34 @@ here', 'diff'],
  ['Index: a.txt', 'diff'],
  ['Traceback (most recent call last):', ''],
  ['  File "a b.py", line 12, in main', ''],
  ['    at run (/srv/app.js:3:9)', ''],
  ['    at /srv/app.js:10:20', ''],
  ['   at A.B(String c) in d.cs:line 12', ''],
  ['Caused by: org.example.A', ''],
  ["thread 'main' panicked at a.rs", ''],
  ["thread 'main' (12) panicked at a.rs", ''],
  ['stack backtrace:', ''],
  ['goroutine 12 [running]:', ''],
  ['panic: no', ''],
  ['#12  0x00ff1 in main', ''],
  ['<?php echo 1', 'php'],
  ['<?xml version="1.0"?>', 'xml'],
  ['<!DOCTYPE html>', 'xml'],
  ['#!/usr/bin/env python3', 'python'],
  ['#!/bin/bash', 'bash'],
  ['#!/bin/zsh -e', 'bash'],
  ['#!/usr/bin/env node', 'javascript'],
  ['#!/usr/bin/env deno', 'javascript'],
  ['#!/usr/bin/perl', ''],
  ['-----BEGIN RSA KEY-----', ''],
];

describe('one line that says what the text is', () => {
  it.each(telltales)('%s', (line, language) => {
    expect(guessPastedText(lines(neutral, line, neutral, neutral))).toEqual({ kind: 'verbatim', language });
    expect(kindOf(neutral, `she wrote ${line.trimStart()}`, neutral, neutral)).not.toBe('verbatim');
  });

  it('is not enough where half of the lines are Markdown, nor in a fence', () => {
    expect(kindOf('# a', '- b', 'stack backtrace:', neutral)).toBe('markdown');
    expect(kindOf('# a', '- b', 'stack backtrace:', [2, neutral])).toBe('verbatim');
    expect(kindOf([5, neutral], '```', 'stack backtrace:')).toBe('markdown');
    expect(kindOf([5, neutral], '```', 'x', '```', 'stack backtrace:')).toBe('markdown');
  });
});

describe('lines of a log', () => {
  it.each([
    '[    0.12] a',
    '2026-01-02T03:04:05Z a',
    '2026-01-02 03:04 a',
    '[2026-01-02 03:04] a',
    'Nov  3 04:05:06 host a',
    '04:05:06.789 a',
    '04:05:06 a',
    '127.0.0.1 - - [03/Nov/2026:04 a',
    'INFO: a',
    '[WARN] a',
    'ERROR a',
    'npm ERR! a',
    'npm warn a',
    'make: a',
    'make[2]: a',
  ])('%s', line => {
    expect(guessPastedText(lines([2, line], [2, neutral]))).toEqual({ kind: 'verbatim', language: '' });
    expect(kindOf([2, line], [3, neutral])).not.toBe('verbatim');
    expect(kindOf([2, `see ${line}`], [2, neutral])).not.toBe('verbatim');
  });

  it('have no language if there are more of them than of code', () => {
    const log = '2026-01-02 03:04 a';
    expect(guessPastedText(lines([2, log], 'const a = 1;')).language).toBe('');
    expect(guessPastedText(lines(log, 'const a = 1;')).language).toBe('javascript');
  });
});

describe('code', () => {
  it.each([
    ['#include <a.h>\nint x;', 'cpp'],
    ['#include "a.h"\nint x;', 'cpp'],
    ['package org.example.app;\nint x;', 'java'],
    ['package main\nfunc a() {', 'go'],
    ['package main;\nfunc a() {', ''],
    ['func a() {\n}', ''],
    ['package main\nfoo();', ''],
    ['fn main() {\n}', 'rust'],
    ['pub fn main() {\n}', 'rust'],
    ['use std::io::Read;\nfoo();', 'rust'],
    ['def run(a):\nfoo();', 'python'],
    ['class A:\nfoo();', 'python'],
    ['from os.path import join\nfoo();', 'python'],
    ["import a from 'b';\nfoo();", 'javascript'],
    ["export * from 'b'\nfoo();", 'javascript'],
    ['export const a = 1;\nfoo();', 'javascript'],
    ['let a = 1;\nfoo();', 'javascript'],
    ['function a() {\n}', 'javascript'],
    ['foo();\nbar();', ''],
    ['a.const b;\nx.function c;', ''],
    ['// #include <a.h>\nfoo();', ''],
    ['// see def run(a):\nfoo();', ''],
  ])('%j is %j', (text, language) => {
    expect(guessPastedText(text)).toEqual({ kind: 'verbatim', language });
  });

  it('is half of the lines, or a quarter where two fifths are indented', () => {
    expect(kindOf([2, 'foo();'], [2, neutral])).toBe('verbatim');
    expect(kindOf([2, 'foo();'], [3, neutral])).toBe('unclear');
    const indented = `  ${neutral}`;
    expect(guessPastedText(lines([4, indented], [2, 'foo();'], 'let a = 1;', [3, neutral]))).toEqual({
      kind: 'verbatim',
      language: 'javascript',
    });
    expect(kindOf([4, indented], [2, 'foo();'], [2, neutral])).toBe('verbatim');
    expect(kindOf([3, indented], [3, 'foo();'], [4, neutral])).toBe('unclear');
    expect(kindOf([4, ` ${neutral}`], [3, 'foo();'], [3, neutral])).toBe('unclear');
    expect(kindOf([4, 'a   b'], [3, 'foo();'], [3, neutral])).toBe('unclear');
    expect(kindOf([4, indented], [2, 'foo();'], [4, neutral])).toBe('unclear');
    expect(kindOf([4, indented], [3, 'foo();'], '# a', neutral, '# b', '- c')).not.toBe('verbatim');
  });

  it('is one line only if it is dense', () => {
    expect(kindOf('var a=[1,2];b(a);')).toBe('verbatim');
    expect(kindOf('Remember the milk and the bread;')).toBe('unclear');
  });

  it('is JSON if it can be read as an object or a list', () => {
    const json = { kind: 'verbatim', language: 'json' };
    for (const text of ['{"a":1}', ' \n[1, 2]', '{\n  "a": [\n1\n]\n}']) expect(guessPastedText(text)).toEqual(json);
    for (const text of ['null', '12', '"a"', '{a', 'a [1]', `[${'1,'.repeat(40_000)}1]`])
      expect(guessPastedText(text).language, text.slice(0, 20)).toBe('');
  });

  it('has comments that look like Markdown', () => {
    expect(kindOf('/**', ' # a', ' - b', ' */', [3, neutral])).toBe('verbatim');
    expect(kindOf('/* a */', '# a', '- b', '- c')).toBe('markdown');
    expect(kindOf('# a', '# b', '# c', '# d')).toBe('verbatim');
    expect(kindOf('# a', neutral, '# c', neutral)).toBe('markdown');
  });

  it('is not what a list says', () => {
    for (const sign of ['-', '*', '+', '1.', '12)']) expect(kindOf([3, `${sign} foo();`]), sign).toBe('markdown');
  });

  it('is a file of tags, unless there is Markdown between them', () => {
    expect(kindOf('<div>', '<p>a</p>', '</div>')).toBe('verbatim');
    expect(kindOf('<div>', '<p>a</p>', '</div>', '# a')).toBe('markdown');
  });

  it('is a table of aligned columns, or names with values', () => {
    const row = 'web-1   1/1   Running';
    expect(kindOf([3, row])).toBe('verbatim');
    expect(kindOf([2, 'a\tb\tc'])).toBe('verbatim');
    expect(kindOf([3, row], neutral)).toBe('unclear');
    expect(kindOf([3, 'web-1   Running'])).toBe('unclear');
    expect(kindOf([3, 'a b c'])).not.toBe('verbatim');
    expect(kindOf('name: notes', 'items:', '- a-b.c: d', neutral)).toBe('verbatim');
    expect(kindOf('see name: notes', 'a b:', [2, neutral])).not.toBe('verbatim');
  });
});

describe('Markdown and prose', () => {
  it('a tenth of the lines is enough for Markdown, if there is no more code than words', () => {
    expect(kindOf('# a', [9, neutral])).toBe('markdown');
    expect(kindOf('# a', [10, neutral])).toBe('unclear');
    expect(kindOf('# a', 'We meet on Monday.', [2, 'foo();'], [2, neutral])).toBe('markdown');
    expect(kindOf('# a', [2, 'foo();'], [3, neutral])).toBe('unclear');
    expect(kindOf('# a', '- b', [2, 'foo();'])).not.toBe('verbatim');
  });

  it('fences decide, whatever is in them and beside them', () => {
    expect(guessPastedText(lines('```', 'x', '```', [9, 'foo();']))).toEqual({ kind: 'markdown', language: '' });
    expect(kindOf('~~~ js', 'x', '~~~', [9, 'foo();'])).toBe('markdown');
    expect(kindOf('  ```', 'x', '  ```', [9, 'foo();'])).toBe('markdown');
    expect(kindOf(neutral, '```', [9, 'foo();'])).toBe('markdown');
  });

  it('half of the lines are enough for prose', () => {
    expect(kindOf('We meet on Monday.', neutral)).toBe('prose');
    expect(kindOf('We meet on Monday.', [2, neutral])).toBe('unclear');
  });

  it.each([
    'Come here now',
    'One two three four 5',
    '"Come here now," she said.',
    '¿Dónde está el libro?',
    '“Come here now.”',
    '(It’s well-known, isn’t it?)',
    '会議は、月曜',
    '来てください。',
  ])('prose: %s', line => {
    expect(kindOf(line)).toBe('prose');
  });

  it.each([
    'Come here',
    'One two three 4',
    '%One two three four',
    'Do you <see> what this is',
    'a_b c_d e_f g_h',
    'Co1me he2re no3w at4 once5',
    '1a 2b 3c 4d',
    'come!here!now you!see!it',
  ])('no prose: %s', line => {
    expect(kindOf(line)).toBe('unclear');
  });
});

describe('what is made of it', () => {
  it('an empty text stays empty', () => {
    for (const keepAs of ['code', 'text', 'plain', 'markdown'] as const) expect(pastedMarkdown(' \n', keepAs)).toBe(' \n');
  });

  it('plain words that are nothing for certain are fenced', () => {
    expect(pastedMarkdown(neutral, 'plain')).toBe('```\nalpha\n```\n');
    expect(pastedMarkdown('{"a":1}', 'plain')).toBe('```json\n{"a":1}\n```\n');
    expect(pastedMarkdown('Come here now', 'plain')).toBe('Come here now');
    expect(pastedMarkdown('Come here now', 'code')).toBe('```\nCome here now\n```\n');
  });

  it('a fence begins on the next line and ends on its own', () => {
    expect(fenceText('\na')).toBe('```\n\na\n```\n');
    expect(fenceText('a\n', 'js')).toBe('```js\na\n```\n');
  });
});
