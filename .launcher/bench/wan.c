/* The wide area network of the benches: delay and limited rate between two namespaces.
 *
 * Forwards raw Ethernet frames between two interfaces and gives each direction a one-way delay, a rate with a
 * drop-tail queue, and seeded random loss. Delay and rate can also be given per IPv4 address, so that every client
 * has its own line. Frames other than IPv4 (ARP) pass at once. It exists because not every kernel has sch_netem, and
 * because netem on a veth pair cannot give each of two hundred addresses its own delay without two hundred classes.
 *
 * Each packet gets its departure time when it is read,
 *     due = end of its serialisation on the line + delay,
 * and waits in a heap ordered by due time. Arrival times are the kernel's receive time stamps, so a late wake-up here
 * does not stretch the delay; how late packets left is counted (late_us_*).
 *
 *   wan [options] IF_A IF_B          see usage() below
 *   wan --offloads-off IF...         only turn TSO, GRO and checksum offload off
 *
 * SIGUSR1 prints the counters to stderr, one JSON line per direction, so does the end on SIGINT and SIGTERM.
 * Build: cc -O2 -Wall -o wan wan.c
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { SLOT = 2048, RING = 8192, BATCH = 64, HASH = 8192, MS = 1000000 };

struct pkt { uint64_t due, seq; uint32_t slot, len; };

/* The properties of one address; entry 0 is for all addresses that are not listed. */
struct host { uint32_t ip; int64_t delay; double ns_per_byte; uint64_t link_free[2], last_due[2]; };

struct dir {
    const char *name;
    int rx, tx;                         /* AF_PACKET sockets */
    int64_t delay;                      /* ns */
    double loss, ns_per_byte;           /* probability; 0: no rate */
    uint64_t queue;                     /* bytes that may wait for the link */
    uint64_t rng, link_free, seq;
    uint8_t *ring; unsigned pos;        /* receive ring */
    struct pkt *heap; unsigned n;
    uint64_t pkts, bytes, sent, lost, qdrop, nobuf, oversize, late_sum, late_max, q_max, txerr;
};

static struct dir D[2] = { { .name = "a>b", .rng = 1 }, { .name = "b>a", .rng = 2 } };
static struct host host[HASH / 2];
static uint16_t hidx[HASH];
static unsigned nhost = 1, nslots = 65536, nfree, *freelist;
static uint8_t *pool;
static int64_t tick = -1;
static volatile sig_atomic_t stop, want_stats;

static void die(const char *what) { fprintf(stderr, "wan: %s: %s\n", what, strerror(errno)); exit(1); }

static void usage(void)
{
    fputs("usage: wan [options] IF_A IF_B | wan --offloads-off IF...\n"
          "  --both SPEC | --ab SPEC | --ba SPEC   SPEC is key=value[,key=value]:\n"
          "      delay=MS loss=P rate=MBIT (0: none) queue=KB\n"
          "  --ip A.B.C.D[+COUNT]=MS[:MS2][@KBIT]  one-way delay of COUNT addresses from A.B.C.D on, spread evenly\n"
          "      from MS to MS2, and each address's own rate; replaces delay= for their packets, both ways\n"
          "  --seed N   --rt (SCHED_FIFO)\n"
          "  --tick US (batching; default 100, 0 without any delay)   --pool SLOTS\n", stderr);
    exit(2);
}

static uint64_t now_ns(clockid_t c) { struct timespec t; clock_gettime(c, &t); return t.tv_sec * 1000000000ull + t.tv_nsec; }

static double rnd(uint64_t *s)          /* xorshift64*, uniform in [0,1) */
{
    *s ^= *s >> 12; *s ^= *s << 25; *s ^= *s >> 27;
    return (*s * 2685821657736338717ull >> 11) / 9007199254740992.0;
}

static uint64_t mix(uint64_t z)         /* splitmix64: a good rng state from any seed */
{
    z += 0x9e3779b97f4a7c15ull; z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull; return (z ^ (z >> 31)) | 1;
}

/* ---- address table -------------------------------------------------------- */
static unsigned slot_of(uint32_t ip)
{
    unsigned h = (ip * 2654435761u) >> 19;
    while (hidx[h] && host[hidx[h]].ip != ip) h = (h + 1) % HASH;
    return h;
}

