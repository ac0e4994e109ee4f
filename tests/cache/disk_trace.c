/* Records what a process asks of the disk for one file, in the order in which it asks.
 *
 * Preloaded into a writer. Calls on the file named by DISK_TRACE_DATA, and plain writes to the file
 * named by DISK_TRACE_MARKS (the writer's acknowledgements), are appended to DISK_TRACE_LOG:
 *
 *     one letter, then three 64-bit numbers (offset, length, synchronous), then the bytes
 *     W a write   T a truncation   S a sync   A an acknowledgement
 *
 * While the file named by DISK_TRACE_FAIL exists, writes to the data file fail with the errno that
 * it holds as text, optionally followed by a blank and "meta" to fail only synchronous ones.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { MAX_FD = 1024, DATA = 1, MARKS = 2, SYNCHRONOUS = 4 };

static unsigned char kinds[MAX_FD];
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
static FILE *log_file;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int kind(int fd) { return fd >= 0 && fd < MAX_FD ? kinds[fd] : 0; }

static void note(char letter, uint64_t offset, uint64_t length, uint64_t sync, const void *bytes)
{
    uint64_t head[3] = {offset, length, sync};
    pthread_mutex_lock(&one);
    if (!log_file) log_file = fopen(getenv("DISK_TRACE_LOG"), "ab");
    fwrite(&letter, 1, 1, log_file);
    fwrite(head, sizeof head, 1, log_file);
    if (bytes) fwrite(bytes, 1, length, log_file);
    fflush(log_file);
    pthread_mutex_unlock(&one);
}

static void opened(int fd, const char *path, int flags)
{
    const char *data = getenv("DISK_TRACE_DATA"), *marks = getenv("DISK_TRACE_MARKS");
    if (fd < 0 || fd >= MAX_FD) return;
    kinds[fd] = 0;
    if (data && !strcmp(path, data)) kinds[fd] = DATA;
    if (marks && !strcmp(path, marks)) kinds[fd] = MARKS;
    if (kinds[fd] && (flags & O_DSYNC)) kinds[fd] |= SYNCHRONOUS;
}

static int failure(int fd)
{
    const char *path = getenv("DISK_TRACE_FAIL");
    char only[8] = "";
    int code = 0;
    FILE *file;
    if (!path || !(kind(fd) & DATA) || !(file = fopen(path, "r"))) return 0;
    if (fscanf(file, "%d %7s", &code, only) < 1) code = 0;
    fclose(file);
    return !strcmp(only, "meta") && !(kind(fd) & SYNCHRONOUS) ? 0 : code;
}

#define OPEN(name)                                                  \
    int name(const char *path, int flags, ...)                      \
    {                                                               \
        va_list rest;                                               \
        va_start(rest, flags);                                      \
        mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;   \
        va_end(rest);                                               \
        int fd = REAL(name)(path, flags, mode);                     \
        opened(fd, path, flags);                                    \
        return fd;                                                  \
    }
OPEN(open)
OPEN(open64)

int close(int fd)
{
    if (fd >= 0 && fd < MAX_FD) kinds[fd] = 0;
    return REAL(close)(fd);
}

#define PWRITE(name, offset_type)                                                   \
    ssize_t name(int fd, const void *bytes, size_t length, offset_type offset)      \
    {                                                                               \
        int code = failure(fd);                                                     \
        if (code) { errno = code; return -1; }                                      \
        if (kind(fd) & DATA) note('W', offset, length, kind(fd) & SYNCHRONOUS, bytes); \
        return REAL(name)(fd, bytes, length, offset);                               \
    }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

#define PWRITEV(name, offset_type)                                                  \
    ssize_t name(int fd, const struct iovec *parts, int count, offset_type offset)  \
    {                                                                               \
        int code = failure(fd);                                                     \
        if (code) { errno = code; return -1; }                                      \
        if (kind(fd) & DATA) {                                                      \
            uint64_t at = offset;                                                   \
            for (int i = 0; i < count; at += parts[i].iov_len, i++)                 \
                note('W', at, parts[i].iov_len, kind(fd) & SYNCHRONOUS, parts[i].iov_base); \
        }                                                                           \
        return REAL(name)(fd, parts, count, offset);                                \
    }
PWRITEV(pwritev, off_t)
PWRITEV(pwritev64, off64_t)

ssize_t writev(int fd, const struct iovec *parts, int count)
{
    int code = failure(fd);
    if (code) { errno = code; return -1; }
    if (kind(fd) & DATA) {
        uint64_t at = lseek(fd, 0, SEEK_CUR);
        for (int i = 0; i < count; at += parts[i].iov_len, i++)
            note('W', at, parts[i].iov_len, kind(fd) & SYNCHRONOUS, parts[i].iov_base);
    }
    return REAL(writev)(fd, parts, count);
}

ssize_t write(int fd, const void *bytes, size_t length)
{
    int code = failure(fd);
    if (code) { errno = code; return -1; }
    if (kind(fd) & MARKS) note('A', 0, length, 0, bytes);
    if (kind(fd) & DATA)
        note('W', lseek(fd, 0, SEEK_CUR), length, kind(fd) & SYNCHRONOUS, bytes);
    return REAL(write)(fd, bytes, length);
}

#define TRUNCATE(name, offset_type)                            \
    int name(int fd, offset_type length)                       \
    {                                                          \
        if (kind(fd) & DATA) note('T', length, 0, 0, NULL);    \
        return REAL(name)(fd, length);                         \
    }
TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

#define SYNC(name)                                             \
    int name(int fd)                                           \
    {                                                          \
        int result = REAL(name)(fd);                           \
        if (!result && (kind(fd) & DATA)) note('S', 0, 0, 0, NULL); \
        return result;                                         \
    }
SYNC(fsync)
SYNC(fdatasync)

int msync(void *address, size_t length, int flags)
{
    int result = REAL(msync)(address, length, flags);
    if (!result && (flags & MS_SYNC)) note('S', 0, 0, 0, NULL);
    return result;
}
