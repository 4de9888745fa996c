/**
 * Which room of apps/notebook/src may import which. A room is a folder, or a file next to the folders. Every folder under
 * `browser` is a separate room; elsewhere a folder belongs to the room that contains it.
 */
export const rooms: Readonly<Record<string, readonly string[]>> = {
  // The thread that watches, and the one that serves.
  main: ['watchdog', 'config', 'own-program'],
  service: ['app', 'config', 'watchdog'],
  'record-ending': ['config', 'store', 'watchdog'],
  watchdog: ['listening'],
  'own-program': [],
  'event-loop-turns': [],
  // The sockets of the port: one process opens them for itself, a supervisor for its workers.
  listening: [],
  // `octavo serve` is the same process.
  cli: ['app', 'config', 'main', 'commands'],
  // The wiring: the only file that knows every room.
  app: ['*'],
  // What the API accepts and returns: its schemas, their types, and every call with its method and address.
  api: ['model', 'urls', 'errors', 'limits'],
  // Routes report that something happened; analytics decides what may be passed on.
  routes: [
    'api',
    'event-loop-turns',
    'operations',
    'views',
    'http',
    'urls',
    'embed-code',
    'errors',
    'limits',
    'model',
    'analytics/events',
  ],
  // The terminal's counterpart of routes. Commands work on the database directly, without a server.
  commands: ['api (types)', 'api/calls', 'config', 'operations', 'store', 'objects', 'urls', 'model', 'limits', 'browser/files'],
  // Events consist of the model's words and buckets of numbers.
  analytics: ['model'],
  jobs: ['operations'],
  operations: [
    'api/page-answer',
    'event-loop-turns',
    'model',
    'markdown',
    'errors',
    'limits',
    'store/store',
    'objects/object-store',
    'images/image-checker',
    'images/card-painter',
  ],
  // Limits enforced inside a write statement (10 snapshots a page, 200 pages) are the store's job, so it reads them.
  store: ['model', 'errors', 'limits', 'own-program', 'event-loop-turns'],
  objects: ['model', 'errors', 'limits'],
  images: ['model', 'limits', 'own-program'],
  views: ['model (types)', 'markdown', 'urls', 'embed-code', 'limits'],
  // Code that runs in a browser. The editor wires the rooms below it: panels, field and preview do not know each other's wiring.
  'browser/editor': [
    'api (types)',
    'browser/editor/page-list',
    'browser/editor/toolbar',
    'browser/editor/find',
    'browser/editor/colors',
    'browser/panels',
    'browser/field',
    'browser/preview',
    'browser/session',
    'browser/ui',
    'browser/api',
    'browser/device',
    'markdown',
    'urls',
    'limits',
  ],
  'browser/editor/find': ['browser/field', 'browser/session (types)', 'browser/ui', 'browser/device'],
  'browser/editor/colors': ['browser/field', 'browser/merge'],
  'browser/editor/page-list': ['browser/panels', 'browser/field/formatting', 'browser/session', 'browser/ui', 'limits'],
  'browser/editor/toolbar': ['browser/panels', 'browser/field', 'browser/session (types)'],
  'browser/panels': [
    'api (types)',
    'browser/field',
    'browser/session (types)',
    'browser/merge',
    'browser/ui',
    'browser/api',
    'browser/device',
    'model (types)',
    'urls',
    'limits',
  ],
  'browser/panels/share': [
    'api (types)',
    'browser/panels',
    'browser/session (types)',
    'browser/ui',
    'browser/api (types)',
    'browser/device',
    'embed-code',
    'urls',
  ],
  'browser/panels/import': [
    'browser/field/images',
    'browser/files',
    'browser/session (types)',
    'browser/ui',
    'browser/api',
    'browser/device',
    'markdown',
    'model/page-path',
    'limits',
  ],
  'browser/panels/export': [
    'api/calls',
    'browser/api',
    'browser/files',
    'browser/diagrams',
    'browser/session (types)',
    'browser/ui',
    'browser/device',
    'browser/styles',
    'markdown',
    'model/file-name',
    'model/image',
    'model/page-address',
    'model/page-path',
    'urls',
  ],
  'browser/field': [
    'browser/field/text',
    'browser/field/formatting',
    'browser/field/images',
    'browser/field/paste',
    'browser/session (types)',
  ],
  'browser/field/paste': [
    'browser/field/images',
    'browser/field/formatting',
    'browser/field/text',
    'browser/merge',
    'browser/ui',
    'browser/api',
    'browser/device',
    'urls',
    'limits',
  ],
  'browser/field/images': [
    'api (types)',
    'api/calls',
    'browser/field/text',
    'browser/session (types)',
    'browser/ui',
    'browser/api',
    'browser/device',
    'urls',
    'limits',
  ],
  'browser/field/formatting': ['browser/field/text (types)'],
  'browser/field/text': ['browser/session (types)', 'browser/device'],
  'browser/preview': ['browser/diagrams', 'browser/ui', 'browser/device', 'markdown'],
  'browser/preview/scroll': ['browser/preview', 'browser/merge'],
  // The pages of one notebook with their unsaved texts. It uses no document, which its own tsconfig proves.
  'browser/session': ['api (types)', 'browser/api', 'browser/merge', 'browser/device', 'limits'],
  'browser/merge': [],
  'browser/offline': [],
  'browser/ui': ['browser/session (types)', 'browser/device'],
  'browser/api': ['api (types)', 'api/calls', 'api/first-calls', 'api/reading-calls', 'urls', 'model (types)'],
  // What the browser provides: storage, clipboard, files, trusted types.
  'browser/device': [],
  'browser/files': ['browser/files/zip', 'markdown', 'model/page-path', 'model/mark-runs', 'model/text-start', 'limits'],
  'browser/files/zip': ['limits'],
  'browser/diagrams': ['browser/device', 'model/text-start'],
  // Scripts of pages that the server renders.
  'browser/home': ['browser/ui', 'browser/api', 'browser/device', 'urls', 'grace-days'],
  'browser/site': [
    'api (types)',
    'api/first-calls',
    'browser/ui',
    'browser/api',
    'browser/device',
    'markdown',
    'urls',
    'limits',
    'slug-limits',
  ],
  'browser/styles': [],
  model: ['limits', 'errors', 'urls'],
  // Limits on nesting, table width and output are numbers, which live in one file. Its threads use a fair queue, like the image checker's.
  markdown: ['limits', 'model/text-start', 'model/turn-queue', 'own-program'],
  // Plumbing below the routes: it turns refusals into answers and knows our own addresses. It finds the built
  // files of exactly the styles and scripts that the views declare.
  http: ['event-loop-turns', 'listening', 'errors', 'limits', 'urls', 'model', 'views/props'],
  // Defaults are limits; a visibility or paper is checked against the model's words.
  config: ['limits', 'model'],
  urls: [],
  'embed-code': [],
  limits: ['slug-limits', 'grace-days'],
  'slug-limits': [],
  'grace-days': [],
  errors: [],
};

