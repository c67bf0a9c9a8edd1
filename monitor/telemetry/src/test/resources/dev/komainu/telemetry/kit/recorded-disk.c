/* A file system that passes each operation through to a directory and records it, for the tests of power loss.
 *
 *   recorded-disk BACKING LOG MOUNTPOINT
 *
 * One thread serves all operations, so the log has them in the one order in which they took effect. A write to the file
 * /.acknowledged is no file operation: its bytes are a message of the test, recorded at their place in this order.
 *
 * The log is a sequence of records, numbers big-endian:
 *
 *   kind: byte | file: 8 | at: 8 | length a: 4 | length b: 4 | a | b
 *
 *   C create    file, a path            R rename   file, a from, b to     A acknowledged  a message
 *   W write     file, at, a bytes       L link     file, a from, b to     S fsync         file
 *   T truncate  file, at size           U unlink   a path                 Y fsync of a directory, a path
 *   M mkdir     a path                  D rmdir    a path
 *
 * "file" is the inode's number in the backing file system; after the removal of a file the number may come again, with
 * another C record before it.
 *
 * Build: cc -O2 -Wall -o recorded-disk recorded-disk.c -lfuse3
 */
#define FUSE_USE_VERSION 31
#define _FILE_OFFSET_BITS 64
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse3/fuse.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define MESSAGES "/.acknowledged"
#define NO_FILE UINT64_MAX

static int backing; /* descriptor of the directory that holds the files */
static FILE *log_file;

static const char *below(const char *path) { return path[1] ? path + 1 : "."; }

static void put(uint64_t value, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) putc((int)(value >> shift & 0xff), log_file);
}

static void record(char kind, uint64_t file, uint64_t at, const void *a, size_t a_length, const void *b, size_t b_length) {
  putc(kind, log_file);
  put(file, 8);
  put(at, 8);
  put(a_length, 4);
  put(b_length, 4);
  fwrite(a, 1, a_length, log_file);
  fwrite(b, 1, b_length, log_file);
  if (ferror(log_file)) {
    /* A record with a gap proves nothing. */
    perror("recorded-disk: log");
    _exit(1);
  }
}

static void record_path(char kind, uint64_t file, const char *path) { record(kind, file, 0, path, strlen(path), "", 0); }

static int result(int rc) { return rc < 0 ? -errno : 0; }

static uint64_t inode(const char *path) {
  struct stat found;
  return fstatat(backing, below(path), &found, AT_SYMLINK_NOFOLLOW) ? 0 : found.st_ino;
}

static uint64_t inode_of(int fd) {
  struct stat found;
  return fstat(fd, &found) ? 0 : found.st_ino;
}

static int get_attributes(const char *path, struct stat *to, struct fuse_file_info *file) {
  if (file && file->fh != NO_FILE) return result(fstat((int)file->fh, to));
  if (file || strcmp(path, MESSAGES) == 0) {
    memset(to, 0, sizeof *to);
    to->st_mode = S_IFREG | 0600;
    to->st_nlink = 1;
    to->st_uid = getuid();
    to->st_gid = getgid();
    return 0;
  }
  return result(fstatat(backing, below(path), to, AT_SYMLINK_NOFOLLOW));
}

/* Open directories keep their path: the kernel gives none with the operations of an open directory. */
static int open_directory(const char *path, struct fuse_file_info *directory) {
  char *kept = strdup(path);
  if (!kept) return -ENOMEM;
  directory->fh = (uint64_t)(uintptr_t)kept;
  return 0;
}

static const char *path_of(struct fuse_file_info *directory) { return (const char *)(uintptr_t)directory->fh; }

static int read_directory(const char *unused, void *to, fuse_fill_dir_t fill, off_t at, struct fuse_file_info *directory,
                          enum fuse_readdir_flags flags) {
  (void)unused, (void)at, (void)flags;
  int fd = openat(backing, below(path_of(directory)), O_RDONLY | O_DIRECTORY);
  DIR *entries = fd < 0 ? NULL : fdopendir(fd);
  if (!entries) return -errno;
  for (struct dirent *entry = readdir(entries); entry; entry = readdir(entries)) fill(to, entry->d_name, NULL, 0, 0);
  closedir(entries);
  return 0;
}

static int sync_directory(const char *unused, int data_only, struct fuse_file_info *directory) {
  (void)unused, (void)data_only;
  record_path('Y', 0, path_of(directory));
  return 0;
}

static int release_directory(const char *unused, struct fuse_file_info *directory) {
  (void)unused;
  free((void *)(uintptr_t)directory->fh);
  return 0;
}

static int open_file(const char *path, struct fuse_file_info *file) {
  if (strcmp(path, MESSAGES) == 0) {
    file->fh = NO_FILE;
    file->direct_io = 1;
    return 0;
  }
  /* The kernel gives the place of each write, so a file opened for appending must not be one here. */
  int fd = openat(backing, below(path), file->flags & ~(O_APPEND | O_CREAT | O_EXCL));
  if (fd < 0) return -errno;
  file->fh = (uint64_t)fd;
  if (file->flags & O_TRUNC) record('T', inode_of(fd), 0, "", 0, "", 0);
  return 0;
}

static int create_file(const char *path, mode_t mode, struct fuse_file_info *file) {
  int fd = openat(backing, below(path), (file->flags & ~O_APPEND) | O_CREAT, mode);
  if (fd < 0) return -errno;
  file->fh = (uint64_t)fd;
  record_path('C', inode_of(fd), path);
  return 0;
}

