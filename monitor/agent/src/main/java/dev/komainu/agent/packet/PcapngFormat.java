package dev.komainu.agent.packet;

import java.io.IOException;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * The pcapng format (draft-ietf-opsawg-pcapng): blocks, each with its length before and after.
 *
 * <pre>
 *  0 type | 4 total length | 8 body … | total length again
 * </pre>
 *
 * Read: section header, interface description (link type, snaplen, if_tsresol, if_tsoffset),
 * enhanced, simple and the old packet block, interface statistics (drops). Other blocks are
 * skipped.
 */
final class PcapngFormat implements CaptureFile.FileFormat {

    static final int SECTION_HEADER = 0x0a0d0d0a;
    private static final int INTERFACE = 1;
    private static final int OLD_PACKET = 2;
    private static final int SIMPLE_PACKET = 3;
    private static final int STATISTICS = 5;
    private static final int ENHANCED_PACKET = 6;
    private static final int MOST_INTERFACES = 65_536;

    private final FileWindow window;
    private final List<Interface> interfaces = new ArrayList<>();
    private long delivered;
    private long dropped;
    private long lastMicros;

    /** One interface of the current section; its drops are cumulative in the file. */
    private static final class Interface {
        final LinkType link;
        final int snaplen;
        final Clock clock;
        long drops;

        Interface(LinkType link, int snaplen, Clock clock) {
            this.link = link;
            this.snaplen = snaplen;
            this.clock = clock;
        }
    }

    /** Clock of an interface: converts its ticks to microseconds. */
    private record Clock(long ticksPerSecond, long offsetSeconds) {
        static final Clock MICROS = new Clock(1_000_000, 0);

        long micros(long ticks) {
            if (ticksPerSecond == 1_000_000) {
                return ticks + offsetSeconds * 1_000_000;
            }
            long seconds = Long.divideUnsigned(ticks, ticksPerSecond);
            long rest = ticks - seconds * ticksPerSecond;
            long micros = ticksPerSecond <= 1_000_000_000_000L
                    ? rest * 1_000_000 / ticksPerSecond
                    : (long) (rest * 1e6 / ticksPerSecond);
            return (seconds + offsetSeconds) * 1_000_000 + micros;
        }
    }

    PcapngFormat(FileWindow window) {
        this.window = window;
    }

    @Override
    public boolean next(FrameSink sink) throws IOException, MalformedCaptureException {
        if (!window.has(12)) {
            if (window.left() > 0) {
                throw window.malformed(
                        "block cut short: " + window.left() + " of at least 12 bytes");
            }
            return false;
        }
        if (window.intAt(0) == SECTION_HEADER) {
            beginSection();
        }
        int type = window.intAt(0);
        long length = Integer.toUnsignedLong(window.intAt(4));
        if (length < 12 || length % 4 != 0) {
            throw window.malformed(
                    "block length " + length + " (expected: a multiple of 4, at least 12)");
        }
        if (length > window.left()) {
            throw window.malformed(
                    "block length " + length + " exceeds the " + window.left() + " left");
        }
        if (type == INTERFACE
                || type == ENHANCED_PACKET
                || type == SIMPLE_PACKET
                || type == OLD_PACKET
                || type == STATISTICS) {
            if (length > FileWindow.LONGEST || !window.has((int) length)) {
                throw window.malformed("block length " + length + " exceeds the "
                        + FileWindow.LONGEST + " allowed");
            }
            read(type, (int) length, sink);
        }
        window.skip(length);
        return true;
    }

