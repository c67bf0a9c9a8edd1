package dev.komainu.organizer.service;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A writer of GIOP messages in the form of an ORB (CORBA 3.3 part 2, chapter 9), and a reader by
 * the interface definition.
 */
final class Giop {

    private final ByteBuffer out = ByteBuffer.allocate(1 << 20);

    Giop(ByteOrder order) {
        out.order(order);
    }

    private Giop align(int to) {
        out.position(out.position() + to - 1 & -to);
        return this;
    }

    Giop octet(int value) {
        out.put((byte) value);
        return this;
    }

    Giop word(int value) {
        align(4).out.putInt(value);
        return this;
    }

    Giop number(double value) {
        align(8).out.putDouble(value);
        return this;
    }

    Giop string(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        word(bytes.length + 1).out.put(bytes).put((byte) 0);
        return this;
    }

    Giop octets(byte[] bytes) {
        word(bytes.length).out.put(bytes);
        return this;
    }

    byte[] bytes() {
        return Arrays.copyOf(out.array(), out.position());
    }

    /**
     * Returns a profile of IIOP 1.2 with two components; one of them names an alternate address.
     */
    static byte[] profile(ByteOrder order, String host, int port, byte[] key) {
        Giop to = new Giop(order)
                .octet(order == ByteOrder.LITTLE_ENDIAN ? 1 : 0)
                .octet(1)
                .octet(2);
        to.string(host).align(2).out.putShort((short) port);
        to.octets(key).word(2);
        to.word(1).octets(new byte[] {0, 1, 2, 3, 4, 5, 6, 7, 8});
        to.word(3).octets(new byte[] {1, 2, 3});
        return to.bytes();
    }

    /** Writes a reference, as ORBs marshal it. */
    Giop reference(String type, String host, int port, byte[] key) {
        return string(type).word(1).word(0).octets(profile(out.order(), host, port, key));
    }

    /**
     * Returns a reply of GIOP 1.2 whose result is two references, with values of each alignment
     * behind and between them.
     */
    static byte[] reply(ByteOrder order, int id, String host, int port, byte[] key) {
        Giop to = new Giop(order);
        to.out.put("GIOP".getBytes(StandardCharsets.US_ASCII)).put((byte) 1).put((byte) 2);
        to.octet(order == ByteOrder.LITTLE_ENDIAN ? 1 : 0).octet(1).word(0);
        to.word(id).word(0).word(1).word(5).octets(new byte[] {0, 0, 0, 9, 9});
        to.align(8)
                .string("before")
                .reference("IDL:test/Shop:1.0", host, port, key)
                .number(0.5);
        to.string("between")
                .reference("", host, port, key)
                .octet(7)
                .number(0.25)
                .string("behind");
        return finished(to);
    }

    private static byte[] finished(Giop to) {
        byte[] bytes = to.bytes();
        ByteBuffer.wrap(bytes).order(to.out.order()).putInt(8, bytes.length - 12);
        return bytes;
    }

    /** Returns the same message in fragments of about the given size (section 9.4.9). */
    static byte[] inFragments(byte[] message, int each) {
        ByteOrder order = ObjectReferences.order(message[6]);
        ByteBuffer out = ByteBuffer.allocate(message.length * 4 + 64).order(order);
        int step = Math.max(24, each + 7 & -8);
        for (int at = 0; at < message.length; ) {
            boolean first = at == 0;
            int length = Math.min(first ? step : step - 16, message.length - at);
            boolean more = at + length < message.length;
            int begins = out.position();
            if (!first) {
                out.put(message, 0, 12).put(message, 12, 4);
                out.put(begins + 7, (byte) 7);
            }
            out.put(message, at, length);
            out.put(begins + 6, (byte) (message[6] | (more ? 2 : 0)));
            out.putInt(begins + 8, out.position() - begins - 12);
            at += length;
        }
        return Arrays.copyOf(out.array(), out.position());
    }

    // Reads by the definition: the values that a client's ORB would read from such a reply.

    private static final class Reader {
        private final ByteBuffer in;

        Reader(byte[] bytes, ByteOrder order) {
            in = ByteBuffer.wrap(bytes).order(order);
        }

        void align(int to) {
            in.position(in.position() + to - 1 & -to);
        }

        int word() {
            align(4);
            return in.getInt();
        }

        byte[] octets() {
            byte[] bytes = new byte[word()];
            in.get(bytes);
            return bytes;
        }

        String string() {
            byte[] bytes = octets();
            return new String(bytes, 0, bytes.length - 1, StandardCharsets.ISO_8859_1);
        }

        double number() {
            align(8);
            return in.getDouble();
        }

        String reference() {
            StringBuilder all = new StringBuilder(string());
            int profiles = word();
            for (int i = 0; i < profiles; i++) {
                word();
                byte[] profile = octets();
                Reader inner = new Reader(profile, ObjectReferences.order(profile[0]));
                inner.in.position(3);
                all.append(' ').append(inner.string());
                inner.align(2);
                all.append(':').append(inner.in.getShort() & 0xffff);
                all.append(' ').append(Arrays.toString(inner.octets()));
                int components = inner.word();
                for (int c = 0; c < components; c++) {
                    int tag = inner.word();
                    byte[] value = inner.octets();
                    if (tag < 1000) {
                        all.append(' ').append(tag).append(Arrays.toString(value));
                    }
                }
            }
            return all.toString();
        }
    }

    /** Returns everything in such a reply except its padding. */
    static List<String> read(byte[] message) {
        Reader in = new Reader(message, ObjectReferences.order(message[6]));
        List<String> all = new ArrayList<>();
        in.in.position(8);
        all.add(in.word() == message.length - 12 ? "whole" : "broken");
        all.add("id " + in.word() + " status " + in.word());
        int contexts = in.word();
        for (int i = 0; i < contexts; i++) {
            all.add("context " + in.word() + " " + Arrays.toString(in.octets()));
        }
        in.align(8);
        all.add(in.string());
        all.add(in.reference());
        all.add("number " + in.number());
        all.add(in.string());
        all.add(in.reference());
        all.add("octet " + in.in.get());
        all.add("number " + in.number());
        all.add(in.string());
        all.add(in.in.hasRemaining() ? "more" : "end");
        return all;
    }
}
