package dev.komainu.agent.accesslog;

/** The values of one log line, reused from line to line. Single thread. */
final class ParsedLogLine {

    static final long ABSENT = -1;

    /** Begin or end of the request, whichever the log contains; microseconds since the epoch. */
    long timeMicros;

    long durationMicros;
    long status;
    long bytes;
    long port;

    /** Hash of the request as the line contains it; {@link #ABSENT} without it. */
    long request;

    void clear() {
        timeMicros = ABSENT;
        durationMicros = ABSENT;
        status = ABSENT;
        bytes = ABSENT;
        port = ABSENT;
        request = ABSENT;
    }
}
