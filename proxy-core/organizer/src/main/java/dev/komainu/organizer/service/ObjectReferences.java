package dev.komainu.organizer.service;

import dev.komainu.organizer.service.ServedAddresses.HostPort;
import java.io.ByteArrayOutputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The rewriter of addresses in the object references of a GIOP message (CORBA 3.3 part 2, sections
 * 7.6.2 and 9.7.2). Pure functions.
 *
 * <pre>
 * reference   string type_id | count | profile …
 * profile     tag 0 | length | order, 1, minor | string host | ushort port | octets object_key | count | component …
 * </pre>
 *
 * The positions of references in a message are known only with the interface definition. They are
 * detected by their form: a type ({@code IDL:…}, or empty), and profiles whose inner lengths all
 * fit. The following bytes must keep their alignment, so the size of a profile changes by multiples
 * of eight; a component of our own, which others ignore, fills it up. A profile of IIOP 1.0 has no
 * components and stays unchanged.
 */
final class ObjectReferences {

    /** Our component that fills a profile up. */
    private static final int FILLER = 0x4b4f4d41;
    /** Alternate addresses: they would bypass the line. */
    private static final int TAG_ALTERNATE_ADDRESS = 3;

    private static final int TAG_INTERNET_IOP = 0;
    private static final int HEADER = 12;
    private static final int REQUEST = 0;
    private static final int REPLY = 1;
    private static final int LOCATE_REPLY = 4;

    private ObjectReferences() {}

    /**
     * A rewritten message.
     *
     * @param written number of new addresses; 0: {@code bytes} is the original message
     */
    record Rewritten(byte[] bytes, int written) {}

    /**
     * Rewrites a message.
     *
     * @param message complete, without further fragments
     * @param rewriter returns the address to use in place of another; null: the address stays
     */
    static Rewritten rewrite(byte[] message, Function<HostPort, @Nullable HostPort> rewriter) {
        ByteBuffer in = ByteBuffer.wrap(message).order(order(message[6]));
        try {
            int type = message[7];
            if (type != REQUEST && type != REPLY && type != LOCATE_REPLY) {
                return new Rewritten(message, 0);
            }
            int body = body(in, type, message[5]);
            ByteArrayOutputStream out = new ByteArrayOutputStream(message.length + 256);
            int copied = 0;
            int written = 0;
            int at = align(body, 4);
            while (at + 28 <= message.length) {
                int profiles = profiles(in, at);
                if (profiles < 0) {
                    at += 4;
                    continue;
                }
                int count = in.getInt(profiles);
                int next = profiles + 4;
                for (int i = 0; i < count; i++) {
                    int length = in.getInt(next + 4);
                    byte[] changed = in.getInt(next) == TAG_INTERNET_IOP
                            ? profile(in, next + 8, length, rewriter)
                            : null;
                    if (changed != null) {
                        out.write(message, copied, next + 4 - copied);
                        out.writeBytes(ByteBuffer.allocate(4)
                                .order(in.order())
                                .putInt(changed.length)
                                .array());
                        out.writeBytes(changed);
                        copied = next + 8 + length;
                        written++;
                    }
                    next = next + 8 + length;
                    next = i + 1 < count ? align(next, 4) : next;
                }
                at = align(next, 4);
            }
            if (written == 0) {
                return new Rewritten(message, 0);
            }
            out.write(message, copied, message.length - copied);
            byte[] result = out.toByteArray();
            ByteBuffer.wrap(result).order(in.order()).putInt(8, result.length - HEADER);
            return new Rewritten(result, written);
        } catch (IndexOutOfBoundsException | BufferUnderflowException e) {
            // An unknown form of GIOP is passed unchanged: the receiver may understand it.
            return new Rewritten(message, 0);
        }
    }

    static ByteOrder order(byte flags) {
        return (flags & 1) == 1 ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
    }

    private static int align(int at, int to) {
        return at + to - 1 & -to;
    }

    // The head of a message (section 9.4). It contains no references to connect to.

    private static int body(ByteBuffer in, int type, int minor) {
        in.position(HEADER);
        if (type == LOCATE_REPLY) {
            skip(in, 8);
            // The body has no alignment in any version (section 9.4.6).
            return in.position();
        }
        if (minor >= 2) {
            skip(in, 8);
            if (type == REQUEST) {
                target(in);
                octets(in);
            }
            contexts(in);
            return align(in.position(), 8);
        }
        contexts(in);
        skip(in, type == REQUEST ? 5 : 8);
        if (type == REQUEST) {
            in.position(in.position() + (minor == 1 ? 3 : 0));
            octets(in);
            octets(in);
            octets(in);
        }
        return in.position();
    }

    private static void target(ByteBuffer in) {
        int addressing = in.getShort();
        switch (addressing) {
            case 0 -> octets(in);
            case 1 -> {
                skip(in, 4);
                octets(in);
            }
            default -> {
                skip(in, 4);
                octets(in);
                int count = word(in);
                for (int i = 0; i < count; i++) {
                    skip(in, 4);
                    octets(in);
                }
            }
        }
    }

    private static void contexts(ByteBuffer in) {
        int count = word(in);
        for (int i = 0; i < count; i++) {
            skip(in, 4);
            octets(in);
        }
    }

    private static int word(ByteBuffer in) {
        in.position(position(in, align(in.position(), 4)));
        return in.getInt();
    }

    /** Skips an alignment to four and the given number of bytes. */
    private static void skip(ByteBuffer in, int bytes) {
        in.position(position(in, align(in.position(), 4) + bytes));
    }

