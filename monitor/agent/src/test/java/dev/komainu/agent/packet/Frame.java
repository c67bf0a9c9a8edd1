package dev.komainu.agent.packet;

/** One captured frame of a test. {@code length} is its length on the wire. */
public record Frame(long micros, LinkType link, byte[] bytes, int length) {

    public Frame(long micros, LinkType link, byte[] bytes) {
        this(micros, link, bytes, bytes.length);
    }

    public Frame cutTo(int snaplen) {
        return bytes.length <= snaplen
                ? this
                : new Frame(micros, link, java.util.Arrays.copyOf(bytes, snaplen), length);
    }

    public Frame at(long otherMicros) {
        return new Frame(otherMicros, link, bytes, length);
    }
}
