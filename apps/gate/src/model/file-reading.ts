import { asFile } from './as-file.ts';
import { type PathVerdict, readRequestPath } from './request-path.ts';
import type { Rule } from './rule.ts';

/**
 * Reads a request target for these rules. With `ignorePathCase` it is refused if a rule matches only one of the two readings: the rule for
 * `/secret` must not be passed by with `/secret.`, and where no rule is affected, both readings are as good.
 */
export function readPathFor(rules: readonly Rule[], target: string): PathVerdict {
  const verdict = readRequestPath(target);
  // All patterns treat case alike.
  if (verdict.kind === 'refused' || rules[0]?.paths[0]?.matchesFile === undefined) return verdict;
  const { path } = verdict.value;
  const file = asFile(path);
  const isAlike = rules.every(rule => rule.paths.every(pattern => pattern.matches(path) === pattern.matchesFile?.(file)));
  if (isAlike) return verdict;
  return { kind: 'refused', why: 'a server that ignores case may read the path as another one, for which other rules count' };
}
