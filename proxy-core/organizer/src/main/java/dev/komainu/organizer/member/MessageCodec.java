package dev.komainu.organizer.member;

import dev.komainu.organizer.route.Announcement;
import dev.komainu.organizer.route.LineEndpoint;
import dev.komainu.organizer.route.MemberId;
import dev.komainu.organizer.route.MemberLoad;
import dev.komainu.organizer.route.ServedRoute;
import dev.komainu.organizer.route.ServerState;
import dev.komainu.organizer.route.UrlPrefix;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Codec of messages, {@code docs/formats/organizer-messages.md}. Numbers are big-endian; a text is
 * its length in two bytes and ASCII.
 *
 * <pre>
 * +---------+------+------------+---------------------+-------------------------+
 * | version | kind | body …     | grant: text         | signature: length, bytes|
 * +---------+------+------------+---------------------+-------------------------+
 *      1       1                  '---- proof: both empty without an authority --'
 * </pre>
 */
final class MessageCodec {

    static final int VERSION = 1;
    private static final int MAX_TEXT_BYTES = 65_535;

    private MessageCodec() {}

    /**
     * A message with its proof, which is not verified yet.
     *
     * @param signed the bytes under the signature
     */
    record Decoded(Message message, byte[] signed, String grant, byte[] signature) {}

