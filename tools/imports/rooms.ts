/**
 * Which room of apps/notebook/src may import which. A room is a folder, or a file that stands beside the folders.
 * `room` allows everything of it, `room (types)` what is gone at run time, `room/file` one file, `*` everything.
 * docs/architecture.md shows this table to people; a test keeps the two equal.
 */
export const rooms: Readonly<Record<string, readonly string[]>> = {
  main: ['app', 'config'],
  // `octavo serve` is the process itself.
  cli: ['app', 'config', 'main', 'commands'],
  // The wiring: the only file that knows every room.
  app: ['*'],
  // Routes say that something happened; analytics decides what of it may be told.
  routes: ['operations', 'views', 'http', 'urls', 'errors', 'limits', 'model', 'analytics/events'],
  // At the terminal what routes are over HTTP. They work on the database itself, without a server.
  commands: ['config', 'operations', 'store', 'objects', 'urls', 'model'],
  // Events are words of the model and buckets of numbers.
  analytics: ['model'],
  jobs: ['operations'],
  operations: ['model', 'markdown', 'errors', 'limits', 'store/store', 'objects/object-store', 'images/image-checker'],
  // Caps that hold inside a write statement (10 snapshots a page, 200 pages) are the store's to keep, so it reads them.
  store: ['model', 'errors', 'limits'],
  objects: ['model', 'errors', 'limits'],
  images: ['model', 'limits'],
  views: ['model (types)', 'markdown', 'urls', 'limits'],
  browser: ['markdown', 'urls', 'limits', 'model (types)'],
  model: ['limits', 'errors', 'urls'],
  // Bounds of nesting, table width and output are numbers, and those live in one file.
  markdown: ['limits'],
  // Plumbing below the routes: it turns refusals into answers and knows our own addresses. It finds the built
  // files of exactly those styles and scripts that the views say they have.
  http: ['errors', 'limits', 'urls', 'model', 'views/props'],
  // Defaults are limits; a visibility or paper is checked against the model's words.
  config: ['limits', 'model'],
  urls: [],
  limits: [],
  errors: [],
};

/** The environment is read in `config`; `main` and `cli` hand it over. */
export const environmentRooms: readonly string[] = ['config', 'main', 'cli'];

/** Names that hide what a file is about. */
export const emptyNames: ReadonlySet<string> = new Set([
  'util',
  'utils',
  'common',
  'shared',
  'helper',
  'helpers',
  'index',
  'misc',
]);

/** Each sign-in package is imported by exactly one file of the gate, so that its face can be seen in one place. */
export const gateDoors: Readonly<Record<string, string>> = {
  '@octavo/oidc-rp': 'apps/gate/src/sign-in/oidc.ts',
  '@octavo/saml-sp': 'apps/gate/src/sign-in/saml.ts',
};
