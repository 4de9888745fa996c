/** Separate from `limits`, so that the script of `/new` does not load all of them. */
export const slugLimits = { minSlugChars: 3, maxSlugChars: 64 } as const;
