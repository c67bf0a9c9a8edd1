package dev.komainu.organizer.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.organizer.service.ClientHello.More;
import dev.komainu.organizer.service.ClientHello.Outcome;
import dev.komainu.organizer.service.ClientHello.Refused;
import dev.komainu.organizer.service.ClientHello.ServerName;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * The server name in a TLS client's first message: of Java's own TLS, complete, in pieces, and
 * broken.
 */
class ClientHelloTest {

    private static final byte[] HELLO = hello("Shop.Example");

    private static byte[] hello(@Nullable String name) {
        try {
            SSLEngine engine = SSLContext.getDefault().createSSLEngine();
            engine.setUseClientMode(true);
            SSLParameters parameters = engine.getSSLParameters();
            parameters.setServerNames(name == null ? List.of() : List.of(new SNIHostName(name)));
            engine.setSSLParameters(parameters);
            ByteBuffer out = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
            engine.wrap(ByteBuffer.allocate(0), out);
            byte[] bytes = new byte[out.flip().remaining()];
            out.get(bytes);
            return bytes;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static Outcome read(byte[] bytes) {
        ByteBuf in = Unpooled.wrappedBuffer(bytes);
        Outcome outcome = ClientHello.read(in);
        assertThat(in.readableBytes()).isEqualTo(bytes.length);
        return outcome;
    }

    /** Returns the same message in records of the given size. */
    private static byte[] inRecords(byte[] hello, int each) {
        ByteBuf out = Unpooled.buffer();
        for (int at = 5; at < hello.length; at += each) {
            int length = Math.min(each, hello.length - at);
            out.writeBytes(hello, 0, 3).writeShort(length).writeBytes(hello, at, length);
        }
        byte[] bytes = new byte[out.readableBytes()];
        out.readBytes(bytes);
        return bytes;
    }

    @Property(tries = 300)
    void cutAnywhere_asksForWhatIsMissing(@ForAll @IntRange(min = 0, max = 4000) int at) {
        int length = at % HELLO.length;
        byte[] part = java.util.Arrays.copyOf(HELLO, length);
        assertThat(read(part))
                .isInstanceOfSatisfying(
                        More.class,
                        more -> assertThat(more.bytes())
                                .isGreaterThan(length)
                                .isLessThanOrEqualTo(HELLO.length));
    }

    @Property(tries = 100)
    void inRecordsOfAnyLength_isNamedAlike(@ForAll @IntRange(min = 16, max = 600) int each) {
        assertThat(read(inRecords(HELLO, each))).isEqualTo(new ServerName("shop.example"));
    }

    @Property(tries = 500)
    void oneByteChanged_isAnOutcome(
            @ForAll @IntRange(min = 0, max = 4000) int at, @ForAll byte value) {
        byte[] broken = HELLO.clone();
        broken[at % broken.length] = value;
        assertThat(read(broken)).isNotNull();
    }

    @Property(tries = 500)
    void anyBytes_areAnOutcome(@ForAll byte[] bytes) {
        assertThat(read(bytes)).isNotNull();
    }

    @Test
    void withoutAName_isRefused() {
        assertThat(read(hello(null))).isEqualTo(new Refused(ServiceRefusal.NO_NAME));
    }

    @Test
    void noTls_isRefusedAtTheFirstByte() {
        assertThat(read("GET / HTTP/1.1\r\n".getBytes(StandardCharsets.US_ASCII)))
                .isEqualTo(new Refused(ServiceRefusal.NOT_TLS));
        assertThat(read(new byte[] {'G'})).isEqualTo(new Refused(ServiceRefusal.NOT_TLS));
    }

    @Test
    void endlessFragments_areRefused() {
        assertThat(read(inRecords(HELLO, 1))).isEqualTo(new Refused(ServiceRefusal.LONG_HELLO));
        byte[] huge = HELLO.clone();
        huge[6] = 1;
        assertThat(read(huge)).isEqualTo(new Refused(ServiceRefusal.LONG_HELLO));
    }

    @Test
    void aRecordOfNothing_isRefused() {
        byte[] empty = {22, 3, 1, 0, 0};
        assertThat(read(empty)).isEqualTo(new Refused(ServiceRefusal.NOT_TLS));
    }

    @Test
    void anotherHandshakeMessage_isRefused() {
        byte[] other = HELLO.clone();
        other[5] = 2;
        assertThat(read(other)).isEqualTo(new Refused(ServiceRefusal.MALFORMED_HELLO));
    }
}
