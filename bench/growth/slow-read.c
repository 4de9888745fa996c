// Preloaded (LD_PRELOAD) into a program that reads a database file: a read that the system's memory cannot serve takes READ_MICROS longer,
// as from a network disk, a card or a hard disk. Only whole database pages are delayed.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

ssize_t pread64(int file, void *to, size_t length, off64_t at) {
  static ssize_t (*real)(int, void *, size_t, off64_t);
  static long long nanos = -1;
  if (!real) real = (ssize_t(*)(int, void *, size_t, off64_t))dlsym(RTLD_NEXT, "pread64");
  if (nanos < 0) {
    const char *micros = getenv("READ_MICROS");
    nanos = micros ? atoll(micros) * 1000 : 0;
  }
  if (length >= 4096) {
    struct iovec part = {to, length};
    ssize_t got = preadv2(file, &part, 1, at, RWF_NOWAIT);
    if (got == (ssize_t)length) return got;
    if (got < 0 && errno == EAGAIN) {
      struct timespec wait = {nanos / 1000000000, nanos % 1000000000};
      nanosleep(&wait, 0);
    }
  }
  return real(file, to, length, at);
}
