import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

// The minimum that node:http can do with the same headers: an object of headers, one buffer. Arguments: port, file of the answer.
const [port, file] = process.argv.slice(2);
const { headers, body } = JSON.parse(readFileSync(file!, 'utf8')) as { headers: Record<string, string>; body: string };
const bytes = Buffer.from(body, 'base64');
const { etag } = headers;
const { 'content-length': _length, 'content-encoding': _coding, ...short } = headers;
createServer((request, response) => {
  if (etag !== undefined && request.headers['if-none-match'] === etag) {
    response.writeHead(304, short);
    response.end();
    return;
  }
  response.writeHead(200, headers);
  response.end(bytes);
}).listen(Number(port), '127.0.0.1');