    /** Encodes the part of a message that is signed. */
    static byte[] body(Message message) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(256);
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(VERSION);
            switch (message) {
                case Message.Announced announced -> write(out, announced.announcement());
                case Message.Reported reported -> write(out, reported.report());
                case Message.Ask ask -> out.writeByte(3);
                case Message.Ping ping -> {
                    out.writeByte(4);
                    out.writeLong(ping.sentNanos());
                }
                case Message.Pong pong -> {
                    out.writeByte(5);
                    out.writeLong(pong.sentNanos());
                }
                case Message.Farewell farewell -> {
                    out.writeByte(6);
                    text(out, farewell.member().text());
                    out.writeLong(farewell.incarnation());
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /**
     * Encodes a whole message.
     *
     * @param signature empty without a grant
     */
    static byte[] message(byte[] body, String grant, byte[] signature) {
        byte[] grantBytes = grant.getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocate(body.length + 4 + grantBytes.length + signature.length)
                .put(body)
                .putShort((short) grantBytes.length)
                .put(grantBytes)
                .putShort((short) signature.length)
                .put(signature)
                .array();
    }

    private static void write(DataOutputStream out, Announcement a) throws IOException {
        out.writeByte(1);
        text(out, a.member().text());
        out.writeLong(a.incarnation());
        out.writeLong(a.version());
        text(out, a.line().host());
        out.writeShort(a.line().port());
        out.writeBoolean(a.draining());
        out.writeShort(a.routes().size());
        for (ServedRoute route : a.routes()) {
            text(out, route.prefix().host());
            text(out, route.prefix().path());
            out.writeShort(route.weight());
            out.writeInt(route.capacity());
            out.writeBoolean(route.cache());
            text(out, route.content());
        }
    }

    private static void write(DataOutputStream out, MemberLoad r) throws IOException {
        out.writeByte(2);
        text(out, r.member().text());
        out.writeLong(r.incarnation());
        out.writeLong(r.announced());
        out.writeLong(r.sequence());
        out.writeInt(r.inFlight());
        out.writeLong(r.serviceMicros());
        out.writeLong(r.served());
        out.writeLong(r.faults());
        out.writeByte(r.state().ordinal());
        out.writeShort(r.delayMicros().size());
        for (Map.Entry<MemberId, Long> delay : new TreeMap<>(r.delayMicros()).entrySet()) {
            text(out, delay.getKey().text());
            out.writeLong(delay.getValue());
        }
    }

    private static void text(DataOutputStream out, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        if (bytes.length > MAX_TEXT_BYTES) {
            throw new IllegalArgumentException(
                    "text: " + bytes.length + " bytes (expected: at most " + MAX_TEXT_BYTES + ")");
        }
        out.writeShort(bytes.length);
        out.write(bytes);
    }

    /**
     * Decodes a message.
     *
     * @throws MalformedMessageException when the bytes are not a message; for any input
     */
    static Decoded read(byte[] bytes) throws MalformedMessageException {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        try {
            int version = in.get();
            if (version != VERSION) {
                throw new MalformedMessageException(
                        0, "version " + version + " (expected: " + VERSION + ")");
            }
            Message message = message(in);
            byte[] signed = new byte[in.position()];
            in.duplicate().rewind().get(signed);
            String grant = text(in);
            byte[] signature = new byte[Short.toUnsignedInt(in.getShort())];
            in.get(signature);
            if (in.hasRemaining()) {
                throw new MalformedMessageException(
                        in.position(), in.remaining() + " bytes more (expected: the end)");
            }
            return new Decoded(message, signed, grant, signature);
        } catch (BufferUnderflowException | NegativeArraySizeException e) {
            throw new MalformedMessageException(in.position(), "the end (expected: more)");
        } catch (IllegalArgumentException e) {
            throw new MalformedMessageException(in.position(), String.valueOf(e.getMessage()));
        }
    }

    private static Message message(ByteBuffer in) throws MalformedMessageException {
        int kind = in.get();
        return switch (kind) {
            case 1 -> new Message.Announced(announcement(in));
            case 2 -> new Message.Reported(report(in));
            case 3 -> new Message.Ask();
            case 4 -> new Message.Ping(in.getLong());
            case 5 -> new Message.Pong(in.getLong());
            case 6 -> new Message.Farewell(new MemberId(text(in)), in.getLong());
            default ->
                throw new MalformedMessageException(1, "kind " + kind + " (expected: 1 to 6)");
        };
    }

    private static Announcement announcement(ByteBuffer in) {
        MemberId member = new MemberId(text(in));
        long incarnation = in.getLong();
        long version = in.getLong();
        LineEndpoint line = new LineEndpoint(text(in), Short.toUnsignedInt(in.getShort()), member);
        boolean draining = in.get() != 0;
        int count = Short.toUnsignedInt(in.getShort());
        List<ServedRoute> routes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            UrlPrefix prefix = new UrlPrefix(text(in), text(in));
            routes.add(new ServedRoute(
                    prefix,
                    Short.toUnsignedInt(in.getShort()),
                    in.getInt(),
                    in.get() != 0,
                    text(in)));
        }
        return new Announcement(member, incarnation, version, line, draining, routes);
    }

    private static MemberLoad report(ByteBuffer in) {
        MemberId member = new MemberId(text(in));
        long incarnation = in.getLong();
        long announced = in.getLong();
        long sequence = in.getLong();
        int inFlight = in.getInt();
        long service = in.getLong();
        long served = in.getLong();
        long faults = in.getLong();
        int state = in.get();
        if (state < 0 || state >= ServerState.values().length) {
            throw new IllegalArgumentException("state " + state + " (expected: 0 to "
                    + (ServerState.values().length - 1) + ")");
        }
        int count = Short.toUnsignedInt(in.getShort());
        Map<MemberId, Long> delays = new HashMap<>();
        for (int i = 0; i < count; i++) {
            delays.put(new MemberId(text(in)), in.getLong());
        }
        return new MemberLoad(
                member,
                incarnation,
                announced,
                sequence,
                inFlight,
                service,
                served,
                faults,
                ServerState.values()[state],
                delays);
    }

    private static String text(ByteBuffer in) {
        int length = Short.toUnsignedInt(in.getShort());
        if (length > in.remaining()) {
            throw new BufferUnderflowException();
        }
        byte[] bytes = new byte[length];
        in.get(bytes);
        return new String(bytes, StandardCharsets.US_ASCII);
    }
}