/** The same for apps/gate/src. */
export const gateRooms: Readonly<Record<string, readonly string[]>> = {
  cli: ['config', 'main', 'model'],
  main: ['app', 'config', 'limits', 'operate'],
  // The wiring: the only file that knows every room.
  app: ['*'],
  // What follows from a configuration, created once and replaced as a whole.
  state: ['bearer', 'config', 'http', 'model', 'sign-in'],
  // HTTP in, HTTP out: one file per page or endpoint.
  routes: [
    'bearer',
    'bridge',
    'errors',
    'http',
    'limits',
    'model',
    'operate',
    'proxy',
    'sessions',
    'sign-in',
    'state',
    'urls',
    'views',
  ],
  // The gate as the OpenID provider of the applications behind it.
  bridge: ['config', 'http', 'limits', 'model', 'operate', 'urls'],
  bearer: ['errors', 'limits', 'model', 'sign-in'],
  sessions: ['limits', 'model', 'operate', 'sign-in', 'state'],
  'sign-in': ['config', 'limits', 'model', 'urls'],
  proxy: ['errors', 'http', 'model'],
  operate: ['config', 'model'],
  config: ['model'],
  http: ['errors', 'limits'],
  views: ['urls'],
  // Pure rules: what a request asks for, who the person is, and what follows.
  model: [],
  urls: [],
  limits: [],
  errors: [],
};

/** Every folder in these is a room. */
export const nestedRooms: ReadonlySet<string> = new Set(['browser']);

/** Only `config` reads the environment; `main`, `service`, `record-ending` and `cli` pass it on. */
export const environmentRooms: readonly string[] = ['config', 'main', 'service', 'record-ending', 'cli'];

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

/** Each sign-in package is imported by exactly one file of the gate, so that its use can be seen in one place. */
export const gateDoors: Readonly<Record<string, string>> = {
  '@octavo/oidc-rp': 'apps/gate/src/sign-in/oidc.ts',
  '@octavo/saml-sp': 'apps/gate/src/sign-in/saml.ts',
};
