/** The name that CGI, WSGI and the like turn a header into: they do not distinguish `X-Auth-User`, `x_auth_user` and `X.Auth.User`. */
export function canonicalName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '-');
}

/** Names that only we may send upstream: every identity header in use, and everything that starts like ours. */
export function createReservedNames(names: Iterable<string>): (name: string) => boolean {
  const reserved = new Set([...names].map(canonicalName));
  // Answers are remembered: real clients send few names. The limit keeps a flood of invented ones from filling memory.
  const known = new Map<string, boolean>();
  return name => {
    const before = known.get(name);
    if (before !== undefined) return before;
    const canonical = canonicalName(name);
    const verdict = reserved.has(canonical) || canonical.startsWith('x-auth-');
    if (known.size < 1000) known.set(name, verdict);
    return verdict;
  };
}
