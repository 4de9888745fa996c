/** Apart from `limits`, so that the script of `/new` does not bring all of them. */
export const slugLimits = { minSlugChars: 3, maxSlugChars: 64 } as const;
