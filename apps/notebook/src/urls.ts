/** Every path the service answers. Reserved slugs are derived from it, so a new path can never be squatted by a notebook. */
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
  /** One page by itself. */
  printPage: (slug: string, pageId: string) => `/n/${slug}/print?page=${pageId}`,
  markdown: (slug: string) => `/n/${slug}.md`,
  feed: (slug: string) => `/n/${slug}/feed.atom`,
  /** For frames on other sites. */
  embed: (slug: string) => `/n/${slug}/embed`,
  embedPage: (slug: string, pageId: string) => `/n/${slug}/embed?page=${pageId}`,
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
  /** The picture beside a shared link. */
  card: () => '/card.png',
  oembed: () => '/oembed',
  oembedFor: (address: string, format: 'json' | 'xml') => `/oembed?format=${format}&url=${encodeURIComponent(address)}`,
  /** Public notebooks as a feed. */
  publicFeed: () => '/feed.atom',
  assets: () => '/assets/',
  healthz: () => '/healthz',
  readyz: () => '/readyz',
  api: {
    ping: () => '/api/ping',
    openapi: () => '/api/openapi.json',
    notebooks: () => '/api/notebooks',
    quick: () => '/api/quick',
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
    snapshot: (slug: string, pageId: string, snapshotId: string) =>
      `/api/notebooks/${slug}/pages/${pageId}/snapshots/${snapshotId}`,
    restore: (slug: string, pageId: string, snapshotId: string) =>
      `/api/notebooks/${slug}/pages/${pageId}/snapshots/${snapshotId}/restore`,
    files: (slug: string) => `/api/notebooks/${slug}/files`,
    images: (slug: string) => `/api/notebooks/${slug}/images`,
    image: (slug: string, imageId: string) => `/api/notebooks/${slug}/images/${imageId}`,
    comments: (slug: string) => `/api/notebooks/${slug}/comments`,
    reports: (slug: string) => `/api/notebooks/${slug}/reports`,
  },
} as const;

const attribute = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** HTML that shows a notebook on another site. */
export function embedCode(
  origin: string,
  notebook: { readonly slug: string; readonly title: string },
  width = 640,
  height = 480,
) {
  const src = origin + urls.embed(notebook.slug);
  return `<iframe src="${src}" title="${attribute(notebook.title)}" width="${width}" height="${height}" loading="lazy" style="border:1px solid #8884;max-width:100%"></iframe>`;
}

function collectFirstSegments(table: object, into: Set<string>): Set<string> {
  for (const make of Object.values(table)) {
    if (typeof make === 'function') {
      const path: string = make('x', 'x', 'x');
      for (const segment of path.split(/[/?]/)) if (/^[a-z0-9-]{2,}/.test(segment)) into.add(/^[^.=]*/.exec(segment)![0]);
    } else collectFirstSegments(make, into);
  }
  return into;
}

/** Words a future page is likely to want, and words that would make a notebook look like the operator's own. */
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
