import { describe, expect, it } from 'vitest';
import { ConfigError, isWeakKey, readConfig } from './config.ts';

describe('the configuration', () => {
  it('needs nothing', () => {
    expect(readConfig({})).toEqual({
      host: '127.0.0.1',
      port: 3000,
      publicUrl: 'http://localhost:3000',
      databaseUrl: 'sqlite:data/octavo.db',
      secretKey: undefined,
      images: { kind: 'off', missing: ['R2_ENDPOINT', 'R2_ACCESS_KEY_ID', 'R2_SECRET_ACCESS_KEY', 'R2_BUCKET', 'R2_PUBLIC_URL'] },
      trustProxy: [],
      jobs: { kind: 'on', timezone: 'UTC' },
      analytics: { kind: 'off' },
      metricsPort: undefined,
      workers: 1,
      rateLimits: 'on',
      offline: 'on',
      maxNotebookBytes: 10_485_760,
      logLevel: 'info',
    });
  });

  it.each(['sqlite:/data/x.db', 'postgres://user@host/name', 'postgresql:///name?host=/var/run/postgresql'])(
    'takes %s for a database',
    url => expect(readConfig({ DATABASE_URL: url }).databaseUrl).toBe(url),
  );

  it('takes an empty variable for an absent one, and the port into the public address', () => {
    expect(readConfig({ PORT: '8080', PUBLIC_URL: '', HOST: ' ' })).toMatchObject({
      host: '127.0.0.1',
      publicUrl: 'http://localhost:8080',
    });
  });

  it.each([
    ['HTTPS://Notes.Example.org/', 'https://notes.example.org'],
    ['https:/notes.example.org', 'https://notes.example.org'],
    ['https:notes.example.org', 'https://notes.example.org'],
    ['https://notes.example.org:443/octavo//', 'https://notes.example.org/octavo'],
    ['https://bücher.example', 'https://xn--bcher-kva.example'],
    ['https://notes.example.org/my notes', 'https://notes.example.org/my%20notes'],
  ])('reads the address %s as browsers do', (given, read) => {
    expect(readConfig({ PUBLIC_URL: given }).publicUrl).toBe(read);
  });

  it.each([
    ['PORT', '70000'],
    ['PORT', 'http'],
    ['HOST', 'two words'],
    ['HOST', 'http://host'],
    ['PUBLIC_URL', 'notes.example.org'],
    ['PUBLIC_URL', 'https://me:pw@notes.example.org'],
    ['DATABASE_URL', 'mysql://x'],
    ['DATABASE_URL', 'sqlite:'],
    ['DATABASE_URL', 'sqlite:///data/x.db'],
    ['DATABASE_URL', 'postgres://user@host'],
    ['DATABASE_URL', 'postgres://user@host/'],
    ['DATABASE_URL', 'postgres:///name'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['TRUST_PROXY', '10.0.0.1, proxy'],
    ['TRUST_PROXY', '0.0.0.0/0'],
    ['TRUST_PROXY', '::/0'],
    ['JOBS', 'yes'],
    ['JOBS_TIMEZONE', 'Mars/Olympus'],
    ['METRICS_PORT', '-1'],
    ['WORKERS', '0'],
    ['WORKERS', '65'],
    ['WORKERS', 'all'],
    ['RATE_LIMITS', 'no'],
    ['OFFLINE', 'no'],
    ['LOG_LEVEL', 'loud'],
    ['R2_ENDPOINT', 'not a url'],
    ['R2_BUCKET', 'pictures/'],
    ['R2_BUCKET', 'pictures/notes'],
    ['R2_BUCKET', 'two words'],
    ['R2_BUCKET', 's3://pictures'],
    ['R2_BUCKET', 'pictures?x'],
    ['S3_PATH_STYLE', 'maybe'],
    ['ANALYTICS_HOST', 'https://analytics.example'],
  ])('refuses %s=%s by name', (name, value) => {
    const read = () => readConfig({ [name]: value });
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(name === 'ANALYTICS_HOST' ? 'ANALYTICS_KEY' : name);
  });

  it('starts as many workers as it is told, each with a metrics port that is not the public one', () => {
    expect(readConfig({ WORKERS: '3' }).workers).toBe(3);
    expect(readConfig({ WORKERS: 'auto' }).workers).toBeGreaterThanOrEqual(1);
    expect(readConfig({ WORKERS: '2', PORT: '3000', METRICS_PORT: '2998' }).metricsPort).toBe(2998);
    expect(() => readConfig({ WORKERS: '2', PORT: '3000', METRICS_PORT: '2999' })).toThrow('METRICS_PORT');
    expect(readConfig({ WORKERS: '3', METRICS_PORT: '65533' }).metricsPort).toBe(65_533);
    expect(() => readConfig({ WORKERS: '3', METRICS_PORT: '65534' })).toThrow('METRICS_PORT');
  });

  it('says which SECRET_KEY is too short to be used alone', () => {
    expect([undefined, 'k'.repeat(32), 'k'.repeat(31), 'k'].map(isWeakKey)).toEqual([false, false, true, true]);
    expect(readConfig({ SECRET_KEY: 'short' }).secretKey).toBe('short');
  });

  it('names every bad variable in one message and repeats no secret', () => {
    const message = () => {
      try {
        readConfig({ PORT: 'x', LOG_LEVEL: 'y', DATABASE_URL: 'mysql://root:hunter2@db/x', SECRET_KEY: 'hunter2' });
      } catch (error) {
        return (error as Error).message;
      }
      return '';
    };
    for (const name of ['PORT', 'LOG_LEVEL', 'DATABASE_URL']) expect(message()).toContain(name);
    expect(message()).not.toContain('hunter2');
  });

  it('has images on only with all five variables', () => {
    const five = {
      R2_ENDPOINT: 'https://s3.example/',
      R2_ACCESS_KEY_ID: 'k',
      R2_SECRET_ACCESS_KEY: 's',
      R2_BUCKET: 'b',
      R2_PUBLIC_URL: 'https://img.example',
    };
    expect(readConfig(five).images).toMatchObject({
      kind: 'on',
      store: { endpoint: 'https://s3.example', pathStyle: true, region: 'auto' },
    });
    expect(readConfig({ ...five, R2_BUCKET: '' }).images).toEqual({ kind: 'off', missing: ['R2_BUCKET'] });
  });

  it('keeps images in a folder when it is named, and refuses two stores', () => {
    expect(readConfig({ IMAGE_FOLDER: 'data/images' }).images).toEqual({ kind: 'folder', folder: 'data/images' });
    expect(readConfig({ IMAGE_FOLDER: '' }).images.kind).toBe('off');
    expect(() => readConfig({ IMAGE_FOLDER: 'data/images', R2_BUCKET: 'b', R2_ENDPOINT: 'https://s3.example' })).toThrow(
      'IMAGE_FOLDER: cannot be set together with R2_ENDPOINT, R2_BUCKET: images are kept in one place, so unset one or the other',
    );
  });

  it('refuses an endpoint with the bucket at its end, where each key would lie one folder too deep', () => {
    const readWith = (R2_ENDPOINT: string) => () =>
      readConfig({
        R2_ENDPOINT,
        R2_BUCKET: 'pictures',
        R2_ACCESS_KEY_ID: 'k',
        R2_SECRET_ACCESS_KEY: 's',
        R2_PUBLIC_URL: 'https://i.x',
      });
    expect(readWith('https://a.r2.cloudflarestorage.com/pictures/')).toThrow(
      'R2_ENDPOINT: must be given without the bucket at its end',
    );
    expect(readWith('https://db.example/storage/v1/s3')().images.kind).toBe('on');
  });
});
