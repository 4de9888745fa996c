import { type Static, type TSchema, Type } from 'typebox';
import { catalog, type ErrorCode } from '../errors.ts';
import { limits } from '../limits.ts';
import { durations } from '../model/expiry.ts';
import { papers, visibilities } from '../model/notebook.ts';
import { reportReasons } from '../model/report.ts';

/** The schemas that check requests are also the ones in `GET /api/openapi.json`, so they cannot disagree. */

const closed = { additionalProperties: false } as const;

function oneOf<const T extends string>(values: readonly T[]) {
  return Type.Unsafe<T>({ type: 'string', enum: [...values] });
}

const Title = Type.String({ maxLength: limits.maxTitleChars });
const Markdown = Type.String({ description: `GitHub Flavored Markdown, at most ${limits.maxMarkdownBytes} bytes of UTF-8` });
const PageFile = Type.Object(
  {
    path: Type.String({ maxLength: limits.maxPagePathChars, description: 'in the folder it comes from: Projects/Alpha.md' }),
    patch: Type.Optional(
      Type.String({ maxLength: limits.maxPagePatchChars, description: 'a unified diff that makes the file of the text' }),
    ),
  },
  { ...closed, description: 'the file it comes from, for links between files and the export' },
);
const Id = Type.String({ maxLength: 64 });
const Time = Type.String({ format: 'date-time' });
const NullableTime = Type.Union([Time, Type.Null()]);
const Visibility = oneOf(visibilities);
const Paper = oneOf(papers);
const ExpiresIn = oneOf(Object.keys(durations) as (keyof typeof durations)[]);
const ExpiresAt = Type.Union([Type.String({ maxLength: 64, description: 'RFC 3339, in the future' }), Type.Null()]);
const Password = Type.Union([Type.String({ description: `1 to ${limits.maxPasswordBytes} bytes of UTF-8` }), Type.Null()]);

const settings = {
  title: Type.Optional(Title),
  visibility: Type.Optional(Visibility),
  expiresIn: Type.Optional(ExpiresIn),
  expiresAt: Type.Optional(ExpiresAt),
  password: Type.Optional(Password),
  readOnly: Type.Optional(Type.Boolean()),
  burnAfterRead: Type.Optional(Type.Boolean()),
  openEditing: Type.Optional(Type.Boolean()),
  embedding: Type.Optional(Type.Boolean({ description: 'other sites may show it in a frame: /n/{slug}/embed' })),
  comments: Type.Optional(Type.Boolean()),
  paper: Type.Optional(Paper),
};

export const CreateBody = Type.Object(
  {
    ...settings,
    slug: Type.Optional(Type.String()),
    pages: Type.Optional(
      Type.Array(Type.Object({ title: Type.Optional(Title), markdown: Markdown, file: Type.Optional(PageFile) }, closed), {
        maxItems: limits.maxPagesPerNotebook,
      }),
    ),
  },
  closed,
);
export type CreateBody = Static<typeof CreateBody>;

export const QuickBody = Type.Object({ markdown: Markdown }, closed);
export type QuickBody = Static<typeof QuickBody>;

export const QuickQuery = Type.Object({ as: Type.Optional(oneOf(['markdown', 'code', 'text'] as const)) }, closed);
export type QuickQuery = Static<typeof QuickQuery>;

export const SettingsBody = Type.Object(
  { ...settings, pageOrder: Type.Optional(Type.Array(Id, { maxItems: limits.maxPagesPerNotebook })) },
  closed,
);
export type SettingsBody = Static<typeof SettingsBody>;

export const AddPageBody = Type.Object(
  { title: Type.Optional(Title), markdown: Type.Optional(Markdown), after: Type.Optional(Id), file: Type.Optional(PageFile) },
  closed,
);
export type AddPageBody = Static<typeof AddPageBody>;

export const ChangePageBody = Type.Object(
  {
    title: Type.Optional(Title),
    markdown: Type.Optional(Markdown),
    autosave: Type.Optional(Type.Boolean()),
    file: Type.Optional(PageFile),
  },
  closed,
);
export type ChangePageBody = Static<typeof ChangePageBody>;

export const UnlockBody = Type.Object(
  {
    password: Type.String(),
    pageId: Type.Optional(
      Type.String({ maxLength: limits.maxPageAddressChars, description: 'for a form: the page to open, by its id or words' }),
    ),
  },
  closed,
);
export type UnlockBody = Static<typeof UnlockBody>;