    /** Skips octets or a string: length and bytes. */
    private static void octets(ByteBuffer in) {
        int length = word(in);
        in.position(position(in, length < 0 ? -1 : in.position() + length));
    }

    private static int position(ByteBuffer in, int at) {
        if (at < 0 || at > in.limit()) {
            throw new IndexOutOfBoundsException(at);
        }
        return at;
    }

    // References.

    /**
     * Returns the position of the profile count of a reference at this position; -1: there is no
     * reference.
     */
    @SuppressWarnings("ByteBufferBackingArray") // the buffer wraps the whole message
    private static int profiles(ByteBuffer in, int at) {
        int length = in.getInt(at);
        if (length < 1
                || length > 1024
                || at + 4 + length + 8 > in.limit()
                || in.get(at + 3 + length) != 0) {
            return -1;
        }
        if (length > 1) {
            String type = new String(in.array(), at + 4, length - 1, StandardCharsets.ISO_8859_1);
            if (!type.startsWith("IDL:") && !type.startsWith("RMI:")) {
                return -1;
            }
        }
        int counted = align(at + 4 + length, 4);
        if (counted + 4 > in.limit()) {
            return -1;
        }
        int count = in.getInt(counted);
        int next = counted + 4;
        boolean internet = false;
        for (int i = 0; i < count; i++) {
            next = align(next, 4);
            if (count > 64 || next + 8 > in.limit()) {
                return -1;
            }
            int size = in.getInt(next + 4);
            if (size < 0 || size > in.limit() - next - 8) {
                return -1;
            }
            if (in.getInt(next) == TAG_INTERNET_IOP) {
                internet = true;
                if (parse(in, next + 8, size) == null) {
                    return -1;
                }
            }
            next += 8 + size;
        }
        return internet ? counted : -1;
    }

    /**
     * A parsed profile.
     *
     * @param key position of the octets object_key
     * @param components position of the component count; -1: none
     * @param end position after the last component
     */
    private record Profile(
            ByteBuffer in, int minor, HostPort address, int key, int components, int end) {}

    private static @Nullable Profile parse(ByteBuffer message, int from, int length) {
        if (length < 12) {
            return null;
        }
        ByteBuffer in = message.slice(from, length).order(order(message.get(from)));
        try {
            int minor = in.get(2);
            if (in.get(0) >>> 1 != 0 || in.get(1) != 1 || minor < 0 || minor > 3) {
                return null;
            }
            int size = in.getInt(4);
            if (size < 2 || size > 256 || in.get(7 + size) != 0) {
                return null;
            }
            byte[] host = new byte[size - 1];
            in.get(8, host);
            for (byte one : host) {
                if (one <= ' ' || one == 127) {
                    return null;
                }
            }
            int portAt = align(8 + size, 2);
            int port = in.getShort(portAt) & 0xffff;
            int key = align(portAt + 2, 4);
            in.position(key);
            octets(in);
            int components = -1;
            if (minor > 0) {
                components = align(in.position(), 4);
                int count = word(in);
                for (int i = 0; i < count; i++) {
                    skip(in, 4);
                    octets(in);
                }
            }
            // Only padding may follow.
            return in.remaining() > 7
                    ? null
                    : new Profile(
                            in,
                            minor,
                            new HostPort(new String(host, StandardCharsets.ISO_8859_1), port),
                            key,
                            components,
                            in.position());
        } catch (IndexOutOfBoundsException
                | IllegalArgumentException
                | BufferUnderflowException e) {
            return null;
        }
    }

    /** Returns the profile with its new address; null: it stays unchanged. */
    private static byte @Nullable [] profile(
            ByteBuffer message,
            int from,
            int length,
            Function<HostPort, @Nullable HostPort> rewriter) {
        Profile old = parse(message, from, length);
        HostPort next = old == null ? null : rewriter.apply(old.address());
        if (old == null || next == null || next.equals(old.address()) || old.components() < 0) {
            return null;
        }
        ByteBuffer in = old.in();
        byte[] host = next.host().getBytes(StandardCharsets.ISO_8859_1);
        ByteBuffer out = ByteBuffer.allocate(length + host.length + 64).order(in.order());
        out.put(in.get(0)).put((byte) 1).put((byte) old.minor());
        out.position(4);
        out.putInt(host.length + 1).put(host).put((byte) 0);
        out.position(align(out.position(), 2));
        out.putShort((short) next.port());
        out.position(align(out.position(), 4));
        copy(in, old.key(), out);
        int counted = align(out.position(), 4);
        out.position(counted + 4);
        int kept = 0;
        in.position(old.components());
        int count = in.getInt();
        for (int i = 0; i < count; i++) {
            int tag = word(in);
            int at = in.position();
            octets(in);
            if (tag != FILLER && tag != TAG_ALTERNATE_ADDRESS) {
                out.position(align(out.position(), 4));
                out.putInt(tag);
                copy(in, at, out);
                kept++;
            }
        }
        int end = out.position();
        if ((end - length) % 8 != 0) {
            int filler = align(end, 4);
            int size = Math.floorMod(length - filler - 8, 8);
            out.position(filler);
            out.putInt(FILLER).putInt(size);
            end = filler + 8 + size;
            kept++;
        }
        out.putInt(counted, kept);
        byte[] result = new byte[end];
        System.arraycopy(out.array(), 0, result, 0, end);
        return result;
    }

    /** Copies octets, from the position of their length. */
    private static void copy(ByteBuffer in, int at, ByteBuffer out) {
        int length = in.getInt(at);
        out.putInt(length);
        out.put(in.slice(at + 4, length));
    }
}
