import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startProgram } from './program.ts';

// Web servers in front of the gate, as docs/gate shows them, but for addresses and certificates.

const documents = fileURLToPath(new URL('../../../../docs/gate/', import.meta.url));
export const readDocument = (name: string): string => readFileSync(join(documents, name), 'utf8');

/** The part of a page between ```LANGUAGE and ```. */
export function fencedPart(page: string, language: string): string {
  const part = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(readDocument(page))?.[1];
  if (part === undefined) throw new Error(`${page} has no part in ${language}`);
  return part;
}

/** For a gate whose `publicUrl` is https: its cookies' names have prefixes, as in the documents. On plain http they have none. */
interface Names {
  readonly isHttps: boolean;
}
const named = (text: string, { isHttps }: Names) => (isHttps ? text : text.replaceAll('__(?:Host|Secure)-gate', 'gate'));
const plain: Names = { isHttps: false };

export interface Ports {
  readonly front: number;
  readonly gate: number;
  readonly application: number;
}

const changeAddresses = (text: string, { gate, application }: Ports) =>
  text.replaceAll('127.0.0.1:4180', `127.0.0.1:${gate}`).replaceAll(/127\.0\.0\.1:(?:3000|5232)/g, `127.0.0.1:${application}`);

export function startNginx(
  folder: string,
  ports: Ports,
  server = readDocument('nginx.conf'),
  names = plain,
): Promise<AsyncDisposable> {
  const change = (text: string) =>
    changeAddresses(named(text, names), ports)
      .replaceAll('/etc/nginx/', `${folder}/`)
      .replace('listen 443 ssl;', `listen 127.0.0.1:${ports.front};`)
      .replace(/ +ssl_certificate.*\n/g, '')
      // The public port is not the standard one here.
      .replaceAll(/Host( +)\$host;/g, 'Host$1$http_host;');
  for (const included of ['gate-ask.conf', 'gate-failures.conf'])
    writeFileSync(join(folder, included), change(readDocument(included)));
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map(name => `${name}_temp_path ${folder}/${name};`)
    .join(' ');
  const whole = `daemon off; pid ${folder}/pid; error_log stderr; events {} http { access_log off; ${paths} ${change(server)} }`;
  writeFileSync(join(folder, 'nginx.conf'), whole);
  return startProgram('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], `http://127.0.0.1:${ports.front}/gate/healthz`);
}

export function startCaddy(
  folder: string,
  ports: Ports,
  site = readDocument('Caddyfile'),
  names = plain,
): Promise<AsyncDisposable> {
  const text = changeAddresses(named(site, names), ports).replace('notes.example.org {', `http://127.0.0.1:${ports.front} {`);
  mkdirSync(join(folder, 'home'), { recursive: true });
  writeFileSync(join(folder, 'Caddyfile'), `{\n\tadmin off\n}\n${text}`);
  const home = join(folder, 'home');
  return startProgram(
    'caddy',
    ['run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')],
    `http://127.0.0.1:${ports.front}/gate/healthz`,
    { HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home },
  );
}
