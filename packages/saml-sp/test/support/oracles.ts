import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { testKey } from './keys.ts';

const installed = (program: string): boolean => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;

/** Why it is not there, for the line that a skipped test prints. */
export const xmlsec1Missing = installed('xmlsec1') ? undefined : 'xmlsec1 is not installed (Debian: xmlsec1)';
const folders = ['/usr/share/xml/opensaml', '/usr/share/xml/xmltooling'];
/** PHP's DOM reads Debian's schemas with Debian's libxml2: another build than the one we verify with. */
export const hasSchemas =
  folders.every(existsSync) && spawnSync('php', ['-r', 'exit(class_exists("DOMDocument") ? 0 : 1);']).status === 0;

/** One temporary folder of fixtures, gone afterwards. */
export function withFiles<T>(fixtures: readonly (string | Uint8Array)[], use: (files: string[], folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'saml-oracle-'));
  try {
    const files = fixtures.map((fixture, at) => {
      const file = join(folder, `${String(at).padStart(5, '0')}.xml`);
      writeFileSync(file, fixture);
      return file;
    });
    return use(files, folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** xmlsec1's word on every signature of a message: does the first one it finds verify with the provider's key? */
export function verifyByXmlsec1(files: readonly string[], folder: string): boolean[] {
  writeFileSync(join(folder, 'idp.pem'), testKey('idp').certificate);
  const flags = '--verify --id-attr:ID Response --id-attr:ID Assertion --pubkey-cert-pem idp.pem';
  // It goes on from file to file until one does not verify; then it starts again behind that one. Started by a shell: for each new
  // process Node would have to copy the map of its own memory.
  const script = `while [ $# -gt 0 ]; do
    good=$(xmlsec1 ${flags} "$@" 2>&1 | grep -c '^OK$')
    for _ in $(seq "$good"); do echo good; done
    [ "$good" -lt $# ] || break
    echo bad
    shift $((good + 1))
  done`;
  const { stdout } = spawnSync('sh', ['-c', script, 'sh', ...files], { cwd: folder, encoding: 'utf8', timeout: 600_000 });
  const words = stdout.trim().split('\n');
  return files.map((_, at) => words[at] === 'good');
}

/** The schemas of Debian behind one root, with a catalog for the addresses that they import each other by. */
function writeSchemaRoot(folder: string): { root: string; catalog: string } {
  const files = folders.flatMap(path =>
    readdirSync(path)
      .filter(name => name.endsWith('.xsd'))
      .map(name => ({ name, path: `${path}/${name}` })),
  );
  const at = (name: string): string => files.find(file => file.name === name)?.path ?? '';
  const systems = {
    'http://www.w3.org/TR/2002/REC-xmldsig-core-20020212/xmldsig-core-schema.xsd': at('xmldsig-core-schema.xsd'),
    'http://www.w3.org/TR/2002/REC-xmlenc-core-20021210/xenc-schema.xsd': at('xenc-schema.xsd'),
    'http://www.w3.org/2001/xml.xsd': at('xml.xsd'),
  };
  const catalog = join(folder, 'catalog.xml');
  const entries = Object.entries(systems).map(
    ([from, to]) => `<system systemId="${from}" uri="file://${to}"/><uri name="${from}" uri="file://${to}"/>`,
  );
  writeFileSync(catalog, `<catalog xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog">${entries.join('')}</catalog>`);
  const root = join(folder, 'root.xsd');
  const imports = [
    ['http://www.w3.org/2000/09/xmldsig#', 'xmldsig-core-schema.xsd'],
    ['http://www.w3.org/2001/04/xmlenc#', 'xenc-schema.xsd'],
    ['http://www.w3.org/2009/xmlenc11#', 'xenc11-schema.xsd'],
    ['urn:oasis:names:tc:SAML:2.0:assertion', 'saml-schema-assertion-2.0.xsd'],
    ['urn:oasis:names:tc:SAML:2.0:protocol', 'saml-schema-protocol-2.0.xsd'],
  ].map(([namespace, name = '']) => `<xs:import namespace="${namespace}" schemaLocation="${at(name)}"/>`);
  writeFileSync(root, `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">${imports.join('')}</xs:schema>`);
  return { root, catalog };
}

/** Debian's schemas' word on every file. */
export function validateByDebian(files: readonly string[], folder: string): boolean[] {
  const { root, catalog } = writeSchemaRoot(folder);
  const env = { ...process.env, XML_CATALOG_FILES: catalog };
  const script = fileURLToPath(new URL('./validate.php', import.meta.url));
  const { stdout } = spawnSync('php', ['-d', 'display_errors=0', script, root, ...files], {
    env,
    encoding: 'utf8',
    maxBuffer: 100_000_000,
  });
  return stdout
    .split('\n')
    .map(line => line === '1')
    .slice(0, files.length);
}
