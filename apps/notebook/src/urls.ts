/**
 * Every path that the service answers (those of frames on other sites are in embed-code.ts). Reserved slugs are derived from it, so a
 * notebook can never take a new path.
 */
export const urls = {
  home: () => '/',
  homeAfterDelete: () => '/?deleted=1',
  newNotebook: () => '/new',
  quick: () => '/quick',
  search: () => '/search',
  searchFor: (query: string, page = 1) => `/search?q=${encodeURIComponent(query)}${page > 1 ? `&page=${page}` : ''}`,
  /** Each is content/landing/{name}.md. */
  landing: {
    shareWithoutAccount: () => '/share-markdown-without-account',
    burnAfterReading: () => '/burn-after-reading',
    markdownToPdf: () => '/markdown-to-pdf',
    teamNotesByLink: () => '/team-notes-by-link',
  },
  view: (slug: string) => `/n/${slug}`,
  viewPage: (slug: string, pageId: string) => `/n/${slug}/p/${pageId}`,
  /** The sandboxed frame in which diagrams are drawn. */
  diagram: () => '/diagram',
  find: (slug: string) => `/n/${slug}/find`,
  print: (slug: string) => `/n/${slug}/print`,
  /** A single page. */
  printPage: (slug: string, pageId: string) => `/n/${slug}/print?page=${pageId}`,
  markdown: (slug: string) => `/n/${slug}.md`,
  epub: (slug: string) => `/n/${slug}.epub`,
  feed: (slug: string) => `/n/${slug}/feed.atom`,
  /** The preview picture of a link to it. Chats cache pictures by address, so a changed notebook gets another one. */
  notebookCard: (slug: string, version?: number) => `/n/${slug}/card.png${version === undefined ? '' : `?v=${version}`}`,
  report: (slug: string) => `/n/${slug}/report`,
  openEdit: (slug: string) => `/n/${slug}/edit`,
  editByToken: (editToken: string) => `/e/${editToken}`,
  printByToken: (editToken: string) => `/e/${editToken}/print`,
  edit: (slug: string) => `/edit/${slug}`,
  robots: () => '/robots.txt',
  sitemap: () => '/sitemap.xml',
  sitemapPart: (number: number | string) => `/sitemap-${number}.xml`,
  llms: () => '/llms.txt',
  llmsFull: () => '/llms-full.txt',
  favicon: () => '/favicon.svg',
  faviconIco: () => '/favicon.ico',
  touchIcon: () => '/apple-touch-icon.png',
  manifest: () => '/site.webmanifest',
  /** The service worker: at the root, because its scope is its own folder. */
  offlineWorker: () => '/sw.js',
  /** Shown by the service worker for pages that are not kept. */
  offline: () => '/offline',
  /** The preview picture that reveals nothing about a notebook. */
  card: () => '/card.png',
  /** Public notebooks as a feed. */
  publicFeed: () => '/feed.atom',
  assets: () => '/assets/',
  /** An image's file, when images are in a folder (IMAGE_FOLDER). */
  imageFile: (key: string) => `/images/${key}`,
  healthz: () => '/healthz',
  readyz: () => '/readyz',
  api: {
    ping: () => '/api/ping',
    openapi: () => '/api/openapi.json',
    notebooks: () => '/api/notebooks',
    quick: () => '/api/quick',
    quickAs: (kind: string) => `/api/quick?as=${kind}`,
    ownNotebook: () => '/api/notebook',
    slug: (slug: string) => `/api/slugs/${slug}`,
    search: () => '/api/search',
    notebook: (slug: string) => `/api/notebooks/${slug}`,
    token: (slug: string) => `/api/notebooks/${slug}/token`,
    unlock: (slug: string) => `/api/notebooks/${slug}/unlock`,
    open: (slug: string) => `/api/notebooks/${slug}/open`,
    pages: (slug: string) => `/api/notebooks/${slug}/pages`,
    page: (slug: string, pageId: string) => `/api/notebooks/${slug}/pages/${pageId}`,
    snapshots: (slug: string, pageId: string) => `/api/notebooks/${slug}/pages/${pageId}/snapshots`,
    snapshot: (slug: string, snapshotId: string) => `/api/notebooks/${slug}/snapshots/${snapshotId}`,
    restore: (slug: string, snapshotId: string) => `/api/notebooks/${slug}/snapshots/${snapshotId}/restore`,
    /** The same two with the page in the path, for clients that continue from the list. */
    snapshotOfPage: (slug: string, pageId: string, snapshotId: string) =>
      `/api/notebooks/${slug}/pages/${pageId}/snapshots/${snapshotId}`,
    restoreOfPage: (slug: string, pageId: string, snapshotId: string) =>
      `/api/notebooks/${slug}/pages/${pageId}/snapshots/${snapshotId}/restore`,
    images: (slug: string) => `/api/notebooks/${slug}/images`,
    image: (slug: string, imageId: string) => `/api/notebooks/${slug}/images/${imageId}`,
    comments: (slug: string) => `/api/notebooks/${slug}/comments`,
    comment: (slug: string, commentId: string) => `/api/notebooks/${slug}/comments/${commentId}`,
    /** The files that a notebook's pages were imported from. */
    files: (slug: string) => `/api/notebooks/${slug}/files`,
    reports: (slug: string) => `/api/notebooks/${slug}/reports`,
  },
} as const;

function collectFirstSegments(table: object, into: Set<string>): Set<string> {
  for (const make of Object.values(table)) {
    if (typeof make === 'function') {
      const path: string = make('x', 'x', 'x');
      for (const segment of path.replace(/\?.*/, '').split('/'))
        if (/^[a-z0-9-]{2,}/.test(segment)) into.add(/^[^.=]*/.exec(segment)![0]);
    } else collectFirstSegments(make, into);
  }
  return into;
}

/** Words that a future page is likely to need, and words that would make a notebook look like the operator's own. */
const keptFree = [
  'about',
  'abuse',
  'account',
  'admin',
  'app',
  'archive',
  'asset',
  'auth',
  'blog',
  'callback',
  'contact',
  'cookies',
  'create',
  'dashboard',
  'delete',
  'deleted',
  'dev',
  'docs',
  'download',
  'embed',
  'explore',
  'export',
  'faq',
  'favicon',
  'feed',
  'file',
  'files',
  'fonts',
  'gate',
  'health',
  'help',
  'home',
  'icons',
  'image',
  'img',
  'import',
  'imprint',
  'index',
  'js',
  'css',
  'legal',
  'license',
  'login',
  'logout',
  'manifest',
  'me',
  'metrics',
  'notes',
  'null',
  'octavo',
  'oembed',
  'owner',
  'page',
  'password',
  'preview',
  'privacy',
  'public',
  'raw',
  'report',
  'root',
  'rss',
  'security',
  'settings',
  'share',
  'sign-in',
  'sign-out',
  'signin',
  'signout',
  'signup',
  'static',
  'status',
  'support',
  'system',
  'templates',
  'terms',
  'test',
  'undefined',
  'upload',
  'user',
  'users',
  'well-known',
  'worker',
  'www',
];

/** Slugs nobody may choose (spec 1 §2: "such as `new`, `quick` and `api`"). */
export const reservedSlugs: ReadonlySet<string> = collectFirstSegments(urls, new Set(keptFree));
