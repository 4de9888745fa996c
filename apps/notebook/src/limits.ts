/** Every number of spec 1 §8 and of the HTTP contract's "Limits", with its unit in the name. */
export const limits = {
  maxImageBytes: 5_242_880,
  maxImagesPerNotebook: 50,
  uploadSlotMinutes: 10,
  maxStoredImageEdgePixels: 16_384,
  maxStoredImagePixels: 25_000_000,
  maxImageFrames: 1_000,
  maxAnimationPixels: 200_000_000,
  maxImageEdgePixels: 1600,
  webpQualityPercent: 82,
  maxRenderWaitSeconds: 1.5,
  maxPrintWaitSeconds: 20,
  maxSnapshotsPerPage: 10,
  autosaveSnapshotMinutes: 5,
  unlockHours: 24,
  graceDays: 3,
  editTokenBytes: 32,
  readerCookieMinutes: 10,
  freedSlugDays: 90,
  maxMarkdownBytes: 1_048_576,
  maxPagesPerNotebook: 200,
  maxTitleChars: 200,
  minSlugChars: 3,
  maxSlugChars: 64,
  generatedSlugChars: 16,
  idChars: 12,
  maxPasswordBytes: 72,
  bcryptCost: 12,
  maxCommentChars: 2_000,
  maxCommentAuthorChars: 80,
  maxCommentsPerNotebook: 500,
  maxReportDetailChars: 2_000,
  reportKeptDays: 365,
  maxBodyBytes: 8_388_608,
  maxReadOnBytes: 67_108_864,
  maxSearchQueryChars: 200,
  searchPageItems: 20,
  maxSearchPages: 50,
  maxSitemapLinks: 50_000,
  maxLlmsNotebooks: 200,
  maxLlmsFullBytes: 2_097_152,
  autosaveAfterLastKeySeconds: 2,
  autosaveAfterFirstKeySeconds: 10,
  undoDeleteSeconds: 10,
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

/** Per IP (IPv6: per /64). Password tries are counted per IP and notebook. */
export const rateLimits = {
  create: { max: 60, windowSeconds: 600 },
  password: { max: 10, windowSeconds: 600 },
  comment: { max: 20, windowSeconds: 600 },
  report: { max: 20, windowSeconds: 600 },
  slugCheck: { max: 120, windowSeconds: 60 },
  imageUpload: { max: 60, windowSeconds: 600 },
} as const satisfies Record<string, RateLimit>;

export type RateLimitName = keyof typeof rateLimits;