static void add_ips(const char *arg)
{
    char a[32] = ""; unsigned count = 1; double lo, hi; struct in_addr in;
    int k = strcspn(arg, "+=");
    memcpy(a, arg, k > 31 ? 31 : k);
    if (!inet_aton(a, &in)) usage();
    arg += k;
    if (*arg == '+') count = strtoul(arg + 1, (char **)&arg, 10);
    if (*arg++ != '=' || !count) usage();
    lo = hi = strtod(arg, (char **)&arg);
    if (*arg == ':') hi = strtod(arg + 1, (char **)&arg);
    double kbit = *arg == '@' ? atof(arg + 1) : 0;
    for (unsigned i = 0; i < count && nhost < HASH / 2; i++) {
        uint32_t ip = htonl(ntohl(in.s_addr) + i);
        unsigned h = slot_of(ip);
        if (!hidx[h]) hidx[h] = nhost++;
        host[hidx[h]].ip = ip;
        host[hidx[h]].ns_per_byte = kbit > 0 ? 8e6 / kbit : 0;
        host[hidx[h]].delay = (lo + (count > 1 ? (hi - lo) * i / (count - 1) : 0)) * MS;
    }
}

static struct host *lookup(const uint8_t *frame)
{
    uint32_t src, dst; unsigned i;
    memcpy(&src, frame + 26, 4); memcpy(&dst, frame + 30, 4);
    if ((i = hidx[slot_of(src)]) || (i = hidx[slot_of(dst)])) return &host[i];
    return &host[0];
}

/* ---- heap ordered by (due, seq) -------------------------------------------- */
static int before(const struct pkt *x, const struct pkt *y)
{
    return x->due != y->due ? x->due < y->due : x->seq < y->seq;
}

static void push(struct dir *d, struct pkt p)
{
    unsigned i = d->n++;
    for (; i && before(&p, &d->heap[(i - 1) / 2]); i = (i - 1) / 2) d->heap[i] = d->heap[(i - 1) / 2];
    d->heap[i] = p;
}

static struct pkt pop(struct dir *d)
{
    struct pkt top = d->heap[0], last = d->heap[--d->n];
    unsigned i = 0, c;
    while ((c = 2 * i + 1) < d->n) {
        if (c + 1 < d->n && before(&d->heap[c + 1], &d->heap[c])) c++;
        if (!before(&d->heap[c], &last)) break;
        d->heap[i] = d->heap[c]; i = c;
    }
    d->heap[i] = last;
    return top;
}

/* ---- interfaces ------------------------------------------------------------- */
static void offloads_off(const char *name)
{
    static const unsigned cmd[] = { ETHTOOL_STSO, ETHTOOL_SGRO, ETHTOOL_STXCSUM };
    int s = socket(AF_INET, SOCK_DGRAM, 0);
    for (unsigned i = 0; i < sizeof cmd / sizeof *cmd; i++) {
        struct ethtool_value v = { .cmd = cmd[i], .data = 0 };
        struct ifreq r = { .ifr_data = (char *)&v };
        strncpy(r.ifr_name, name, IFNAMSIZ - 1);
        if (ioctl(s, SIOCETHTOOL, &r) < 0 && errno != EOPNOTSUPP) die(name);
    }
    close(s);
}

static int open_if(const char *name, uint8_t **ring)
{
    int one = 1, ver = TPACKET_V2, s = socket(AF_PACKET, SOCK_RAW, 0);
    struct tpacket_req rq = { .tp_block_size = 64 * SLOT, .tp_block_nr = RING / 64,
                              .tp_frame_size = SLOT, .tp_frame_nr = RING };
    struct sockaddr_ll ll = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL),
                              .sll_ifindex = if_nametoindex(name) };
    struct packet_mreq mr = { .mr_ifindex = ll.sll_ifindex, .mr_type = PACKET_MR_PROMISC };
    if (s < 0 || !ll.sll_ifindex) die(name);
    if (setsockopt(s, SOL_PACKET, PACKET_VERSION, &ver, sizeof ver) ||
        setsockopt(s, SOL_PACKET, PACKET_RX_RING, &rq, sizeof rq) ||
        setsockopt(s, SOL_PACKET, PACKET_IGNORE_OUTGOING, &one, sizeof one) ||
        setsockopt(s, SOL_PACKET, PACKET_QDISC_BYPASS, &one, sizeof one) ||
        setsockopt(s, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &mr, sizeof mr)) die("setsockopt");
    *ring = mmap(0, (size_t)RING * SLOT, PROT_READ | PROT_WRITE, MAP_SHARED, s, 0);
    if (*ring == MAP_FAILED) die("mmap");
    if (bind(s, (void *)&ll, sizeof ll)) die("bind");
    return s;
}

