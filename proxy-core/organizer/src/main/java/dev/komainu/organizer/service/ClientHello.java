package dev.komainu.organizer.service;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * The parser for the server name in the first message of a TLS client. It reads nothing else. A
 * pure function: it is called again when more bytes are received.
 *
 * <pre>
 * record     22 | 3 x | length | fragment …            (RFC 8446 section 5.1; one message may lie in several)
 * handshake   1 | length, 3 bytes | version, random, session, suites, compression, extensions
 * extension   0 | length | list length | 0 | length | host name   (RFC 6066 section 3)
 * </pre>
 */
final class ClientHello {

    private static final int MAX_MESSAGE = 64 << 10;
    private static final int MAX_RECORDS = 64;
    private static final int MAX_RECORD = 16 << 10;
    private static final int RECORD_HEAD = 5;
    private static final int MESSAGE_HEAD = 4;
    private static final String NAME = "[a-z0-9_]([a-z0-9._-]*[a-z0-9_])?";

    /** The result of the parser. */
    sealed interface Outcome {}

    /** The server name, in lower case. */
    record ServerName(String name) implements Outcome {}

    /**
     * The message is incomplete.
     *
     * @param bytes number of bytes from the beginning that the next call needs at least
     */
    record More(int bytes) implements Outcome {}

    /** The message has no usable server name. */
    record Refused(ServiceRefusal reason) implements Outcome {}

    private ClientHello() {}

    /**
     * Parses a message.
     *
     * @param in read from its reader index, which does not change
     */
    static Outcome read(ByteBuf in) {
        ByteBuf message = Unpooled.buffer(2048);
        int position = in.readerIndex();
        int start = position;
        for (int records = 0; ; records++) {
            if (records > MAX_RECORDS) {
                return new Refused(ServiceRefusal.LONG_HELLO);
            }
            int remaining = in.writerIndex() - position;
            if ((remaining > 0 && in.getByte(position) != 22)
                    || (remaining > 1 && in.getByte(position + 1) != 3)) {
                return new Refused(
                        records == 0 ? ServiceRefusal.NOT_TLS : ServiceRefusal.MALFORMED_HELLO);
            }
            if (remaining < RECORD_HEAD) {
                return new More(position - start + RECORD_HEAD);
            }
            int length = in.getUnsignedShort(position + 3);
            if (length == 0 || length > MAX_RECORD) {
                return new Refused(
                        records == 0 ? ServiceRefusal.NOT_TLS : ServiceRefusal.MALFORMED_HELLO);
            }
            int available = Math.min(length, remaining - RECORD_HEAD);
            message.writeBytes(in, position + RECORD_HEAD, available);
            if (message.readableBytes() > 0 && message.getByte(0) != 1) {
                return new Refused(ServiceRefusal.MALFORMED_HELLO);
            }
            if (message.readableBytes() >= MESSAGE_HEAD) {
                int total = MESSAGE_HEAD + message.getUnsignedMedium(1);
                if (total > MAX_MESSAGE) {
                    return new Refused(ServiceRefusal.LONG_HELLO);
                }
                if (message.readableBytes() >= total) {
                    return name(message.slice(MESSAGE_HEAD, total - MESSAGE_HEAD));
                }
            }
            if (available < length) {
                return new More(position - start + RECORD_HEAD + length);
            }
            position += RECORD_HEAD + length;
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
                        ? new ServerName(name)
                        : new Refused(ServiceRefusal.MALFORMED_HELLO);
            }
        }
        return new Refused(ServiceRefusal.NO_NAME);
    }

    /**
     * Reads a slice.
     *
     * @throws IndexOutOfBoundsException when there are fewer bytes
     */
    private static ByteBuf part(ByteBuf in, int length) {
        return in.readSlice(length);
    }
}
