package dev.komainu.organizer.service;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * Reads the name a TLS client asks for, out of its first message, and nothing else. A pure
 * function: it is asked again when more came.
 *
 * <pre>
 *  record     22 | 3 x | length | fragment …            (RFC 8446 section 5.1; one message may lie in several)
 *  handshake   1 | length, 3 bytes | version, random, session, suites, compression, extensions
 *  extension   0 | length | list length | 0 | length | host name   (RFC 6066 section 3)
 * </pre>
 */
final class ClientHello {

    private static final int LONGEST = 64 << 10;
    private static final int MOST_RECORDS = 64;
    private static final int LONGEST_RECORD = 16 << 10;
    private static final int RECORD_HEAD = 5;
    private static final int MESSAGE_HEAD = 4;
    private static final String NAME = "[a-z0-9_]([a-z0-9._-]*[a-z0-9_])?";

    /** What came of it. */
    sealed interface Outcome {}

    /** In lower case. */
    record Named(String name) implements Outcome {}

    /** Not whole yet. @param bytes from the beginning, without which nothing more can be said */
    record More(int bytes) implements Outcome {}

    /** It names nothing. */
    record Refused(ServiceRefusal why) implements Outcome {}

    private ClientHello() {}

    /** @param in from its reader index, which stays */
    static Outcome read(ByteBuf in) {
        ByteBuf message = Unpooled.buffer(2048);
        int at = in.readerIndex();
        int from = at;
        for (int records = 0; ; records++) {
            if (records > MOST_RECORDS) {
                return new Refused(ServiceRefusal.LONG_HELLO);
            }
            int left = in.writerIndex() - at;
            if (left > 0 && in.getByte(at) != 22 || left > 1 && in.getByte(at + 1) != 3) {
                return new Refused(
                        records == 0 ? ServiceRefusal.NOT_TLS : ServiceRefusal.MALFORMED_HELLO);
            }
            if (left < RECORD_HEAD) {
                return new More(at - from + RECORD_HEAD);
            }
            int length = in.getUnsignedShort(at + 3);
            if (length == 0 || length > LONGEST_RECORD) {
                return new Refused(
                        records == 0 ? ServiceRefusal.NOT_TLS : ServiceRefusal.MALFORMED_HELLO);
            }
            int here = Math.min(length, left - RECORD_HEAD);
            message.writeBytes(in, at + RECORD_HEAD, here);
            if (message.readableBytes() > 0 && message.getByte(0) != 1) {
                return new Refused(ServiceRefusal.MALFORMED_HELLO);
            }
            if (message.readableBytes() >= MESSAGE_HEAD) {
                int whole = MESSAGE_HEAD + message.getUnsignedMedium(1);
                if (whole > LONGEST) {
                    return new Refused(ServiceRefusal.LONG_HELLO);
                }
                if (message.readableBytes() >= whole) {
                    return name(message.slice(MESSAGE_HEAD, whole - MESSAGE_HEAD));
                }
            }
            if (here < length) {
                return new More(at - from + RECORD_HEAD + length);
            }
            at += RECORD_HEAD + length;
        }
    }

    private static Outcome name(ByteBuf hello) {
        try {
            hello.skipBytes(34);
            part(hello, hello.readUnsignedByte());
            part(hello, hello.readUnsignedShort());
            part(hello, hello.readUnsignedByte());
            if (!hello.isReadable()) {
                return new Refused(ServiceRefusal.NO_NAME);
            }
            ByteBuf extensions = part(hello, hello.readUnsignedShort());
            while (extensions.isReadable()) {
                int type = extensions.readUnsignedShort();
                ByteBuf value = part(extensions, extensions.readUnsignedShort());
                if (type == 0) {
                    return names(part(value, value.readUnsignedShort()));
                }
            }
            return new Refused(ServiceRefusal.NO_NAME);
        } catch (IndexOutOfBoundsException e) {
            return new Refused(ServiceRefusal.MALFORMED_HELLO);
        }
    }

    private static Outcome names(ByteBuf list) {
        while (list.isReadable()) {
            int type = list.readUnsignedByte();
            ByteBuf value = part(list, list.readUnsignedShort());
            if (type == 0) {
                String name = value.toString(StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT);
                return name.length() <= 253 && name.matches(NAME)
                        ? new Named(name)
                        : new Refused(ServiceRefusal.MALFORMED_HELLO);
            }
        }
        return new Refused(ServiceRefusal.NO_NAME);
    }

    /** @throws IndexOutOfBoundsException when there is less */
    private static ByteBuf part(ByteBuf in, int length) {
        return in.readSlice(length);
    }
}
