import { networkInterfaces } from 'node:os';

/** Some machines, containers above all, have no `::1`. */
export const hasIpv6 = Object.values(networkInterfaces()).some(list => list?.some(({ address }) => address === '::1'));
