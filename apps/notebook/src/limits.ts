import { graceDays } from './grace-days.ts';
import { slugLimits } from './slug-limits.ts';

/** Every number of spec 1 §8 and of the HTTP contract's "Limits", with its unit in the name. */
export const limits = {
  /** A key that signs cookies, given by the operator: a shorter one might be guessed from a cookie. */
  strongSecretKeyChars: 32,
  /** The path of the file that a page was imported from. */
  maxPagePathChars: 500,
  /** The patch that restores the file from the page. */
  maxPagePatchChars: 65_536,
  maxImageBytes: 5_242_880,
  maxImagesPerNotebook: 50,
  uploadSlotMinutes: 10,
  maxStoredImageEdgePixels: 16_384,
  maxStoredImagePixels: 25_000_000,
  maxImageFrames: 1_000,
  maxAnimationPixels: 200_000_000,
  maxImageEdgePixels: 1600,
  webpQualityPercent: 82,
  maxRenderWaitSeconds: 1,
  maxViewWaitSeconds: 10,
  maxPrintWaitSeconds: 20,
  maxSnapshotsPerPage: 10,
  autosaveSnapshotMinutes: 5,
  unlockHours: 24,
  graceDays,
  editTokenBytes: 32,
  readerCookieMinutes: 10,
  freedSlugDays: 90,
  maxMarkdownBytes: 1_048_576,
  maxPagesPerNotebook: 200,
  /** The markdown of all pages together; `MAX_NOTEBOOK_BYTES` sets another value, up to `maxConfigurableNotebookBytes`. */
  maxNotebookBytes: 10_485_760,
  maxConfigurableNotebookBytes: 209_715_200,
  /** The snapshots of a notebook together may hold this many times the limit for its pages. */
  snapshotBytesPerNotebookByte: 5,
  /** A larger notebook is read page by page, by at most `maxLargeReadsAtOnce` readers in one process. */
  wholeNotebookBytes: 524_288,
  maxLargeReadsAtOnce: 32,
  /** Copies of large notebooks that are being read, in temporary files of one process. */
  maxCopiedBytes: 134_217_728,
  maxLargeReadsAtOncePerClient: 8,
  /**
   * While others wait: a reader gives way if it makes us wait this long, has held its place this long, or reads fewer bytes than this a
   * second, measured over this much waiting. Only so many may make us wait longer than `longSeconds`.
   */
  largeReadEviction: {
    placeSeconds: 2,
    workSeconds: 10,
    bytesPerSecond: 65_536,
    paceSeconds: 10,
    longReaders: 28,
    longSeconds: 10,
  },
  /** Searches share the event loop's turns: more at once would only hold more pages in memory. */
  maxLargeFindsAtOnce: 4,
  /** A first print may keep its place for 20 seconds: one address leaves a place to others. */
  maxLargeFindsAtOncePerClient: 3,
  maxLargeReadSeconds: 120,
  maxTitleChars: 200,
  ...slugLimits,
  generatedSlugChars: 16,
  idChars: 12,
  /** The words of a title in a page's address; an id is shorter. */
  maxPageAddressChars: 80,
  maxPasswordBytes: 72,
  bcryptCost: 12,
  maxCommentChars: 2_000,
  maxCommentAuthorChars: 80,
  maxCommentsPerNotebook: 500,
  /** Comments read, or drawn, in one turn of the event loop. */
  maxCommentsAtOnce: 50,
  maxReportReasonChars: 200,
  maxReportDetailChars: 2_000,
  reportKeptDays: 365,
  maxBodyBytes: 8_388_608,
  maxDrainedBytes: 67_108_864,
  maxInFlightBytes: 67_108_864,
  maxInFlightBytesPerClient: 33_554_432,
  /** Long prepared answers that their clients have not taken yet. */
  maxUnreadBytes: 67_108_864,
  maxUnreadBytesPerClient: 33_554_432,
  readStallSeconds: 30,
  maxConnectionsPerClient: 2_048,
  bodyStallSeconds: 20,
  headersSeconds: 15,
  requestSeconds: 120,
  maxSearchesAtOnce: 4,
  maxSearchQueryChars: 200,
  searchPageItems: 20,
  maxSearchPages: 50,
  maxSitemapLinks: 50_000,
  maxFeedEntries: 50,
  /** For one shared link's preview picture. */
  maxCardSeconds: 5,
  /** For all notebooks together, in the database; a card takes 15 to 160 kB. */
  maxKeptCards: 500,
  /** Past it, a request of the client with the most is turned away, and that client gets the picture that is the same for all notebooks. */
  maxCardsWaiting: 32,
  maxLlmsNotebooks: 200,
  maxLlmsFullBytes: 2_097_152,
  autosaveAfterLastKeySeconds: 2,
  autosaveAfterFirstKeySeconds: 10,
  undoDeleteSeconds: 10,
  maxIdempotencyKeyChars: 64,
  /** 128 bits: a person with a leaked old token must not be able to guess it. */
  minSecretKeyChars: 22,
  /** In one browser, by the service worker. */
  maxPagesKeptOffline: 200,
  maxImportZipBytes: 104_857_600,
  maxImportZipEntries: 2_000,
  maxImportUnpackedBytes: 209_715_200,
  maxImportImageBytes: 20_971_520,
  maxImportRatio: 200,
  importRatioFromBytes: 4_194_304,
} as const;

export interface RateLimit {
  readonly max: number;
  readonly windowSeconds: number;
}

/** Per IP (IPv6: per /64). Password attempts, content writes and new pages are counted per IP and notebook. */
export const rateLimits = {
  create: { max: 60, windowSeconds: 600 },
  password: { max: 10, windowSeconds: 600 },
  comment: { max: 20, windowSeconds: 600 },
  report: { max: 20, windowSeconds: 600 },
  slugCheck: { max: 120, windowSeconds: 60 },
  imageUpload: { max: 60, windowSeconds: 600 },
  contentWrite: { max: 600, windowSeconds: 600 },
  newPage: { max: 200, windowSeconds: 600 },
  settings: { max: 60, windowSeconds: 600 },
  /**
   * Per notebook, for all clients; a correct password is given back. Past it, a network that is new here gets one try every quarter of a
   * second …
   */
  notebookPassword: { max: 10, windowSeconds: 600 },
  newGuess: { max: 1, windowSeconds: 0.25 },
  /** … and all others together get one try a second. */
  anotherGuess: { max: 1, windowSeconds: 1 },
} as const satisfies Record<string, RateLimit>;

export type RateLimitName = keyof typeof rateLimits;
