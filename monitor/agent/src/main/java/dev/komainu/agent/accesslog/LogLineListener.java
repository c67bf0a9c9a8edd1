package dev.komainu.agent.accesslog;

/** Hears the lines of a log in order. The array is the reader's own and changes afterwards. */
interface LogLineListener {

    /** A whole line, its end left out. */
    void line(byte[] bytes, int from, int to);

    /** Something that was no line: too long, or cut off. */
    void unreadable();
}
