package dev.komainu.intermediary.transport;

import io.netty.channel.ChannelId;
import java.util.concurrent.atomic.AtomicLong;

/** A channel identifier that is a number: unique within one process, which is sufficient. */
final class StreamChannelId implements ChannelId {

    private static final long serialVersionUID = 1;
    private static final AtomicLong LAST = new AtomicLong();

    private final long number = LAST.incrementAndGet();

    @Override
    public String asShortText() {
        return Long.toString(number);
    }

    @Override
    public String asLongText() {
        return "stream-" + number;
    }

    @Override
    public int compareTo(ChannelId other) {
        return other instanceof StreamChannelId that
                ? Long.compare(number, that.number)
                : asLongText().compareTo(other.asLongText());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof StreamChannelId that && number == that.number;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(number);
    }

    @Override
    public String toString() {
        return asShortText();
    }
}