export const CommentBody = Type.Object(
  {
    author: Type.Optional(Type.String({ maxLength: limits.maxCommentAuthorChars })),
    // The operation counts the characters: a form sends each line break as two.
    body: Type.String({ description: `at most ${limits.maxCommentChars} characters` }),
    pageId: Type.Optional(Id),
    website: Type.Optional(Type.String({ description: 'must stay empty' })),
  },
  closed,
);
export type CommentBody = Static<typeof CommentBody>;

export const ReportBody = Type.Object(
  {
    // The operation counts both: a form sends each line break as two characters.
    reason: Type.String({
      description: `one of ${reportReasons.join(', ')}, or a reason in your own words of at most ${limits.maxReportReasonChars} characters, which counts as "other"`,
    }),
    detail: Type.Optional(
      Type.String({ description: `what the operator should know, at most ${limits.maxReportDetailChars} characters` }),
    ),
  },
  closed,
);
export type ReportBody = Static<typeof ReportBody>;
export const ReportAnswer = Type.Object({ reported: Type.Literal(true) }, closed);

export const PageAnswer = Type.Object(
  {
    id: Type.String(),
    title: Type.String(),
    markdown: Type.String(),
    revision: Type.Integer({ minimum: 1, description: 'counts content changes from 1; also the ETag' }),
    updatedAt: Time,
  },
  closed,
);

const readerFields = {
  slug: Type.String(),
  title: Type.String(),
  visibility: Visibility,
  expiresAt: NullableTime,
  readOnly: Type.Boolean(),
  burnAfterRead: Type.Boolean(),
  openEditing: Type.Boolean(),
  comments: Type.Boolean(),
  paper: Paper,
  lifecycle: oneOf(['active', 'expired', 'burned']),
  createdAt: Time,
  updatedAt: Time,
  pages: Type.Array(PageAnswer),
};

export const NotebookAnswer = Type.Object(
  {
    ...readerFields,
    openedAt: Type.Optional(Type.Union([Time, Type.Null()], { description: 'with the edit token only' })),
    embedding: Type.Optional(Type.Boolean({ description: 'with the edit token only' })),
    hasPassword: Type.Optional(Type.Boolean({ description: 'with the edit token only' })),
  },
  closed,
);

export const CreatedAnswer = Type.Object(
  { notebook: NotebookAnswer, editToken: Type.String(), viewUrl: Type.String(), editUrl: Type.String() },
  closed,
);

export const SlugAnswer = Type.Object(
  { slug: Type.String(), available: Type.Boolean(), reason: Type.Optional(oneOf(['taken', 'reserved', 'invalid'])) },
  closed,
);

const snapshotFields = {
  id: Type.String(),
  pageId: Type.String(),
  revision: Type.Integer({ minimum: 1 }),
  createdAt: Time,
  bytes: Type.Integer({ minimum: 0 }),
};
export const FileAnswer = Type.Object({ pageId: Type.String(), path: Type.String(), patch: Type.String() }, closed);
export const FilesAnswer = Type.Object({ items: Type.Array(FileAnswer) }, closed);

export const SnapshotHeadAnswer = Type.Object(snapshotFields, closed);
export const SnapshotAnswer = Type.Object({ ...snapshotFields, title: Type.String(), markdown: Type.String() }, closed);
export const SnapshotsAnswer = Type.Object({ items: Type.Array(SnapshotHeadAnswer) }, closed);

export const CommentAnswer = Type.Object(
  {
    id: Type.String(),
    author: Type.String(),
    body: Type.String(),
    pageId: Type.Union([Type.String(), Type.Null()]),
    createdAt: Time,
  },
  closed,
);
export const CommentsAnswer = Type.Object({ items: Type.Array(CommentAnswer) }, closed);

export const TokenAnswer = Type.Object({ editToken: Type.String(), editUrl: Type.String() }, closed);
export const DeletedAnswer = Type.Object({ deleted: Type.Literal(true) }, closed);
export const OkAnswer = Type.Object({ ok: Type.Literal(true) }, closed);

export const ProblemAnswer = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    code: oneOf(Object.keys(catalog) as ErrorCode[]),
    detail: Type.Optional(Type.String()),
    errors: Type.Optional(Type.Array(Type.Object({ path: Type.String(), message: Type.String() }, closed))),
    page: Type.Optional(PageAnswer),
  },
  closed,
);

