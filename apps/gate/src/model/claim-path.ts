type Claims = Readonly<Record<string, unknown>>;

/** A name with more dots is looked up only as it stands. */
const maxDots = 8;

/**
 * The value of a claim. A name may lead into objects, with a dot before each member: Keycloak has `realm_access.roles`, and
 * `resource_access.my.app.roles` for an application whose own id has a dot. Names may also be addresses
 * (`https://example.com/groups`), so the longest name that exists wins, first of all the whole one.
 */
export function readClaim(claims: Claims, name: string): unknown {
  const own = claimOf(claims, name);
  if (own === undefined) return undefined;
  const value = claims[own];
  if (own === name) return value;
  return isObject(value) ? readClaim(value, name.slice(own.length + 1)) : undefined;
}

/** Whether a name may lead into this claim. */
export function leadsInto(name: string, claim: string): boolean {
  return name === claim || name.startsWith(`${claim}.`);
}

/** The claim that a name begins with, as far as these claims go. */
export function claimOf(claims: Claims, name: string): string | undefined {
  if (Object.hasOwn(claims, name)) return name;
  if (name.split('.').length > maxDots + 1) return undefined;
  for (let dot = name.lastIndexOf('.'); dot > 0; dot = name.lastIndexOf('.', dot - 1)) {
    const own = name.slice(0, dot);
    if (Object.hasOwn(claims, own)) return own;
  }
  return undefined;
}

export function isObject(value: unknown): value is Claims {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