/* ---- the emulated path -------------------------------------------------------- */
static void enqueue(struct dir *d, const uint8_t *frame, unsigned len, uint64_t arrival)
{
    int which = d - D, ipv4 = len >= 34 && frame[12] == 8 && frame[13] == 0;
    uint64_t due = arrival;
    d->pkts++; d->bytes += len;
    if (ipv4) {
        if (d->loss > 0 && rnd(&d->rng) < d->loss) { d->lost++; return; }
        if (d->ns_per_byte > 0) {                       /* the link: virtual clock, drop tail */
            if (d->link_free < arrival) d->link_free = arrival;
            uint64_t backlog = (d->link_free - arrival) / d->ns_per_byte;
            if (backlog > d->q_max) d->q_max = backlog;
            if (backlog + len > d->queue) { d->qdrop++; return; }
            due = d->link_free += len * d->ns_per_byte;
        }
        struct host *h = lookup(frame);
        int64_t wait = h == host ? d->delay : h->delay;
        if (h->ns_per_byte > 0) {                       /* the client's own line: no limit to its queue, as in a
                                                           modem pool; the sender's window bounds it */
            if (h->link_free[which] < due) h->link_free[which] = due;
            due = h->link_free[which] += len * h->ns_per_byte;
        }
        if (wait > 0) due += wait;
        if (due < h->last_due[which]) due = h->last_due[which];
        h->last_due[which] = due;
    }
    if (!nfree) { d->nobuf++; return; }
    struct pkt p = { due, d->seq++, freelist[--nfree], len };
    memcpy(pool + (size_t)p.slot * SLOT, frame, len);
    push(d, p);
}