/** Problems that many calls share. */
export const sharedProblems = {
  reading: ['password_required', 'edit_token_invalid', 'not_found', 'taken_down'],
  owning: ['edit_token_missing', 'edit_token_invalid', 'not_found', 'taken_down'],
  writing: ['edit_token_missing', 'password_required', 'edit_token_invalid', 'not_found', 'taken_down', 'read_only'],
  body: ['too_large', 'unsupported_media_type', 'invalid'],
} as const satisfies Record<string, readonly ErrorCode[]>;

/** Whatever is asked: bytes that are not UTF-8, answers that are not read, an overload or an outage. */
const always = ['bad_request', 'rate_limited', 'unavailable'] as const satisfies readonly ErrorCode[];

/** An answer in one of several media types, or one that is not JSON. */
interface Content {
  readonly description: string;
  readonly content: Readonly<Record<string, { readonly schema: TSchema }>>;
}

/** JSON, and a text for clients whose `Accept` asks for it. */
export function orText(schema: TSchema, type: 'text/markdown' | 'text/plain'): Content {
  return { description: 'as `Accept` asks', content: { 'application/json': { schema }, [type]: { schema: Type.String() } } };
}

/** A route's `response`: its answer, and the problems it may answer, by status. */
export function answers(
  status: number,
  answer: TSchema | Content | undefined,
  ...problems: readonly ErrorCode[]
): Record<number, TSchema | Content> {
  const response: Record<number, TSchema | Content> = { [status]: answer ?? Type.Null({ description: 'no content' }) };
  const all = [...new Set([...problems, ...always])];
  for (const code of all) {
    const at = catalog[code].status;
    const description = all.filter(other => catalog[other].status === at).join(', ');
    response[at] = { description, content: { 'application/problem+json': { schema: ProblemAnswer } } };
  }
  return response;
}

/** The same for a route that answers terminal programs in lines of text: its refusals are lines, too. */
export function answersOrLines(...described: Parameters<typeof answers>): Record<number, TSchema | Content> {
  const lines = { 'text/plain': { schema: Type.String() } };
  const withLines = ([status, answer]: [string, TSchema | Content]) => [
    status,
    'content' in answer ? { ...answer, content: { ...answer.content, ...lines } } : orText(answer, 'text/plain'),
  ];
  return Object.fromEntries(Object.entries(answers(...described)).map(withLines));
}

export const SlugParams = Type.Object({ slug: Type.String() });
export const PageParams = Type.Object({ slug: Type.String(), pageId: Type.String() });
export const SnapshotParams = Type.Object({ slug: Type.String(), snapshotId: Type.String() });
export const PageSnapshotParams = Type.Object({ slug: Type.String(), pageId: Type.String(), snapshotId: Type.String() });
export const CommentParams = Type.Object({ slug: Type.String(), commentId: Type.String() });
export const TokenHeader = Type.Object({
  'x-edit-token': Type.Optional(Type.String({ description: 'the edit token: the proof of ownership' })),
});
export const AddPageHeader = Type.Object({
  'x-edit-token': Type.Optional(Type.String()),
  'idempotency-key': Type.Optional(
    Type.String({
      pattern: `^"?[\\w-]{1,${limits.maxIdempotencyKeyChars}}"?$`,
      description:
        'of your choice, another one for each page: the same request again adds no second page and answers the one it added',
    }),
  ),
});
export const RotateTokenHeader = Type.Object({
  'x-edit-token': Type.Optional(Type.String()),
  'idempotency-key': Type.Optional(
    Type.String({
      pattern: `^"?[\\w-]{${limits.minSecretKeyChars},${limits.maxIdempotencyKeyChars}}"?$`,
      description:
        'random, another one for each replacement: the same request again, with the old token, answers the same new token while it is in force',
    }),
  ),
});
export const CreateHeader = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      pattern: `^"?[\\w-]{${limits.minSecretKeyChars},${limits.maxIdempotencyKeyChars}}"?$`,
      description:
        'random and as secret as the edit token, another one for each notebook: the same request again creates nothing and answers the notebook it created, with its links, while its edit token is in force',
    }),
  ),
});
export const IfMatchHeader = Type.Object({
  'x-edit-token': Type.Optional(Type.String()),
  'if-match': Type.Optional(Type.String({ description: '"{revision}" of the page you changed' })),
  'x-page-revision': Type.Optional(
    Type.String({ description: 'the same revision once more, for proxies that take `If-Match` away' }),
  ),
});
