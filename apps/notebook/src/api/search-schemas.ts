import { type Static, Type } from 'typebox';
import { limits } from '../limits.ts';

const closed = { additionalProperties: false } as const;

/** Query parameters are text: `page` is refused here unless it is a number, and by the operation unless it is in range. */
export const SearchQuery = Type.Object(
  {
    q: Type.String({ description: `1 to ${limits.maxSearchQueryChars} characters; pages that hold every word are found` }),
    page: Type.Optional(Type.String({ pattern: '^\\d{1,4}$', description: `1 to ${limits.maxSearchPages}, default 1` })),
  },
  closed,
);
export type SearchQuery = Static<typeof SearchQuery>;

const SegmentAnswer = Type.Object({ text: Type.String(), hit: Type.Boolean() }, closed);

export const SearchAnswer = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        {
          slug: Type.String(),
          pageId: Type.String(),
          title: Type.String(),
          notebookTitle: Type.String(),
          url: Type.String(),
          snippet: Type.Array(SegmentAnswer, { description: 'plain text in pieces, never HTML; `hit` marks what was asked for' }),
          updatedAt: Type.String({ format: 'date-time' }),
        },
        closed,
      ),
      { maxItems: limits.searchPageItems },
    ),
    page: Type.Integer({ minimum: 1 }),
    more: Type.Boolean({ description: 'whether there is a next page' }),
  },
  closed,
);