static void receive(struct dir *d, uint64_t now, int64_t real_minus_mono)
{
    for (;; d->pos = (d->pos + 1) % RING) {
        struct tpacket2_hdr *h = (void *)(d->ring + (size_t)d->pos * SLOT);
        if (!(__atomic_load_n(&h->tp_status, __ATOMIC_ACQUIRE) & TP_STATUS_USER)) return;
        uint64_t at = h->tp_sec * 1000000000ull + h->tp_nsec - real_minus_mono;
        if (at > now || now - at > 100 * MS) at = now;  /* clock stepped: do without */
        if (h->tp_snaplen < h->tp_len) d->oversize++;   /* an offload is still on */
        else enqueue(d, (uint8_t *)h + h->tp_mac, h->tp_len, at);
        __atomic_store_n(&h->tp_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
    }
}

static void transmit(struct dir *d, uint64_t now)
{
    struct mmsghdr m[BATCH]; struct iovec io[BATCH]; unsigned slot[BATCH];
    while (d->n && d->heap[0].due <= now) {
        int k = 0, done = 0;
        for (; k < BATCH && d->n && d->heap[0].due <= now; k++) {
            struct pkt p = pop(d);
            uint64_t late = now - p.due;
            d->late_sum += late; if (late > d->late_max) d->late_max = late;
            io[k] = (struct iovec){ pool + (size_t)p.slot * SLOT, p.len };
            m[k] = (struct mmsghdr){ .msg_hdr = { .msg_iov = &io[k], .msg_iovlen = 1 } };
            slot[k] = p.slot;
        }
        while (done < k) {
            int r = sendmmsg(d->tx, m + done, k - done, 0);
            if (r < 0) { d->txerr++; r = 1; }           /* skip the frame that failed */
            else d->sent += r;
            done += r;
        }
        while (k) freelist[nfree++] = slot[--k];
    }
}

static void print_stats(void)
{
    struct rusage u; getrusage(RUSAGE_SELF, &u);
    double cpu = u.ru_utime.tv_sec + u.ru_stime.tv_sec + (u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
    for (struct dir *d = D; d < D + 2; d++) {
        struct tpacket_stats st = { 0 }; socklen_t l = sizeof st;
        getsockopt(d->rx, SOL_PACKET, PACKET_STATISTICS, &st, &l);   /* drops since the last call */
        fprintf(stderr, "{\"dir\":\"%s\",\"pkts\":%lu,\"bytes\":%lu,\"sent\":%lu,\"lost\":%lu,\"queue_drops\":%lu,"
                "\"queue_max\":%lu,\"ring_drops\":%u,\"no_slot\":%lu,\"oversize\":%lu,\"tx_errors\":%lu,"
                "\"late_us_mean\":%.1f,\"late_us_max\":%.1f,\"cpu_s\":%.2f}\n", d->name, d->pkts, d->bytes, d->sent,
                d->lost, d->qdrop, d->q_max, st.tp_drops, d->nobuf, d->oversize, d->txerr,
                d->sent ? d->late_sum / 1e3 / d->sent : 0.0, d->late_max / 1e3, cpu);
        d->late_max = d->q_max = 0;
    }
}

static void on_signal(int s) { if (s == SIGUSR1) want_stats = 1; else stop = 1; }

static void spec(struct dir *d, const char *s)
{
    char *dup = strdup(s), *save = NULL;
    for (char *k = strtok_r(dup, ",", &save); k; k = strtok_r(NULL, ",", &save)) {
        char *eq = strchr(k, '='); if (!eq) usage();
        double v = atof(eq + 1); *eq = 0;
        if (!strcmp(k, "delay")) d->delay = v * MS;
        else if (!strcmp(k, "loss")) d->loss = v;
        else if (!strcmp(k, "rate")) d->ns_per_byte = v > 0 ? 8000.0 / v : 0;
        else if (!strcmp(k, "queue")) d->queue = v * 1000;
        else usage();
    }
    free(dup);
}

int main(int argc, char **argv)
{
    int i = 1, rt = 0; uint64_t seed = 1;
    if (argc > 2 && !strcmp(argv[1], "--offloads-off")) { for (i = 2; i < argc; i++) offloads_off(argv[i]); return 0; }
    for (struct dir *d = D; d < D + 2; d++) d->queue = 1000000;
    for (; i < argc && argv[i][0] == '-'; i++) {
        if (!strcmp(argv[i], "--rt")) { rt = 1; continue; }
        if (i + 1 >= argc) usage();
        char *o = argv[i], *v = argv[++i];
        if (!strcmp(o, "--both")) spec(&D[0], v), spec(&D[1], v);
        else if (!strcmp(o, "--ab")) spec(&D[0], v);
        else if (!strcmp(o, "--ba")) spec(&D[1], v);
        else if (!strcmp(o, "--ip")) add_ips(v);
        else if (!strcmp(o, "--seed")) seed = strtoull(v, 0, 0);
        else if (!strcmp(o, "--tick")) tick = atof(v) * 1000;
        else if (!strcmp(o, "--pool")) nslots = strtoul(v, 0, 0);
        else usage();
    }
    if (argc - i != 2) usage();
    if (tick < 0) tick = (D[0].delay || D[1].delay || nhost > 1) ? 100000 : 0;
    pool = mmap(0, (size_t)nslots * SLOT, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    freelist = malloc(nslots * sizeof *freelist);
    if (pool == MAP_FAILED || !freelist) die("memory");
    for (nfree = 0; nfree < nslots; nfree++) freelist[nfree] = nslots - 1 - nfree;
    for (int k = 0; k < 2; k++) {
        offloads_off(argv[i + k]);
        D[k].heap = malloc(nslots * sizeof(struct pkt));
        D[k].rng = mix(seed * 2 + k);
        D[k].rx = D[!k].tx = open_if(argv[i + k], &D[k].ring);
    }
    prctl(PR_SET_TIMERSLACK, 1000);
    if (rt && sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){ .sched_priority = 10 })) perror("wan: --rt");
    struct sigaction sa = { .sa_handler = on_signal };
    sigset_t none, all;                                 /* signals are taken in ppoll() only */
    sigemptyset(&none); sigfillset(&all); sigprocmask(SIG_SETMASK, &all, NULL);
    sigaction(SIGINT, &sa, 0); sigaction(SIGTERM, &sa, 0); sigaction(SIGUSR1, &sa, 0);

    uint64_t now = now_ns(CLOCK_MONOTONIC), wake;
    while (!stop) {
        int64_t off = now_ns(CLOCK_REALTIME) - (now = now_ns(CLOCK_MONOTONIC));
        for (int k = 0; k < 2; k++) receive(&D[k], now, off);
        for (int k = 0; k < 2; k++) transmit(&D[k], now_ns(CLOCK_MONOTONIC));
        if (want_stats) { want_stats = 0; print_stats(); }
        if (tick) {                                     /* at most one round per tick */
            struct timespec t = { (now + tick) / 1000000000, (now + tick) % 1000000000 };
            clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
        }
        wake = UINT64_MAX;
        for (int k = 0; k < 2; k++) if (D[k].n && D[k].heap[0].due < wake) wake = D[k].heap[0].due;
        now = now_ns(CLOCK_MONOTONIC);
        if (wake < now) wake = now;
        struct timespec t = { (wake - now) / 1000000000, (wake - now) % 1000000000 };
        struct pollfd pf[2] = { { D[0].rx, POLLIN, 0 }, { D[1].rx, POLLIN, 0 } };
        ppoll(pf, 2, wake == UINT64_MAX ? NULL : &t, &none);
    }
    print_stats();
    return 0;
}