static int read_file(const char *path, char *to, size_t length, off_t at, struct fuse_file_info *file) {
  (void)path;
  if (file->fh == NO_FILE) return 0;
  ssize_t got = pread((int)file->fh, to, length, at);
  return got < 0 ? -errno : (int)got;
}

static int write_file(const char *path, const char *from, size_t length, off_t at, struct fuse_file_info *file) {
  (void)path;
  if (file->fh == NO_FILE) {
    record('A', 0, 0, from, length, "", 0);
    return (int)length;
  }
  ssize_t written = pwrite((int)file->fh, from, length, at);
  if (written < 0) return -errno;
  record('W', inode_of((int)file->fh), (uint64_t)at, from, (size_t)written, "", 0);
  return (int)written;
}

static int truncate_file(const char *path, off_t size, struct fuse_file_info *file) {
  int fd = file ? (int)file->fh : -1;
  if ((file && file->fh == NO_FILE) || (!file && strcmp(path, MESSAGES) == 0)) return 0;
  if (!file && (fd = openat(backing, below(path), O_WRONLY)) < 0) return -errno;
  int rc = result(ftruncate(fd, size));
  if (rc == 0) record('T', inode_of(fd), (uint64_t)size, "", 0, "", 0);
  if (!file) close(fd);
  return rc;
}

static int sync_file(const char *path, int data_only, struct fuse_file_info *file) {
  (void)path, (void)data_only;
  /* The backing directory need not be on a disk: only the record counts. */
  if (file->fh != NO_FILE) record('S', inode_of((int)file->fh), 0, "", 0, "", 0);
  return 0;
}

static int release_file(const char *path, struct fuse_file_info *file) {
  (void)path;
  if (file->fh != NO_FILE) close((int)file->fh);
  return 0;
}

static int rename_file(const char *from, const char *to, unsigned flags) {
  if (flags) return -EINVAL;
  uint64_t file = inode(from);
  int rc = result(renameat(backing, below(from), backing, below(to)));
  if (rc == 0) record('R', file, 0, from, strlen(from), to, strlen(to));
  return rc;
}

static int link_file(const char *from, const char *to) {
  int rc = result(linkat(backing, below(from), backing, below(to), 0));
  if (rc == 0) record('L', inode(to), 0, from, strlen(from), to, strlen(to));
  return rc;
}

static int unlink_file(const char *path) {
  int rc = result(unlinkat(backing, below(path), 0));
  if (rc == 0) record_path('U', 0, path);
  return rc;
}

static int make_directory(const char *path, mode_t mode) {
  int rc = result(mkdirat(backing, below(path), mode));
  if (rc == 0) record_path('M', 0, path);
  return rc;
}

static int remove_directory(const char *path) {
  int rc = result(unlinkat(backing, below(path), AT_REMOVEDIR));
  if (rc == 0) record_path('D', 0, path);
  return rc;
}

static int change_mode(const char *path, mode_t mode, struct fuse_file_info *file) {
  if (file && file->fh != NO_FILE) return result(fchmod((int)file->fh, mode));
  return result(fchmodat(backing, below(path), mode, 0));
}

static int change_owner(const char *path, uid_t owner, gid_t group, struct fuse_file_info *file) {
  if (file && file->fh != NO_FILE) return result(fchown((int)file->fh, owner, group));
  return result(fchownat(backing, below(path), owner, group, AT_SYMLINK_NOFOLLOW));
}

static int change_times(const char *path, const struct timespec times[2], struct fuse_file_info *file) {
  if (file && file->fh != NO_FILE) return result(futimens((int)file->fh, times));
  return result(utimensat(backing, below(path), times, AT_SYMLINK_NOFOLLOW));
}

static int file_system(const char *path, struct statvfs *to) {
  (void)path;
  return result(fstatvfs(backing, to));
}

static void *begin(struct fuse_conn_info *connection, struct fuse_config *config) {
  (void)connection;
  config->nullpath_ok = 1;
  /* Without it a file that is removed while open would be renamed instead, and recorded so. */
  config->hard_remove = 1;
  config->use_ino = 1;
  return NULL;
}

static void end(void *unused) {
  (void)unused;
  if (fflush(log_file)) perror("recorded-disk: log");
}

static const struct fuse_operations OPERATIONS = {
    .init = begin,
    .destroy = end,
    .getattr = get_attributes,
    .opendir = open_directory,
    .readdir = read_directory,
    .releasedir = release_directory,
    .open = open_file,
    .create = create_file,
    .read = read_file,
    .write = write_file,
    .truncate = truncate_file,
    .fsync = sync_file,
    .fsyncdir = sync_directory,
    .release = release_file,
    .rename = rename_file,
    .link = link_file,
    .unlink = unlink_file,
    .mkdir = make_directory,
    .rmdir = remove_directory,
    .chmod = change_mode,
    .chown = change_owner,
    .utimens = change_times,
    .statfs = file_system,
};

int main(int count, char **given) {
  if (count != 4) {
    fprintf(stderr, "usage: recorded-disk BACKING LOG MOUNTPOINT\n");
    return 2;
  }
  backing = open(given[1], O_RDONLY | O_DIRECTORY);
  log_file = fopen(given[2], "wb");
  if (backing < 0 || !log_file) {
    perror("recorded-disk");
    return 1;
  }
  setvbuf(log_file, NULL, _IOFBF, 1 << 20);
  umask(0);
  char *options[] = {given[0], "-f", "-s", "-odefault_permissions", given[3], NULL};
  return fuse_main(5, options, &OPERATIONS, NULL);
}
