package dev.komainu.organizer.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.organizer.service.ServedAddresses.HostPort;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.AlphaChars;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;

/** Addresses in object references: the rest of a message stays readable, for all lengths. */
class GiopStreamTest {

    private final ServiceCounts counts = new ServiceCounts();

    private static byte[] pass(GiopStream stream, byte[] bytes, int piece) {
        ByteBuf out = Unpooled.buffer();
        for (int at = 0; at < bytes.length; at += piece) {
            ByteBuf passed = stream.pass(
                    Unpooled.wrappedBuffer(bytes, at, Math.min(piece, bytes.length - at)),
                    UnpooledByteBufAllocator.DEFAULT);
            out.writeBytes(passed);
            passed.release();
        }
        byte[] all = new byte[out.readableBytes()];
        out.readBytes(all);
        return all;
    }

    private GiopStream to(HostPort next) {
        return new GiopStream(old -> old.port() == 2809 ? next : null, counts);
    }

    private static List<String> renamed(byte[] message, String from, String to) {
        return Giop.read(message).stream()
                .map(line -> line.replace(from, to).replace(" 3[1, 2, 3]", ""))
                .toList();
    }

    @Property(tries = 300)
    void references_leadElsewhere_andAllElseReadsAsBefore(
            @ForAll boolean little,
            @ForAll @AlphaChars @StringLength(min = 1, max = 40) String host,
            @ForAll @AlphaChars @StringLength(min = 1, max = 40) String next,
            @ForAll @Size(max = 30) byte[] key,
            @ForAll @IntRange(min = 1, max = 700) int piece) {
        ByteOrder order = little ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
        byte[] message = Giop.reply(order, 77, host, 2809, key);
        byte[] made = pass(to(new HostPort(next + "x", 4000)), message, piece);
        assertThat(Giop.read(made))
                .isEqualTo(renamed(message, " " + host + ":2809", " " + next + "x:4000"));
        // And in reverse: the padding component is removed.
        GiopStream back = new GiopStream(old -> new HostPort(host, 2809), counts);
        assertThat(Giop.read(pass(back, made, piece))).isEqualTo(renamed(message, "", ""));
    }

    @Property(tries = 200)
    void fragments_areOneMessage(
            @ForAll boolean little,
            @ForAll @IntRange(min = 1, max = 300) int each,
            @ForAll @Size(max = 60) byte[] key) {
        ByteOrder order = little ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
        byte[] message = Giop.reply(order, 5, "10.0.0.7", 2809, key);
        byte[] made = pass(to(new HostPort("shop.test", 9)), Giop.inFragments(message, each), 61);
        assertThat(Giop.read(made)).isEqualTo(renamed(message, " 10.0.0.7:2809", " shop.test:9"));
    }

    @Property(tries = 300)
    void addressesOfOthers_passByteByByte(@ForAll @IntRange(min = 1, max = 300) int each) {
        byte[] message = Giop.inFragments(
                Giop.reply(ByteOrder.BIG_ENDIAN, 5, "10.0.0.7", 80, new byte[3]), each);
        assertThat(pass(to(new HostPort("shop.test", 9)), message, each)).isEqualTo(message);
    }

    @Property(tries = 500)
    void oneByteChanged_neverThrows(
            @ForAll @IntRange(min = 0, max = 600) int at, @ForAll byte value) {
        byte[] message = Giop.reply(ByteOrder.LITTLE_ENDIAN, 5, "10.0.0.7", 2809, new byte[5]);
        message[at % message.length] = value;
        pass(to(new HostPort("s", 9)), message, 100);
    }

    @Property(tries = 200)
    void noGiop_passesByteByByte(
            @ForAll byte[] bytes, @ForAll @IntRange(min = 1, max = 40) int piece) {
        byte[] other = new byte[bytes.length + 5];
        System.arraycopy(
                "HELLO".getBytes(java.nio.charset.StandardCharsets.US_ASCII), 0, other, 0, 5);
        System.arraycopy(bytes, 0, other, 5, bytes.length);
        assertThat(pass(to(new HostPort("s", 9)), other, piece)).isEqualTo(other);
    }

    @Test
    void tooLongAMessage_passes_andTheNextIsReadAgain() {
        byte[] message = Giop.reply(ByteOrder.BIG_ENDIAN, 5, "10.0.0.7", 2809, new byte[1]);
        byte[] big = Arrays.copyOf(message, GiopStream.MAX_MESSAGE + 100);
        java.nio.ByteBuffer.wrap(big).putInt(8, big.length - 12);
        byte[] both = Arrays.copyOf(big, big.length + message.length);
        System.arraycopy(message, 0, both, big.length, message.length);
        byte[] made = pass(to(new HostPort("shop.test", 9)), both, 50_000);
        assertThat(Arrays.copyOf(made, big.length)).isEqualTo(big);
        assertThat(Giop.read(Arrays.copyOfRange(made, big.length, made.length)))
                .isEqualTo(renamed(message, " 10.0.0.7:2809", " shop.test:9"));
        assertThat(counts.of(ServiceCounts.Kind.UNREAD_MESSAGES)).isOne();
        assertThat(counts.of(ServiceCounts.Kind.REFERENCES)).isEqualTo(2);
    }

    @Test
    void interleavedFragments_areKeptApart() {
        byte[] one = Giop.reply(ByteOrder.BIG_ENDIAN, 1, "10.0.0.7", 2809, new byte[9]);
        byte[] two = Giop.reply(ByteOrder.BIG_ENDIAN, 2, "10.0.0.7", 2809, new byte[2]);
        byte[] first = Giop.inFragments(one, 200);
        int cut = 200;
        ByteBuf mixed = Unpooled.buffer()
                .writeBytes(first, 0, cut)
                .writeBytes(two)
                .writeBytes(first, cut, first.length - cut);
        byte[] bytes = new byte[mixed.readableBytes()];
        mixed.readBytes(bytes);
        byte[] made = pass(to(new HostPort("10.0.0.8", 2810)), bytes, 33);
        byte[] changed = ObjectReferences.rewrite(two, old -> new HostPort("10.0.0.8", 2810))
                .bytes();
        assertThat(Arrays.copyOf(made, changed.length)).isEqualTo(changed);
        assertThat(Giop.read(Arrays.copyOfRange(made, changed.length, made.length)))
                .isEqualTo(renamed(one, " 10.0.0.7:2809", " 10.0.0.8:2810"));
    }
}
