// The tests of the gate want such a port too, so it lies beside them all.
export { findFreePort } from '../../../../tools/free-port.ts';
