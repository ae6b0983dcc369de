// write-costs: the least that a fan-out over TCP costs: writes of SIZE octets to N sockets in turn, which a process on the
// other core reads with epoll. No protocol, no copies of its own. ROUNDS times, and waits until all is read after each.
//
//   write-costs N SIZE ROUNDS: prints {"n":…,"size":…,"cpu_us":…,"partial":…}: CPU time of the writer for a write
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define INPUT_BYTES (256 * 1024)
#define PAUSE_US 2000 // between rounds, as between bursts

static void check(int is_fine, const char *what) {
  if (is_fine) return;
  perror(what);
  exit(1);
}

static double cpu_us(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6 +
         (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

// Where there is no such core it runs on any.
static void pin(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  sched_setaffinity(0, sizeof set, &set);
}

static void read_all(const struct sockaddr_in *address, int n, _Atomic uint64_t *got) {
  static char input[INPUT_BYTES];
  int ep = epoll_create1(0);
  for (int number = 0; number < n; number++) {
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    check(connect(fd, (const struct sockaddr *)address, sizeof *address) == 0, "connect");
    fcntl(fd, F_SETFL, O_NONBLOCK);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    epoll_ctl(ep, EPOLL_CTL_ADD, fd, &event);
  }
  struct epoll_event ready[256];
  for (int closed = 0; closed < n;) {
    int count = epoll_wait(ep, ready, 256, -1);
    for (int place = 0; place < count; place++) {
      ssize_t size = read(ready[place].data.fd, input, sizeof input);
      if (size > 0) {
        *got += (uint64_t)size;
      } else if (size == 0 || errno != EAGAIN) {
        close(ready[place].data.fd);
        closed++;
      }
    }
  }
}

int main(int count, char **words) {
  if (count != 4) return fputs("usage: write-costs N SIZE ROUNDS\n", stderr), 2;
  int n = atoi(words[1]), rounds = atoi(words[3]);
  size_t size = strtoul(words[2], NULL, 10);
  _Atomic uint64_t *got = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  check(got != MAP_FAILED, "mmap");
  struct sockaddr_in address = {.sin_family = AF_INET};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  check(bind(listener, (struct sockaddr *)&address, sizeof address) == 0 && listen(listener, n) == 0, "listen");
  getsockname(listener, (struct sockaddr *)&address, &length);
  pid_t reader = fork();
  check(reader >= 0, "fork");
  if (reader == 0) {
    pin(1);
    read_all(&address, n, got);
    return 0;
  }
  pin(0);
  int *fds = calloc((size_t)n, sizeof *fds), on = 1;
  char *bytes = malloc(size);
  check(fds != NULL && bytes != NULL, "malloc");
  memset(bytes, 'x', size);
  for (int number = 0; number < n; number++) {
    check((fds[number] = accept(listener, NULL, NULL)) >= 0, "accept");
    setsockopt(fds[number], IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    fcntl(fds[number], F_SETFL, O_NONBLOCK);
  }
  uint64_t sent = 0, partial = 0;
  double used = 0;
  // The first round warms up.
  for (int round = -1; round < rounds; round++) {
    double before = cpu_us();
    for (int number = 0; number < n; number++) {
      for (size_t place = 0; place < size;) {
        ssize_t written = write(fds[number], bytes + place, size - place);
        check(written > 0 || errno == EAGAIN, "write");
        if (written < 0) usleep(100);
        else place += (size_t)written, sent += (size_t)written;
        if (place < size) partial++;
      }
    }
    if (round >= 0) used += cpu_us() - before;
    while (*got < sent) usleep(50);
    usleep(PAUSE_US);
  }
  printf("{\"n\":%d,\"size\":%zu,\"cpu_us\":%.2f,\"partial\":%lu}\n", n, size, used / rounds / n, partial);
  for (int number = 0; number < n; number++) close(fds[number]);
  waitpid(reader, NULL, 0);
  return 0;
}
