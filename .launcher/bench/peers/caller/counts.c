// What is counted: answers, failures, latencies, and the server's CPU time at each whole second.

#include "counts.h"
#include "channel.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BUCKETS = 64 * 64, MOST_SECONDS = 1 << 16 };

long answered, failures, wrongStatus, wrongLength, bytes;
static long histogram[BUCKETS], perSecond[MOST_SECONDS];
static struct { long answered, micros; } samples[MOST_SECONDS], atMark;
static long sampled;
static long long begun, markedAt, highest;
static FILE *journal;

// 64 steps for each doubling: the precision of a value is 1.6 %.
static int bucket(long long v) {
    if (v < 64) return v < 0 ? 0 : (int)v;
    int log = 63 - __builtin_clzll(v);
    int at = (log - 5) * 64 + (int)((v >> (log - 6)) & 63);
    return at < BUCKETS ? at : BUCKETS - 1;
}

static double unbucket(int at) {
    if (at < 64) return at;
    int log = at / 64 + 5;
    return ((double)(64 + at % 64) + 0.5) * pow(2, log - 6);
}

static double quantile(double share) {
    long sum = 0, wanted = (long)ceil(share * answered);
    for (int i = 0; i < BUCKETS; i++)
        if ((sum += histogram[i]) >= wanted && sum) return unbucket(i) / 1000;
    return 0;
}

// User and system time of the server's processes, as the kernel counts it in ticks.
static long cpuMicros(void) {
    long ticks = 0;
    for (int i = 0; i < options.pidCount; i++) {
        char name[64], text[1024];
        snprintf(name, sizeof name, "/proc/%d/stat", options.pids[i]);
        FILE *file = fopen(name, "r");
        if (!file) continue;
        size_t length = fread(text, 1, sizeof text - 1, file);
        fclose(file);
        text[length] = 0;
        char *after = strrchr(text, ')');
        long user = 0, system = 0;
        if (after && sscanf(after + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %ld %ld", &user, &system) == 2) ticks += user + system;
    }
    return ticks * (1000000 / sysconf(_SC_CLK_TCK));
}

void countsBegin(long long at) {
    begun = at;
    if (options.log && !(journal = fopen(options.log, "w"))) fail("--log");
    samples[sampled].answered = 0;
    samples[sampled++].micros = cpuMicros();
}

// Takes a sample when a second has ended.
void countsSample(long long at) {
    if (!options.pidCount || sampled == MOST_SECONDS || at < begun + sampled * 1000000000LL) return;
    samples[sampled].answered = answered;
    samples[sampled++].micros = cpuMicros();
}

static void note(Request *request, long long at, int status) {
    if (journal && (!options.onlyErrors || status != 200 || request->wrong))
        fprintf(journal, "%lld %lld %d %s\n", (request->due - begun) / 1000, (at - request->due) / 1000, status,
            status && *request->by ? request->by : "-");
}

void countAnswer(Request *request, long long at) {
    long long took = at - request->due;
    note(request, at, request->status);
    if (request->wrong) wrongLength++;
    answered++;
    histogram[bucket(took)]++;
    if (took > highest) highest = took;
    long second = (at - begun) / 1000000000LL;
    if (second >= 0 && second < MOST_SECONDS) perSecond[second]++;
    if (answered == options.mark) {
        atMark.answered = answered, atMark.micros = cpuMicros() - samples[0].micros;
        markedAt = at;
    }
}

void countFailure(Request *request, long long at) {
    failures++;
    if (request) note(request, at, 0);
    else if (journal && options.onlyErrors) fprintf(journal, "%lld 0 -1 -\n", (at - begun) / 1000);
}

long countsEnd(long long at, int aborted) {
    double took = (at - begun) / 1e9;
    printf("{\"begunMicros\":%lld,\"answered\":%ld,\"seconds\":%.3f,\"failures\":%ld,\"wrongStatus\":%ld,\"wrongLength\":%ld,\"bytes\":%ld,\"aborted\":%d,"
           "\"p50\":%.1f,\"p99\":%.1f,\"p999\":%.1f,\"max\":%.1f,\"handshakes\":%ld,\"resumed\":%ld,\"perSecond\":[",
        begun / 1000, answered, took, failures, wrongStatus, wrongLength, bytes, aborted, quantile(.5), quantile(.99), quantile(.999), highest / 1000.0, handshakes, resumed);
    for (long i = 0; i < (long)took; i++) printf("%s%ld", i ? "," : "", perSecond[i]);
    printf("],\"cpu\":[");
    for (long i = 0; options.pidCount && i < sampled; i++) printf("%s[%ld,%ld]", i ? "," : "", samples[i].answered, samples[i].micros - samples[0].micros);
    printf("]");
    if (atMark.answered) printf(",\"mark\":{\"answered\":%ld,\"seconds\":%.3f,\"micros\":%ld}", atMark.answered, (markedAt - begun) / 1e9, atMark.micros);
    printf("}\n");
    return answered;
}
