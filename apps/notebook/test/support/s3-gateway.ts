import { randomBytes } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';
import { cephMissing, endProcess, startCephCluster, untilItWorks } from './ceph-cluster.ts';

/** Why this machine has no S3 gateway, for the line that a skipped test prints. */
export const s3GatewayMissing = cephMissing;

/** Ceph's real S3 gateway, with everything in memory. */
export interface S3Gateway {
  /** `http://127.0.0.1:{port}`; also answers `http://{bucket}.localhost:{port}`. */
  readonly endpoint: string;
  /** A fresh, empty bucket that everybody may read, as the service's configuration variables. */
  createBucket(): Promise<S3Bucket>;
  /** Sends one signed request, for tests of what no client does. */
  send(method: string, path: string, init?: { headers?: Record<string, string>; body?: string }): Promise<Response>;
  /** Kills the gateway like a power cut. Its stored data and its address stay. */
  kill(): Promise<void>;
  revive(): Promise<void>;
  stop(): Promise<void>;
}

export interface S3Bucket {
  readonly name: string;
  readonly publicUrl: string;
  readonly env: Readonly<
    Record<'R2_ENDPOINT' | 'R2_ACCESS_KEY_ID' | 'R2_SECRET_ACCESS_KEY' | 'R2_BUCKET' | 'R2_PUBLIC_URL', string>
  >;
}

const region = 'auto';

/** Takes about two seconds; one for each test file that needs one. */
export async function startS3Gateway(): Promise<S3Gateway> {
  const cluster = await startCephCluster();
  const endpoint = `http://127.0.0.1:${cluster.gatewayPort}`;
  const accessKeyId = `AKIA${randomBytes(8).toString('hex').toUpperCase()}`;
  const secretAccessKey = randomBytes(20).toString('hex');

  const start = async () => {
    const child = await cluster.start('radosgw', ['-n', 'client.rgw']);
    await untilItWorks(() => fetch(endpoint)).catch(async () => {
      throw new Error(`the gateway does not answer:\n${await cluster.readLog('radosgw')}`);
    });
    return child;
  };
  const createUser = () =>
    cluster.tell(
      ...(['radosgw-admin', 'user', 'create', '--uid=test', '--display-name=test'] as const),
      ...[`--access-key=${accessKeyId}`, `--secret-key=${secretAccessKey}`],
    );

  const send: S3Gateway['send'] = async (method, path, { headers = {}, body } = {}) => {
    const account = { accessKeyId, secretAccessKey, region, service: 's3' };
    const signed = await new AwsV4Signer({ method, url: endpoint + path, headers, body: body ?? null, ...account }).sign();
    return fetch(signed.url, { method, headers: signed.headers, ...(body === undefined ? {} : { body }) });
  };
  const requireOk = async (answer: Response) => {
    if (!answer.ok) throw new Error(`the gateway answered ${answer.status}: ${await answer.text()}`);
  };

  try {
    let gateway = await start();
    await createUser();
    return {
      endpoint,
      send,
      async createBucket() {
        const name = `octavo-${randomBytes(6).toString('hex')}`;
        await requireOk(await send('PUT', `/${name}`));
        await requireOk(await send('PUT', `/${name}?policy=`, { body: readableByAll(name) }));
        const publicUrl = `${endpoint}/${name}`;
        return {
          name,
          publicUrl,
          env: {
            R2_ENDPOINT: endpoint,
            R2_ACCESS_KEY_ID: accessKeyId,
            R2_SECRET_ACCESS_KEY: secretAccessKey,
            R2_BUCKET: name,
            R2_PUBLIC_URL: publicUrl,
          },
        };
      },
      kill: () => endProcess(gateway),
      async revive() {
        gateway = await start();
      },
      stop: () => cluster.stop(),
    };
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

/** Anyone may fetch an object, but nobody may list them: the policy that an operator sets for a bucket of images. */
function readableByAll(bucket: string): string {
  return JSON.stringify({
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource: `arn:aws:s3:::${bucket}/*` }],
  });
}
