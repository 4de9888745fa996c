import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'rolldown/utils';

// Does for the notebook's sources what Vite does and Node alone does not: views are TSX, and written content is imported as text (`?raw`).
registerHooks({
  load(url, context, next) {
    const [file = url, query] = url.split('?');
    const read = () => readFileSync(fileURLToPath(file), 'utf8');
    if (query === 'raw') return { format: 'module', source: `export default ${JSON.stringify(read())}`, shortCircuit: true };
    if (!file.endsWith('.tsx')) return next(url, context);
    const { code } = transformSync(fileURLToPath(file), read(), { jsx: { runtime: 'automatic', importSource: 'preact' } });
    return { format: 'module', source: code, shortCircuit: true };
  },
});
