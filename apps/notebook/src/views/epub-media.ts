/** Image types that every EPUB 3.2 program supports (§3.1 core media types); others need one of these as a fallback. */
export const imageMedia: ReadonlySet<string> = new Set(['image/gif', 'image/jpeg', 'image/png', 'image/svg+xml']);
