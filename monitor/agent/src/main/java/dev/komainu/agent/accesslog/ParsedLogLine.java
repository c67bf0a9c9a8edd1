package dev.komainu.agent.accesslog;

/** What is kept of a line: reused from line to line. Single thread. */
final class ParsedLogLine {

    static final long ABSENT = -1;

    /** When the request began or ended, whichever the log tells; microseconds since the epoch. */
    long timeMicros;

    long durationMicros;
    long status;
    long bytes;
    long port;

    void clear() {
        timeMicros = ABSENT;
        durationMicros = ABSENT;
        status = ABSENT;
        bytes = ABSENT;
        port = ABSENT;
    }
}