    private void beginSection() throws IOException, MalformedCaptureException {
        window.order(ByteOrder.BIG_ENDIAN);
        int order = window.intAt(8);
        if (order != 0x1a2b3c4d && order != 0x4d3c2b1a) {
            throw window.malformed(
                    "byte-order magic " + Integer.toHexString(order) + " (expected: 1a2b3c4d)");
        }
        window.order(order == 0x1a2b3c4d ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
        interfaces.clear();
    }

    private void read(int type, int length, FrameSink sink) throws MalformedCaptureException {
        switch (type) {
            case INTERFACE -> addInterface(length);
            case ENHANCED_PACKET -> {
                require(length, 32);
                Interface networkInterface = networkInterface(window.intAt(8));
                packet(
                        networkInterface,
                        ticksAt(12),
                        28,
                        window.intAt(20),
                        window.intAt(24),
                        length,
                        sink);
            }
            case OLD_PACKET -> {
                require(length, 32);
                Interface networkInterface = networkInterface(window.ushortAt(8));
                packet(
                        networkInterface,
                        ticksAt(12),
                        28,
                        window.intAt(20),
                        window.intAt(24),
                        length,
                        sink);
            }
            case SIMPLE_PACKET -> {
                require(length, 16);
                Interface networkInterface = networkInterface(0);
                int wire = window.intAt(8);
                int captured = Math.min(wire, length - 16);
                if (networkInterface.snaplen > 0) {
                    captured = Math.min(captured, networkInterface.snaplen);
                }
                // A simple packet has no time: it gets the time of the packet before it.
                deliver(lastMicros, networkInterface.link, 12, captured, wire, sink);
            }
            default -> {
                require(length, 24);
                countDrops(networkInterface(window.intAt(8)), length);
            }
        }
    }

    private void packet(
            Interface networkInterface,
            long ticks,
            int header,
            int captured,
            int wire,
            int length,
            FrameSink sink)
            throws MalformedCaptureException {
        if (captured < 0 || captured > length - header - 4) {
            throw window.malformed("record length " + Integer.toUnsignedString(captured)
                    + " exceeds the " + (length - header - 4) + " left");
        }
        lastMicros = networkInterface.clock.micros(ticks);
        deliver(lastMicros, networkInterface.link, header, captured, wire, sink);
    }

    private void deliver(
            long micros, LinkType link, int header, int captured, int wire, FrameSink sink)
            throws MalformedCaptureException {
        if (captured < 0) {
            throw window.malformed(
                    "packet length " + Integer.toUnsignedString(wire) + " (expected: below 2^31)");
        }
        delivered++;
        sink.frame(
                micros,
                link,
                window.memory(),
                window.at() + (long) header,
                captured,
                Math.max(wire, captured));
    }

    private void addInterface(int length) throws MalformedCaptureException {
        require(length, 20);
        if (interfaces.size() >= MOST_INTERFACES) {
            throw window.malformed("more than " + MOST_INTERFACES + " interfaces");
        }
        long ticks = 1_000_000;
        long offset = 0;
        for (int at = 16; at + 4 <= length - 4; ) {
            int code = window.ushortAt(at);
            int bytes = window.ushortAt(at + 2);
            if (code == 0 || at + 4 + bytes > length - 4) {
                break;
            }
            if (code == 9 && bytes == 1) {
                int resolution = window.ubyteAt(at + 4);
                ticks = ticksPerSecond(resolution);
            } else if (code == 14 && bytes == 8) {
                offset = eightAt(at + 4);
            }
            at += 4 + (bytes + 3 & ~3);
        }
        Clock clock = ticks == 1_000_000 && offset == 0 ? Clock.MICROS : new Clock(ticks, offset);
        interfaces.add(new Interface(LinkType.of(window.ushortAt(8)), window.intAt(12), clock));
    }

    /** Converts if_tsresol: a negative power of two when the highest bit is set, else of ten. */
    private long ticksPerSecond(int resolution) throws MalformedCaptureException {
        int power = resolution & 0x7f;
        boolean two = (resolution & 0x80) != 0;
        if (power > (two ? 62 : 18)) {
            throw window.malformed(
                    "if_tsresol " + resolution + " (expected: at most 10^-18 or 2^-62)");
        }
        long ticks = 1;
        for (int i = 0; i < power; i++) {
            ticks *= two ? 2 : 10;
        }
        return ticks;
    }

    private void countDrops(Interface networkInterface, int length) {
        long here = 0;
        for (int at = 20; at + 4 <= length - 4; ) {
            int code = window.ushortAt(at);
            int bytes = window.ushortAt(at + 2);
            if (code == 0 || at + 4 + bytes > length - 4) {
                break;
            }
            // isb_ifdrop and isb_osdrop
            if ((code == 5 || code == 7) && bytes == 8) {
                here += eightAt(at + 4);
            }
            at += 4 + (bytes + 3 & ~3);
        }
        dropped += Math.max(0, here - networkInterface.drops);
        networkInterface.drops = Math.max(here, networkInterface.drops);
    }

    private Interface networkInterface(int number) throws MalformedCaptureException {
        if (number < 0 || number >= interfaces.size()) {
            throw window.malformed("interface " + Integer.toUnsignedString(number)
                    + " (expected: one of the " + interfaces.size() + " described before)");
        }
        return interfaces.get(number);
    }

    private void require(int length, int least) throws MalformedCaptureException {
        if (length < least) {
            throw window.malformed(
                    "block length " + length + " (expected: at least " + least + ")");
        }
    }

    /** Returns the number in two words, the higher one first in either byte order. */
    private long ticksAt(int offset) {
        return (long) window.intAt(offset) << 32 | Integer.toUnsignedLong(window.intAt(offset + 4));
    }

    private long eightAt(int offset) {
        long first = Integer.toUnsignedLong(window.intAt(offset));
        long second = Integer.toUnsignedLong(window.intAt(offset + 4));
        return window.order() == ByteOrder.BIG_ENDIAN ? first << 32 | second : second << 32 | first;
    }

    @Override
    public long delivered() {
        return delivered;
    }

    @Override
    public long dropped() {
        return dropped;
    }
}
