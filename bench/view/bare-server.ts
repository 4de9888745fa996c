import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

// The least that node:http can do: one buffer, its length and its type. Arguments: port, file, content encoding or ''.
const [port, file, contentEncoding] = process.argv.slice(2);
const body = readFileSync(file!);
const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-length': body.length,
  ...(contentEncoding ? { 'content-encoding': contentEncoding } : {}),
};
createServer((_request, response) => {
  response.writeHead(200, headers);
  response.end(body);
}).listen(Number(port), '127.0.0.1');
