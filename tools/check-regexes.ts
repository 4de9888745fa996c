import { globSync } from 'node:fs';
import path from 'node:path';
import { checkRegex } from './regexes/check-regex.ts';
import { type Excuse, readRegexes, type WrittenRegex } from './regexes/read-regexes.ts';

/** Every regular expression whose time can grow faster than its text, one sentence each. */
export function checkRegexes(root: string): string[] {
  const files = globSync('{apps/*/src,packages/*/{src,examples},tools,bench}/**/*.{ts,tsx}', { cwd: root }).sort();
  return files
    .filter(file => !/\.(test|long)\.tsx?$/.test(file))
    .flatMap(file => checkFile(root, file.split(path.sep).join('/')));
}

function checkFile(root: string, file: string): string[] {
  const { regexes, excuses } = readRegexes(path.join(root, file));
  const sentences: string[] = [];
  const used = new Set<Excuse>();
  for (const { line, literal, excuse } of regexes) {
    const faults = literal ? checkRegex(literal.source, literal.flags) : ['it is built at run time'];
    if (excuse && faults.length > 0) used.add(excuse);
    else for (const fault of faults) sentences.push(`${file}:${line} ${show(literal)}: ${fault}.`);
  }
  for (const excuse of excuses) {
    if (excuse.reason === '') sentences.push(`${file}:${excuse.line} is an exception without a reason.`);
    if (!used.has(excuse)) sentences.push(`${file}:${excuse.line} is an exception that is not needed.`);
  }
  return sentences;
}

function show(literal: WrittenRegex['literal']): string {
  return literal ? `/${literal.source}/${literal.flags}` : 'new RegExp(…)';
}

if (import.meta.main) {
  const sentences = checkRegexes(path.join(import.meta.dirname, '..'));
  for (const sentence of sentences) console.error(sentence);
  console.log(
    sentences.length === 0
      ? 'Regular expressions: each is linear, or says why it may be slower.'
      : `Regular expressions: ${sentences.length} to fix, or to mark with a comment "// super-linear: REASON" above.`,
  );
  process.exitCode = sentences.length === 0 ? 0 : 1;
}
