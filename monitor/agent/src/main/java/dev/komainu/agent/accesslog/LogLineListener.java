package dev.komainu.agent.accesslog;

/**
 * Listener of the lines of a log, in order. The array belongs to the reader and changes after the
 * call.
 */
interface LogLineListener {

    /** Receives a whole line, without its end. */
    void line(byte[] bytes, int from, int to);

    /** Called for bytes that were not a line: too long, or cut off. */
    void unreadable();
}
